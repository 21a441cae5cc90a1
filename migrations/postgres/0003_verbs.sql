-- What the verbs keep that change targets, ask, look facts up and reserve capacity.
-- Times are microseconds since 1970 UTC, flags 0 or 1, ids UUIDv7 made by us.

-- A request with more places taken than its targets allow, while somebody sees to it: the run that
-- lowered a target, or staff, where no run is named. Gone once nobody is over, or the run has ended.
CREATE TABLE rebalance (
    request UUID PRIMARY KEY,
    run_id UUID,
    opened_at BIGINT NOT NULL
);
CREATE INDEX rebalance_run ON rebalance (run_id) WHERE run_id IS NOT NULL;

-- A question that a run asked one person. `about` is what it is about, in the words in which we ask
-- back; `gives` the role in which a yes gives a place. An answer is for one row; a row that has ended
-- stays so, and asking again is a new one. The run hears of the answer under the name `signal`.
CREATE TABLE ask (
    id UUID PRIMARY KEY,
    tenant TEXT COLLATE "C" NOT NULL,
    request UUID NOT NULL,
    person UUID NOT NULL,
    template TEXT COLLATE "C" NOT NULL,
    about TEXT COLLATE "C" NOT NULL,
    gives TEXT COLLATE "C",
    ordinal BIGINT NOT NULL,
    run_id UUID NOT NULL,
    signal TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    planned_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    ended_at BIGINT
);
CREATE INDEX ask_due ON ask (expires_at) WHERE state = 'open';
CREATE INDEX ask_open ON ask (person) WHERE state = 'open';
CREATE INDEX ask_request ON ask (request, person, template);

-- The knowledge base. `id` is a word that people choose. A retired fact is kept and found no more.
CREATE TABLE kb (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    topic TEXT COLLATE "C" NOT NULL,
    text TEXT COLLATE "C" NOT NULL,
    source TEXT COLLATE "C" NOT NULL,
    reviewer TEXT COLLATE "C" NOT NULL,
    reviewed_at BIGINT NOT NULL,
    retired BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);

-- How much there is of something, and how much of it is reserved: the sum of what is held.
CREATE TABLE capacity (
    tenant TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    total BIGINT NOT NULL,
    used BIGINT NOT NULL,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, key)
);

-- One row a call of `reserve`; `amount` is negative where it gave something back. `held` is what is
-- left of it: what a later call gave back is taken from the rows that held it.
CREATE TABLE reservation (
    call_id UUID PRIMARY KEY,
    tenant TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    run_id UUID NOT NULL,
    amount BIGINT NOT NULL,
    held BIGINT NOT NULL,
    reserved_at BIGINT NOT NULL
);
CREATE INDEX reservation_held ON reservation (tenant, key, call_id) WHERE held > 0;
CREATE INDEX reservation_run ON reservation (run_id) WHERE held > 0;
