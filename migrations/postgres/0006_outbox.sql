-- What policy let go at an instant and the world did not take then: a message that goes again later.
-- Times are microseconds since 1970 UTC.

-- When policy first permitted the message, where that is no longer `not_before`: waits count from here.
ALTER TABLE outbox ADD COLUMN permitted_at BIGINT;
CREATE INDEX outbox_again ON outbox (run_id, permitted_at) WHERE permitted_at IS NOT NULL;
