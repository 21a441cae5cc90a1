-- What set a row going: the inbound message or the API request with which the story began. A run takes it from its
-- parent or from what started it, and its events, receipts, approvals and messages take it from the run. Rows that
-- were written before this migration have none.
ALTER TABLE run ADD COLUMN correlation UUID;
ALTER TABLE ledger ADD COLUMN correlation UUID;
ALTER TABLE inbound ADD COLUMN correlation UUID;
ALTER TABLE outbox ADD COLUMN correlation UUID;
ALTER TABLE approval ADD COLUMN correlation UUID;

-- Finds the runs of a correlation. A run that began its own has its id, and needs no row here.
CREATE INDEX run_correlation ON run (correlation) WHERE correlation <> id;
-- Finds the events of a correlation outside the streams of its runs. The events of a run's own stream are found by
-- the run, and are most of the ledger.
CREATE INDEX ledger_correlation ON ledger (correlation, id) WHERE run_id IS NULL OR run_id <> stream;
