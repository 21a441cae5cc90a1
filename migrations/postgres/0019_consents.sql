-- What an approval covers: one call, or all calls of risk T2 of its run.
ALTER TABLE approval ADD COLUMN scope TEXT NOT NULL DEFAULT 'call';
-- Digest of the version of the method to whose calls of risk T2 the person who added the schedule consented.
ALTER TABLE schedule ADD COLUMN consent BYTEA;
