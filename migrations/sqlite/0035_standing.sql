-- Orders that a run keeps up or brings about. `due_at` is set until the order has its run, `ended_at` when it binds nobody
-- any more.
CREATE TABLE standing_obligation (
    obligation_id BLOB NOT NULL PRIMARY KEY REFERENCES obligation (id),
    tenant TEXT NOT NULL,
    user_key TEXT NOT NULL,
    kind TEXT NOT NULL,
    thing TEXT NOT NULL,
    predicate TEXT NOT NULL,
    digest TEXT NOT NULL,
    method TEXT NOT NULL,
    goal TEXT NOT NULL,
    from_at INTEGER NOT NULL,
    until_at INTEGER NOT NULL,
    due_at INTEGER,
    run_id BLOB,
    ended_at INTEGER
) STRICT;
CREATE UNIQUE INDEX standing_obligation_same ON standing_obligation (tenant, user_key, digest) WHERE ended_at IS NULL;
CREATE INDEX standing_obligation_predicate ON standing_obligation (tenant, predicate, obligation_id) WHERE ended_at IS NULL;
CREATE INDEX standing_obligation_due ON standing_obligation (tenant, due_at) WHERE due_at IS NOT NULL;

-- The simulated plant: a ball, by its place at an instant and what moves it since, in micrometres and micrometres a second.
CREATE TABLE plant_ball (
    tenant TEXT NOT NULL PRIMARY KEY,
    x INTEGER NOT NULL,
    y INTEGER NOT NULL,
    drift_x INTEGER NOT NULL,
    drift_y INTEGER NOT NULL,
    at INTEGER NOT NULL
) STRICT;
