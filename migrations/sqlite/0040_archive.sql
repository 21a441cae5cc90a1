-- Files that old rows left the database for, as JSON lines. `lines`, `bytes` and `digest` say how far the file belongs
-- to committed chunks: what follows in an open file is cut. `worker` writes the file until `lease_until`.
CREATE TABLE archive (
    id BLOB NOT NULL PRIMARY KEY,
    tenant TEXT NOT NULL,
    path TEXT NOT NULL,
    state TEXT NOT NULL,
    lines INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    digest BLOB NOT NULL,
    streams INTEGER NOT NULL,
    counts TEXT NOT NULL,
    runs_before INTEGER NOT NULL,
    messages_before INTEGER NOT NULL,
    events_before INTEGER NOT NULL,
    worker BLOB,
    lease_until INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    sealed_at INTEGER
) STRICT;
CREATE UNIQUE INDEX archive_open ON archive (tenant) WHERE state = 'open';
CREATE INDEX archive_list ON archive (tenant, id);

-- What has begun to leave for the open archive and has rows left: the next chunk continues with it.
CREATE TABLE leaving (
    tenant TEXT NOT NULL,
    kind TEXT NOT NULL,
    id BLOB NOT NULL,
    PRIMARY KEY (tenant, kind, id)
) STRICT;

-- The last event of a stream that is in an archive, for streams of which later events stay.
CREATE TABLE chain_base (
    stream BLOB NOT NULL PRIMARY KEY,
    seq INTEGER NOT NULL,
    hash BLOB NOT NULL,
    archive BLOB NOT NULL
) STRICT;

-- What the audit remembers: `progress` of an audit that has not ended, and the `seal` of the last clean one.
CREATE TABLE seal (
    name TEXT NOT NULL PRIMARY KEY,
    body TEXT NOT NULL,
    written_at INTEGER NOT NULL
) STRICT;

-- Finds the ended runs of a request.
CREATE INDEX run_past ON run (partition_key) WHERE ended_at IS NOT NULL AND partition_key IS NOT NULL;
-- Finds what names a large value.
CREATE INDEX var_blob ON var (blob) WHERE blob IS NOT NULL;
CREATE INDEX undo_args ON undo (args);
-- Finds the key of a call.
CREATE INDEX tool_key_call ON tool_key (call_id);
