-- What leaves next of each tenant, and of one recipient one text at a time.

-- Answers to what people wrote (0) go before everything else (1).
ALTER TABLE outbox ADD COLUMN bulk BIGINT NOT NULL DEFAULT 1;
-- contract: an older program does not know the column
UPDATE outbox SET bulk = 0 WHERE cause_kind = 'inbound';
-- contract: its successor holds the same rows, by tenant
DROP INDEX outbox_queued;
CREATE INDEX outbox_queued ON outbox (tenant, bulk, not_before, id) WHERE state = 'queued';
CREATE INDEX outbox_recipient ON outbox (tenant, contact) WHERE state = 'sending';

-- Waits count from the last permitted send: of what may still leave or has left.
-- contract: its successor leaves out what never leaves
DROP INDEX outbox_run;
CREATE INDEX outbox_run ON outbox (run_id, not_before)
    WHERE call_id IS NOT NULL AND state NOT IN ('cancelled', 'suppressed');
-- contract: its successor leaves out what never leaves
DROP INDEX outbox_again;
CREATE INDEX outbox_again ON outbox (run_id, permitted_at)
    WHERE permitted_at IS NOT NULL AND state NOT IN ('cancelled', 'suppressed');
