-- The durable core: who may work when (turn), where each run stands (run, var), what happened
-- (ledger), what came in (inbound, signal), what goes out (outbox), and the locks they share.
-- Times are microseconds since 1970 UTC, flags 0 or 1, ids UUIDv7 made by us.

CREATE TABLE meta (k TEXT PRIMARY KEY, v TEXT NOT NULL) STRICT;

-- Changed by admin commands only; its ledger stream is the partition_head row `stream`.
CREATE TABLE tenant (
    id TEXT PRIMARY KEY,
    paused INTEGER NOT NULL,
    shadow INTEGER NOT NULL,
    policy TEXT NOT NULL,
    stream BLOB NOT NULL
) STRICT;

CREATE TABLE budget (
    tenant TEXT NOT NULL,
    period_from INTEGER NOT NULL,
    used INTEGER NOT NULL,
    PRIMARY KEY (tenant, period_from)
) STRICT;

-- One process that drives runs; its lease is by the database's clock.
CREATE TABLE node (
    id BLOB PRIMARY KEY,
    name TEXT NOT NULL,
    build TEXT NOT NULL,
    lease_until INTEGER NOT NULL,
    dead INTEGER NOT NULL
) STRICT;

-- Texts by digest: methods, templates, contracts, and bundles that name them for a run.
CREATE TABLE definition (
    digest BLOB PRIMARY KEY,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    body TEXT NOT NULL,
    graph TEXT,
    graph_v INTEGER,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE method_version (
    tenant TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    bundle BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, name, version)
) STRICT;
CREATE UNIQUE INDEX method_version_bundle ON method_version (tenant, name, bundle);

-- The head of a run: written by its owner only, at every step.
CREATE TABLE run (
    id BLOB PRIMARY KEY,
    tenant TEXT NOT NULL,
    partition_key BLOB,
    bundle BLOB NOT NULL,
    method TEXT NOT NULL,
    method_version INTEGER NOT NULL,
    campaign INTEGER NOT NULL,
    shadow INTEGER NOT NULL,
    parent BLOB,
    parent_call BLOB,
    ordinal INTEGER NOT NULL,
    branch INTEGER NOT NULL,
    start_key TEXT,
    status TEXT NOT NULL,
    outcome TEXT,
    seq INTEGER NOT NULL,
    state_v INTEGER NOT NULL,
    state TEXT NOT NULL,
    last_hash BLOB NOT NULL,
    last_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    ended_at INTEGER
) STRICT;
CREATE INDEX run_child ON run (parent, parent_call, ordinal) WHERE parent IS NOT NULL;
CREATE INDEX run_part ON run (partition_key, id) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX run_start ON run (tenant, start_key) WHERE start_key IS NOT NULL;
CREATE INDEX run_list ON run (tenant, id);

-- Who may work on a live run, and when. Anyone may wake it: wake + 1, due now.
CREATE TABLE turn (
    run_id BLOB PRIMARY KEY,
    tenant TEXT NOT NULL,
    held INTEGER NOT NULL,
    owner BLOB,
    epoch INTEGER NOT NULL,
    wake INTEGER NOT NULL,
    claims INTEGER NOT NULL,
    due_at INTEGER,
    expected_by INTEGER,
    stuck_on TEXT
) STRICT;
CREATE INDEX turn_due ON turn (due_at, run_id) WHERE owner IS NULL AND held = 0 AND due_at IS NOT NULL;
CREATE INDEX turn_owner ON turn (owner) WHERE owner IS NOT NULL;
CREATE INDEX turn_held ON turn (tenant, run_id) WHERE held = 1;

CREATE TABLE var (
    run_id BLOB NOT NULL,
    name TEXT NOT NULL,
    value TEXT,
    blob BLOB,
    PRIMARY KEY (run_id, name)
) STRICT;

-- Calls that can be undone, the stack of a run: walked down when it fails or is cancelled.
CREATE TABLE undo (
    run_id BLOB NOT NULL,
    pos INTEGER NOT NULL,
    node INTEGER NOT NULL,
    args BLOB NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (run_id, pos)
) STRICT;

-- Large values, once, by digest.
CREATE TABLE blob (digest BLOB PRIMARY KEY, bytes TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT;

-- Personal data that can be erased: the ledger holds only a salted digest of it.
CREATE TABLE pii (id BLOB PRIMARY KEY, salt BLOB, value TEXT) STRICT;

-- A number we write to or hear from, by keyed digest, and whether it opted out.
CREATE TABLE contact (
    tenant TEXT NOT NULL,
    id BLOB NOT NULL,
    phone BLOB NOT NULL,
    suppressed INTEGER NOT NULL,
    reason TEXT,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT;

-- Append only, in order of time, never clustered by run: one page a batch is dirty, not one a run.
CREATE TABLE ledger (
    id BLOB NOT NULL,
    stream BLOB NOT NULL,
    seq INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    kind TEXT NOT NULL,
    at INTEGER NOT NULL,
    run_id BLOB,
    call_id BLOB,
    tool TEXT,
    status TEXT,
    body TEXT NOT NULL,
    hash BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX ledger_stream ON ledger (stream, seq);
CREATE UNIQUE INDEX ledger_receipt ON ledger (call_id) WHERE kind = 'receipt';
CREATE INDEX ledger_tenant ON ledger (tenant, id);

-- Messages from outside to a run: cancel, pause, resume, retry, and named ones.
CREATE TABLE signal (
    run_id BLOB NOT NULL,
    id BLOB NOT NULL,
    kind TEXT NOT NULL,
    name TEXT,
    dedupe TEXT,
    payload TEXT NOT NULL,
    at INTEGER NOT NULL,
    consumed_seq INTEGER,
    PRIMARY KEY (run_id, id)
) STRICT;
CREATE UNIQUE INDEX signal_dedupe ON signal (run_id, kind, dedupe) WHERE dedupe IS NOT NULL;

-- The lock row of a request (or of a tenant's own stream): order, chain, campaigns.
CREATE TABLE partition_head (
    key BLOB PRIMARY KEY,
    tenant TEXT NOT NULL,
    next_ord INTEGER NOT NULL,
    campaigns INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    last_hash BLOB NOT NULL
) STRICT;

-- What a waiting run waits for: a selector, never a list.
CREATE TABLE wait (
    run_id BLOB NOT NULL,
    frame TEXT NOT NULL,
    partition_key BLOB NOT NULL,
    yes_cell TEXT NOT NULL,
    open_cells TEXT NOT NULL,
    need INTEGER NOT NULL,
    PRIMARY KEY (run_id, frame)
) STRICT;
CREATE INDEX wait_partition ON wait (partition_key);

-- Counts that change with each reply, so that 10,000 offers cost no scan.
CREATE TABLE tally (
    partition_key BLOB NOT NULL,
    cell TEXT NOT NULL,
    open INTEGER NOT NULL,
    yes INTEGER NOT NULL,
    no INTEGER NOT NULL,
    gone INTEGER NOT NULL,
    PRIMARY KEY (partition_key, cell)
) STRICT;

-- Stored before it is acknowledged, deduplicated by the gateway's id, then interpreted and applied.
CREATE TABLE inbound (
    id BLOB PRIMARY KEY,
    tenant TEXT NOT NULL,
    gateway TEXT NOT NULL,
    provider_id TEXT NOT NULL,
    sender BLOB NOT NULL,
    recipient TEXT NOT NULL,
    body BLOB NOT NULL,
    carrier_word TEXT,
    received_at INTEGER NOT NULL,
    stored_at INTEGER NOT NULL,
    partition_key BLOB,
    ord INTEGER,
    run_id BLOB,
    applied_at INTEGER,
    handled_as TEXT
) STRICT;
CREATE UNIQUE INDEX inbound_provider ON inbound (tenant, gateway, provider_id);
CREATE INDEX inbound_open ON inbound (tenant, received_at, provider_id) WHERE applied_at IS NULL;
CREATE INDEX inbound_next ON inbound (received_at, provider_id) WHERE applied_at IS NULL;
CREATE INDEX inbound_list ON inbound (tenant, id);

-- Every text that leaves, from the moment it is decided.
CREATE TABLE outbox (
    id BLOB PRIMARY KEY,
    tenant TEXT NOT NULL,
    key TEXT NOT NULL,
    partition_key BLOB,
    run_id BLOB,
    call_id BLOB,
    kind TEXT NOT NULL,
    contact BLOB NOT NULL,
    person BLOB,
    body BLOB NOT NULL,
    segments INTEGER NOT NULL,
    cause_kind TEXT NOT NULL,
    cause_id BLOB,
    not_before INTEGER NOT NULL,
    not_after INTEGER,
    state TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    start_by INTEGER,
    deadline INTEGER,
    provider_ref TEXT,
    error TEXT,
    created_at INTEGER NOT NULL,
    sent_at INTEGER
) STRICT;
CREATE UNIQUE INDEX outbox_key ON outbox (tenant, key);
CREATE INDEX outbox_queued ON outbox (not_before, id) WHERE state = 'queued';
CREATE INDEX outbox_sending ON outbox (deadline, id) WHERE state = 'sending';
CREATE INDEX outbox_part ON outbox (partition_key) WHERE state = 'queued';
CREATE INDEX outbox_run ON outbox (run_id, not_before) WHERE call_id IS NOT NULL;
CREATE INDEX outbox_list ON outbox (tenant, id);

-- Answers of mutating HTTP requests, by their Idempotency-Key, kept in the commit of what they did.
CREATE TABLE http_key (
    tenant TEXT NOT NULL,
    key TEXT NOT NULL,
    body_hash BLOB NOT NULL,
    status INTEGER NOT NULL,
    answer TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, key)
) STRICT;
CREATE INDEX http_key_expiry ON http_key (expires_at);
