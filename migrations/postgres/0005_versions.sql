-- Versions of methods that are published, made active and taken back, and runs that move from one
-- version to another while they wait.
-- Times are microseconds since 1970 UTC, flags 0 or 1, ids UUIDv7 made by us.

-- `active`: new runs of the tenant begin with it, whatever the files say; at most one a method.
-- `shadow`: it is for runs that only say what they would do. `origin`: `file` or `published`.
-- `deleted`: nobody is to see it again; its number is never given to another.
ALTER TABLE method_version ADD COLUMN active BIGINT NOT NULL DEFAULT 0;
ALTER TABLE method_version ADD COLUMN shadow BIGINT NOT NULL DEFAULT 0;
ALTER TABLE method_version ADD COLUMN origin TEXT COLLATE "C" NOT NULL DEFAULT 'file';
ALTER TABLE method_version ADD COLUMN deleted BIGINT NOT NULL DEFAULT 0;
CREATE INDEX method_version_active ON method_version (tenant, name) WHERE active = 1;

-- The live runs of a version.
CREATE INDEX run_bundle ON run (bundle, id) WHERE ended_at IS NULL;

-- An order to move runs to another version; `renamed` is a JSON object of steps, old to new, and
-- `undoes` names the order whose moves this one takes back.
CREATE TABLE upgrade (
    id UUID PRIMARY KEY,
    tenant TEXT COLLATE "C" NOT NULL,
    method TEXT COLLATE "C" NOT NULL,
    bundle BYTEA NOT NULL,
    version BIGINT NOT NULL,
    renamed TEXT COLLATE "C" NOT NULL,
    undoes UUID,
    ordered_at BIGINT NOT NULL
);
CREATE INDEX upgrade_list ON upgrade (tenant, id);

-- A run of such an order: where it came from, and whether it is `ordered`, `moved` or `kept` (and why).
CREATE TABLE upgrade_run (
    upgrade UUID NOT NULL,
    run_id UUID NOT NULL,
    from_bundle BYTEA NOT NULL,
    from_version BIGINT NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    why TEXT COLLATE "C",
    PRIMARY KEY (upgrade, run_id)
);
CREATE INDEX upgrade_of_run ON upgrade_run (run_id, upgrade);
