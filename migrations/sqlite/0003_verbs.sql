-- What the verbs keep that change targets, ask, look facts up and reserve capacity.
-- Times are microseconds since 1970 UTC, flags 0 or 1, ids UUIDv7 made by us.

-- A request with more places taken than its targets allow, while somebody sees to it: the run that
-- lowered a target, or staff, where no run is named. Gone once nobody is over, or the run has ended.
CREATE TABLE rebalance (
    request BLOB PRIMARY KEY,
    run_id BLOB,
    opened_at INTEGER NOT NULL
) STRICT;
CREATE INDEX rebalance_run ON rebalance (run_id) WHERE run_id IS NOT NULL;

-- A question that a run asked one person. `about` is what it is about, in the words in which we ask
-- back; `gives` the role in which a yes gives a place. An answer is for one row; a row that has ended
-- stays so, and asking again is a new one. The run hears of the answer under the name `signal`.
CREATE TABLE ask (
    id BLOB PRIMARY KEY,
    tenant TEXT NOT NULL,
    request BLOB NOT NULL,
    person BLOB NOT NULL,
    template TEXT NOT NULL,
    about TEXT NOT NULL,
    gives TEXT,
    ordinal INTEGER NOT NULL,
    run_id BLOB NOT NULL,
    signal TEXT NOT NULL,
    state TEXT NOT NULL,
    planned_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    ended_at INTEGER
) STRICT;
CREATE INDEX ask_due ON ask (expires_at) WHERE state = 'open';
CREATE INDEX ask_open ON ask (person) WHERE state = 'open';
CREATE INDEX ask_request ON ask (request, person, template);

-- The knowledge base. `id` is a word that people choose. A retired fact is kept and found no more.
CREATE TABLE kb (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    topic TEXT NOT NULL,
    text TEXT NOT NULL,
    source TEXT NOT NULL,
    reviewer TEXT NOT NULL,
    reviewed_at INTEGER NOT NULL,
    retired INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT;

-- How much there is of something, and how much of it is reserved: the sum of what is held.
CREATE TABLE capacity (
    tenant TEXT NOT NULL,
    key TEXT NOT NULL,
    total INTEGER NOT NULL,
    used INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, key)
) STRICT;

-- One row a call of `reserve`; `amount` is negative where it gave something back. `held` is what is
-- left of it: what a later call gave back is taken from the rows that held it.
CREATE TABLE reservation (
    call_id BLOB PRIMARY KEY,
    tenant TEXT NOT NULL,
    key TEXT NOT NULL,
    run_id BLOB NOT NULL,
    amount INTEGER NOT NULL,
    held INTEGER NOT NULL,
    reserved_at INTEGER NOT NULL
) STRICT;
CREATE INDEX reservation_held ON reservation (tenant, key, call_id) WHERE held > 0;
CREATE INDEX reservation_run ON reservation (run_id) WHERE held > 0;
