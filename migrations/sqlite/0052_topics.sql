-- Lists events by what few of them have in common: the run that an event outside the run's stream is about, the
-- correlation of an event without a run, the tool of a call from outside, the status of a call that did not succeed.
-- Each would else be an index of the ledger. The steps of methods, which are most of the ledger, have no row here.
CREATE TABLE event_topic (
    tenant TEXT NOT NULL,
    topic TEXT NOT NULL,
    id BLOB NOT NULL,
    stream BLOB NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (tenant, topic, id)
) STRICT, WITHOUT ROWID;
-- contract: it copies what is there, and a program from before the table does not fill it
INSERT INTO event_topic (tenant, topic, id, stream, seq)
SELECT tenant, topic, id, stream, seq FROM (
    SELECT tenant, 'run_' || lower(hex(run_id)) AS topic, id, stream, seq FROM ledger WHERE run_id <> stream
    UNION ALL
    SELECT tenant, 'cor_' || lower(hex(correlation)), id, stream, seq FROM ledger
        WHERE run_id IS NULL AND correlation IS NOT NULL
    UNION ALL
    SELECT tenant, 'tool ' || tool, id, stream, seq FROM ledger WHERE kind = 'receipt' AND tool LIKE '%.%'
    UNION ALL
    SELECT tenant, 'status ' || status, id, stream, seq FROM ledger WHERE kind = 'receipt' AND status <> 'succeeded'
    UNION ALL
    SELECT tenant, 'tool ' || tool || ' ' || status, id, stream, seq FROM ledger
        WHERE kind = 'receipt' AND (tool LIKE '%.%' OR status <> 'succeeded')
) AS listed WHERE true
ON CONFLICT DO NOTHING;
-- contract: the topics of tools replace it
DROP INDEX ledger_tool;
-- contract: the topics of statuses replace it
DROP INDEX ledger_unsuccessful;
-- contract: the topics of correlations replace it
DROP INDEX ledger_correlation;

-- The tenants that have events in each block of 256 rows of the ledger, which is read in the order of its row ids: whoever
-- reads the log of one tenant skips the blocks in which there are only events of others.
CREATE TABLE event_block (
    tenant TEXT NOT NULL,
    block INTEGER NOT NULL,
    PRIMARY KEY (tenant, block)
) STRICT, WITHOUT ROWID;
-- contract: it copies what is there
INSERT INTO event_block (tenant, block) SELECT DISTINCT tenant, rowid / 256 FROM ledger;
CREATE TRIGGER event_block_of_event AFTER INSERT ON ledger BEGIN
    INSERT INTO event_block (tenant, block) SELECT NEW.tenant, NEW.rowid / 256
    WHERE NOT EXISTS (SELECT 1 FROM event_block WHERE tenant = NEW.tenant AND block = NEW.rowid / 256);
END;
