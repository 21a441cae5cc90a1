-- The timers of a tenant have an index with a condition of its own, as in 0050.
-- contract: its successor holds the same rows
DROP INDEX turn_timer;
CREATE INDEX turn_timer ON turn (tenant, due_at) WHERE owner IS NULL AND held = 0 AND COALESCE(due_at, due_at) IS NOT NULL;
