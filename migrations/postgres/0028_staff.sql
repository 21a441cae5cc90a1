-- When the service of a request ends, so that services that overlap are one clash. Requests from before this migration
-- clash only with those at the same time, as was promised then.
ALTER TABLE request ADD COLUMN ends_at BIGINT NOT NULL DEFAULT 0;
-- contract: rows from before keep what they promised
UPDATE request SET ends_at = service_time + 1;

-- The member of staff who started what an entry of the inbox is about, and who hears of it; without one, all staff do.
ALTER TABLE inbox ADD COLUMN starter UUID;

-- Notices are gathered by reason and by who hears of them. `starter` is all zeros if all staff do.
CREATE TABLE inbox_notice (
    tenant TEXT NOT NULL,
    reason TEXT NOT NULL,
    starter UUID NOT NULL,
    first_message UUID NOT NULL,
    due_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, reason, starter)
);
-- contract: the rows move to their new table
INSERT INTO inbox_notice (tenant, reason, starter, first_message, due_at)
    SELECT tenant, reason, '00000000-0000-0000-0000-000000000000', first_message, due_at FROM staff_notice;
-- contract: its successor holds the same rows
DROP TABLE staff_notice;
CREATE INDEX inbox_notice_due ON inbox_notice (tenant, due_at);
