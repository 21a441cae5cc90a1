-- The live runs of a request. A run of no request has no row in it.
-- contract: its successor holds the same rows, except those that no statement finds
DROP INDEX run_part;
CREATE INDEX run_part ON run (partition_key, id) WHERE ended_at IS NULL AND partition_key IS NOT NULL;
