-- The durable core: who may work when (turn), where each run stands (run, var), what happened
-- (ledger), what came in (inbound, signal), what goes out (outbox), and the locks they share.
-- Times are microseconds since 1970 UTC, flags 0 or 1, ids UUIDv7 made by us.

CREATE TABLE meta (k TEXT COLLATE "C" PRIMARY KEY, v TEXT COLLATE "C" NOT NULL);

-- Changed by admin commands only; its ledger stream is the partition_head row `stream`.
CREATE TABLE tenant (
    id TEXT COLLATE "C" PRIMARY KEY,
    paused BIGINT NOT NULL,
    shadow BIGINT NOT NULL,
    policy TEXT COLLATE "C" NOT NULL,
    stream UUID NOT NULL
);

CREATE TABLE budget (
    tenant TEXT COLLATE "C" NOT NULL,
    period_from BIGINT NOT NULL,
    used BIGINT NOT NULL,
    PRIMARY KEY (tenant, period_from)
);

-- One process that drives runs; its lease is by the database's clock.
CREATE TABLE node (
    id UUID PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    build TEXT COLLATE "C" NOT NULL,
    lease_until BIGINT NOT NULL,
    dead BIGINT NOT NULL
);

-- Texts by digest: methods, templates, contracts, and bundles that name them for a run.
CREATE TABLE definition (
    digest BYTEA PRIMARY KEY,
    kind TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    body TEXT COLLATE "C" NOT NULL,
    graph TEXT COLLATE "C",
    graph_v BIGINT,
    created_at BIGINT NOT NULL
);

CREATE TABLE method_version (
    tenant TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    bundle BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, name, version)
);
CREATE UNIQUE INDEX method_version_bundle ON method_version (tenant, name, bundle);

-- The head of a run: written by its owner only, at every step.
CREATE TABLE run (
    id UUID PRIMARY KEY,
    tenant TEXT COLLATE "C" NOT NULL,
    partition_key UUID,
    bundle BYTEA NOT NULL,
    method TEXT COLLATE "C" NOT NULL,
    method_version BIGINT NOT NULL,
    campaign BIGINT NOT NULL,
    shadow BIGINT NOT NULL,
    parent UUID,
    parent_call UUID,
    ordinal BIGINT NOT NULL,
    branch BIGINT NOT NULL,
    start_key TEXT COLLATE "C",
    status TEXT COLLATE "C" NOT NULL,
    outcome TEXT COLLATE "C",
    seq BIGINT NOT NULL,
    state_v BIGINT NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    last_hash BYTEA NOT NULL,
    last_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    ended_at BIGINT
) WITH (fillfactor = 70);
CREATE INDEX run_child ON run (parent, parent_call, ordinal) WHERE parent IS NOT NULL;
CREATE INDEX run_part ON run (partition_key, id) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX run_start ON run (tenant, start_key) WHERE start_key IS NOT NULL;
CREATE INDEX run_list ON run (tenant, id);

-- Who may work on a live run, and when. Anyone may wake it: wake + 1, due now.
CREATE TABLE turn (
    run_id UUID PRIMARY KEY,
    tenant TEXT COLLATE "C" NOT NULL,
    held BIGINT NOT NULL,
    owner UUID,
    epoch BIGINT NOT NULL,
    wake BIGINT NOT NULL,
    claims BIGINT NOT NULL,
    due_at BIGINT,
    expected_by BIGINT,
    stuck_on TEXT COLLATE "C"
) WITH (fillfactor = 70);
CREATE INDEX turn_due ON turn (due_at, run_id) WHERE owner IS NULL AND held = 0 AND due_at IS NOT NULL;
CREATE INDEX turn_owner ON turn (owner) WHERE owner IS NOT NULL;
CREATE INDEX turn_held ON turn (tenant, run_id) WHERE held = 1;

CREATE TABLE var (
    run_id UUID NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    value TEXT COLLATE "C",
    blob BYTEA,
    PRIMARY KEY (run_id, name)
);

-- Calls that can be undone, the stack of a run: walked down when it fails or is cancelled.
CREATE TABLE undo (
    run_id UUID NOT NULL,
    pos BIGINT NOT NULL,
    node BIGINT NOT NULL,
    args BYTEA NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (run_id, pos)
);

-- Large values, once, by digest.
CREATE TABLE blob (digest BYTEA PRIMARY KEY, bytes TEXT COLLATE "C" NOT NULL, created_at BIGINT NOT NULL);

-- Personal data that can be erased: the ledger holds only a salted digest of it.
CREATE TABLE pii (id UUID PRIMARY KEY, salt BYTEA, value TEXT COLLATE "C");

-- A number we write to or hear from, by keyed digest, and whether it opted out.
CREATE TABLE contact (
    tenant TEXT COLLATE "C" NOT NULL,
    id BYTEA NOT NULL,
    phone UUID NOT NULL,
    suppressed BIGINT NOT NULL,
    reason TEXT COLLATE "C",
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);

-- Append only, in order of time, never clustered by run: one page a batch is dirty, not one a run.
CREATE TABLE ledger (
    id UUID NOT NULL,
    stream UUID NOT NULL,
    seq BIGINT NOT NULL,
    tenant TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    run_id UUID,
    call_id UUID,
    tool TEXT COLLATE "C",
    status TEXT COLLATE "C",
    body TEXT COLLATE "C" NOT NULL,
    hash BYTEA NOT NULL
);
CREATE UNIQUE INDEX ledger_stream ON ledger (stream, seq);
CREATE UNIQUE INDEX ledger_receipt ON ledger (call_id) WHERE kind = 'receipt';
CREATE INDEX ledger_tenant ON ledger (tenant, id);

-- Messages from outside to a run: cancel, pause, resume, retry, and named ones.
CREATE TABLE signal (
    run_id UUID NOT NULL,
    id UUID NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C",
    dedupe TEXT COLLATE "C",
    payload TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    consumed_seq BIGINT,
    PRIMARY KEY (run_id, id)
);
CREATE UNIQUE INDEX signal_dedupe ON signal (run_id, kind, dedupe) WHERE dedupe IS NOT NULL;

-- The lock row of a request (or of a tenant's own stream): order, chain, campaigns.
CREATE TABLE partition_head (
    key UUID PRIMARY KEY,
    tenant TEXT COLLATE "C" NOT NULL,
    next_ord BIGINT NOT NULL,
    campaigns BIGINT NOT NULL,
    seq BIGINT NOT NULL,
    last_hash BYTEA NOT NULL
) WITH (fillfactor = 70);

-- What a waiting run waits for: a selector, never a list.
CREATE TABLE wait (
    run_id UUID NOT NULL,
    frame TEXT COLLATE "C" NOT NULL,
    partition_key UUID NOT NULL,
    yes_cell TEXT COLLATE "C" NOT NULL,
    open_cells TEXT COLLATE "C" NOT NULL,
    need BIGINT NOT NULL,
    PRIMARY KEY (run_id, frame)
);
CREATE INDEX wait_partition ON wait (partition_key);

-- Counts that change with each reply, so that 10,000 offers cost no scan.
CREATE TABLE tally (
    partition_key UUID NOT NULL,
    cell TEXT COLLATE "C" NOT NULL,
    open BIGINT NOT NULL,
    yes BIGINT NOT NULL,
    no BIGINT NOT NULL,
    gone BIGINT NOT NULL,
    PRIMARY KEY (partition_key, cell)
) WITH (fillfactor = 70);

-- Stored before it is acknowledged, deduplicated by the gateway's id, then interpreted and applied.
CREATE TABLE inbound (
    id UUID PRIMARY KEY,
    tenant TEXT COLLATE "C" NOT NULL,
    gateway TEXT COLLATE "C" NOT NULL,
    provider_id TEXT COLLATE "C" NOT NULL,
    sender BYTEA NOT NULL,
    recipient TEXT COLLATE "C" NOT NULL,
    body UUID NOT NULL,
    carrier_word TEXT COLLATE "C",
    received_at BIGINT NOT NULL,
    stored_at BIGINT NOT NULL,
    partition_key UUID,
    ord BIGINT,
    run_id UUID,
    applied_at BIGINT,
    handled_as TEXT COLLATE "C"
);
CREATE UNIQUE INDEX inbound_provider ON inbound (tenant, gateway, provider_id);
CREATE INDEX inbound_open ON inbound (tenant, received_at, provider_id) WHERE applied_at IS NULL;
CREATE INDEX inbound_next ON inbound (received_at, provider_id) WHERE applied_at IS NULL;
CREATE INDEX inbound_list ON inbound (tenant, id);

-- Every text that leaves, from the moment it is decided.
CREATE TABLE outbox (
    id UUID PRIMARY KEY,
    tenant TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    partition_key UUID,
    run_id UUID,
    call_id UUID,
    kind TEXT COLLATE "C" NOT NULL,
    contact BYTEA NOT NULL,
    person UUID,
    body UUID NOT NULL,
    segments BIGINT NOT NULL,
    cause_kind TEXT COLLATE "C" NOT NULL,
    cause_id UUID,
    not_before BIGINT NOT NULL,
    not_after BIGINT,
    state TEXT COLLATE "C" NOT NULL,
    attempt BIGINT NOT NULL,
    start_by BIGINT,
    deadline BIGINT,
    provider_ref TEXT COLLATE "C",
    error TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    sent_at BIGINT
);
CREATE UNIQUE INDEX outbox_key ON outbox (tenant, key);
CREATE INDEX outbox_queued ON outbox (not_before, id) WHERE state = 'queued';
CREATE INDEX outbox_sending ON outbox (deadline, id) WHERE state = 'sending';
CREATE INDEX outbox_part ON outbox (partition_key) WHERE state = 'queued';
CREATE INDEX outbox_run ON outbox (run_id, not_before) WHERE call_id IS NOT NULL;
CREATE INDEX outbox_list ON outbox (tenant, id);

-- Answers of mutating HTTP requests, by their Idempotency-Key, kept in the commit of what they did.
CREATE TABLE http_key (
    tenant TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    body_hash BYTEA NOT NULL,
    status BIGINT NOT NULL,
    answer TEXT COLLATE "C" NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, key)
);
CREATE INDEX http_key_expiry ON http_key (expires_at);
