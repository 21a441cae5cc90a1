-- Files that old rows left the database for, as JSON lines. `lines`, `bytes` and `digest` say how far the file belongs
-- to committed chunks: what follows in an open file is cut. `worker` writes the file until `lease_until`.
CREATE TABLE archive (
    id UUID NOT NULL PRIMARY KEY,
    tenant TEXT COLLATE "C" NOT NULL,
    path TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    lines BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    digest BYTEA NOT NULL,
    streams BIGINT NOT NULL,
    counts TEXT COLLATE "C" NOT NULL,
    runs_before BIGINT NOT NULL,
    messages_before BIGINT NOT NULL,
    events_before BIGINT NOT NULL,
    worker UUID,
    lease_until BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    sealed_at BIGINT
);
CREATE UNIQUE INDEX archive_open ON archive (tenant) WHERE state = 'open';
CREATE INDEX archive_list ON archive (tenant, id);

-- What has begun to leave for the open archive and has rows left: the next chunk continues with it.
CREATE TABLE leaving (
    tenant TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    id BYTEA NOT NULL,
    PRIMARY KEY (tenant, kind, id)
);

-- The last event of a stream that is in an archive, for streams of which later events stay.
CREATE TABLE chain_base (
    stream UUID NOT NULL PRIMARY KEY,
    seq BIGINT NOT NULL,
    hash BYTEA NOT NULL,
    archive UUID NOT NULL
);

-- What the audit remembers: `progress` of an audit that has not ended, and the `seal` of the last clean one.
CREATE TABLE seal (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    body TEXT COLLATE "C" NOT NULL,
    written_at BIGINT NOT NULL
);

-- Finds the ended runs of a request.
CREATE INDEX run_past ON run (partition_key) WHERE ended_at IS NOT NULL AND partition_key IS NOT NULL;
-- Finds what names a large value.
CREATE INDEX var_blob ON var (blob) WHERE blob IS NOT NULL;
CREATE INDEX undo_args ON undo (args);
-- Finds the key of a call.
CREATE INDEX tool_key_call ON tool_key (call_id);
