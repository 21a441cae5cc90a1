-- The timers of a tenant have an index with a condition of its own, as in 0050.
-- contract: its successor holds the same rows
DROP INDEX turn_timer;
CREATE INDEX turn_timer ON turn (tenant, due_at) WHERE owner IS NULL AND held = 0 AND COALESCE(due_at, due_at) IS NOT NULL;

-- The rows of these tables come and go. When none is left, the server would give their pages back, and then plan to read the
-- table whole for each row that a statement looks up: an empty table costs nothing to read. A connection keeps that plan
-- while the next burst fills the table.
-- contract: nothing is removed
ALTER TABLE turn SET (vacuum_truncate = off);
-- contract: nothing is removed
ALTER TABLE wait SET (vacuum_truncate = off);
-- contract: nothing is removed
ALTER TABLE barred SET (vacuum_truncate = off);
