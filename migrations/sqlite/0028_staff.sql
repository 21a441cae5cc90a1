-- When the service of a request ends, so that services that overlap are one clash. Requests from before this migration
-- clash only with those at the same time, as was promised then.
ALTER TABLE request ADD COLUMN ends_at INTEGER NOT NULL DEFAULT 0;
-- contract: rows from before keep what they promised
UPDATE request SET ends_at = service_time + 1;

-- The member of staff who started what an entry of the inbox is about, and who hears of it; without one, all staff do.
ALTER TABLE inbox ADD COLUMN starter BLOB;

-- Notices are gathered by reason and by who hears of them. `starter` is all zeros if all staff do.
CREATE TABLE inbox_notice (
    tenant TEXT NOT NULL,
    reason TEXT NOT NULL,
    starter BLOB NOT NULL,
    first_message BLOB NOT NULL,
    due_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, reason, starter)
) STRICT;
-- contract: the rows move to their new table
INSERT INTO inbox_notice (tenant, reason, starter, first_message, due_at)
    SELECT tenant, reason, x'00000000000000000000000000000000', first_message, due_at FROM staff_notice;
-- contract: its successor holds the same rows
DROP TABLE staff_notice;
CREATE INDEX inbox_notice_due ON inbox_notice (tenant, due_at);
