-- Versions of methods that are published, made active and taken back, and runs that move from one
-- version to another while they wait.
-- Times are microseconds since 1970 UTC, flags 0 or 1, ids UUIDv7 made by us.

-- `active`: new runs of the tenant begin with it, whatever the files say; at most one a method.
-- `shadow`: it is for runs that only say what they would do. `origin`: `file` or `published`.
-- `deleted`: nobody is to see it again; its number is never given to another.
ALTER TABLE method_version ADD COLUMN active INTEGER NOT NULL DEFAULT 0;
ALTER TABLE method_version ADD COLUMN shadow INTEGER NOT NULL DEFAULT 0;
ALTER TABLE method_version ADD COLUMN origin TEXT NOT NULL DEFAULT 'file';
ALTER TABLE method_version ADD COLUMN deleted INTEGER NOT NULL DEFAULT 0;
CREATE INDEX method_version_active ON method_version (tenant, name) WHERE active = 1;

-- The live runs of a version.
CREATE INDEX run_bundle ON run (bundle, id) WHERE ended_at IS NULL;

-- An order to move runs to another version; `renamed` is a JSON object of steps, old to new, and
-- `undoes` names the order whose moves this one takes back.
CREATE TABLE upgrade (
    id BLOB PRIMARY KEY,
    tenant TEXT NOT NULL,
    method TEXT NOT NULL,
    bundle BLOB NOT NULL,
    version INTEGER NOT NULL,
    renamed TEXT NOT NULL,
    undoes BLOB,
    ordered_at INTEGER NOT NULL
) STRICT;
CREATE INDEX upgrade_list ON upgrade (tenant, id);

-- A run of such an order: where it came from, and whether it is `ordered`, `moved` or `kept` (and why).
CREATE TABLE upgrade_run (
    upgrade BLOB NOT NULL,
    run_id BLOB NOT NULL,
    from_bundle BLOB NOT NULL,
    from_version INTEGER NOT NULL,
    state TEXT NOT NULL,
    why TEXT,
    PRIMARY KEY (upgrade, run_id)
) STRICT;
CREATE INDEX upgrade_of_run ON upgrade_run (run_id, upgrade);
