-- What falls due by itself at an instant that somebody chose. With `run_id`: `body` is brought to that
-- run as the message `scheduled`. Without: `method` is started with the goal `body`; once, or with `cron`
-- again and again, by the clock of `tz`. `next_at` is absent once nothing falls due any more. `waits`: 1
-- while what fell due at `next_at` waits for the end of `last_run`. `last_error` is why the last one
-- that fell due could not be started.
-- Times are microseconds since 1970 UTC, flags 0 or 1, ids UUIDv7 made by us.
CREATE TABLE schedule (
    id BLOB PRIMARY KEY,
    tenant TEXT NOT NULL,
    run_id BLOB,
    method TEXT,
    body TEXT NOT NULL,
    cron TEXT,
    tz TEXT NOT NULL,
    catch_up TEXT NOT NULL,
    overlap TEXT NOT NULL,
    next_at INTEGER,
    waits INTEGER NOT NULL,
    last_at INTEGER,
    last_run BLOB,
    last_error TEXT
) STRICT;
CREATE INDEX schedule_due ON schedule (next_at, id) WHERE next_at IS NOT NULL AND waits = 0;
CREATE INDEX schedule_run ON schedule (run_id, next_at) WHERE run_id IS NOT NULL;
CREATE INDEX schedule_list ON schedule (tenant, id);
