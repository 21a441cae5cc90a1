-- Tenants: settings with a version, and what a turn of the kill switch has still to do.
-- Times are microseconds since 1970 UTC, flags 0 or 1, ids UUIDv7 made by us.

-- Grows with every change of the tenant's settings and of its kill switch: whoever remembers the settings
-- compares it in the transaction that rests on them.
ALTER TABLE tenant ADD COLUMN version BIGINT NOT NULL DEFAULT 1;

-- The work that a turn of the kill switch leaves, a bounded number of rows a commit: a crash loses nothing
-- of it. `phase`: `holding` (runs, after the switch was turned on), then after it was turned off
-- `permitting` (messages that were held) and `freeing` (runs). While it is `permitting`, `tenant.paused`
-- is still 1. `reached`: the last run of the phase that is done. `version`: the tenant's at the switch.
CREATE TABLE tenant_job (
    tenant TEXT COLLATE "C" PRIMARY KEY,
    phase TEXT COLLATE "C" NOT NULL,
    reached UUID,
    version BIGINT NOT NULL,
    sends BIGINT NOT NULL,
    runs BIGINT NOT NULL,
    since BIGINT NOT NULL
);

-- The runs of a tenant that no kill switch holds.
CREATE INDEX turn_free ON turn (tenant, run_id) WHERE held = 0;
