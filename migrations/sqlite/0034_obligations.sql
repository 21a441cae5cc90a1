-- Obligations: what a text binds the agent to, and the facts from which it is answered, each with its source.
CREATE TABLE source (
    id BLOB NOT NULL PRIMARY KEY,
    tenant TEXT NOT NULL,
    kind TEXT NOT NULL,
    uri TEXT NOT NULL,
    info_jsonb TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX source_uri ON source (tenant, uri);
CREATE TABLE entity (
    id BLOB NOT NULL PRIMARY KEY,
    tenant TEXT NOT NULL,
    type TEXT NOT NULL,
    key TEXT NOT NULL,
    alias_jsonb TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX entity_key ON entity (tenant, type, key);
CREATE TABLE relation (
    id BLOB NOT NULL PRIMARY KEY,
    tenant TEXT NOT NULL,
    src_id BLOB NOT NULL REFERENCES entity (id),
    rel_type TEXT NOT NULL,
    dst_id BLOB NOT NULL REFERENCES entity (id),
    attrs_jsonb TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX relation_ends ON relation (tenant, src_id, rel_type, dst_id);
CREATE INDEX relation_type ON relation (tenant, rel_type, dst_id);
CREATE TABLE modifier (
    id BLOB NOT NULL PRIMARY KEY,
    tenant TEXT NOT NULL,
    target_kind TEXT NOT NULL,
    target_id BLOB NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    unit TEXT
) STRICT;
CREATE UNIQUE INDEX modifier_target ON modifier (tenant, target_id, key);
CREATE TABLE assertion (
    id BLOB NOT NULL PRIMARY KEY,
    tenant TEXT NOT NULL,
    subject_id BLOB NOT NULL REFERENCES entity (id),
    predicate TEXT NOT NULL,
    object TEXT NOT NULL,
    confidence REAL NOT NULL DEFAULT 1.0,
    valid_from INTEGER NOT NULL,
    valid_to INTEGER,
    source_id BLOB NOT NULL REFERENCES source (id)
) STRICT;
CREATE INDEX assertion_current ON assertion (tenant, subject_id, predicate) WHERE valid_to IS NULL;
-- A request: a text with the answer to it. `dialogue` is what the text bound the agent to, for the next text.
CREATE TABLE asked (
    id BLOB NOT NULL PRIMARY KEY,
    tenant TEXT NOT NULL,
    request_key TEXT,
    user_key TEXT NOT NULL,
    session TEXT NOT NULL,
    text TEXT NOT NULL,
    dialogue TEXT NOT NULL,
    answer TEXT,
    verified INTEGER NOT NULL,
    trace TEXT,
    created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX asked_key ON asked (tenant, request_key) WHERE request_key IS NOT NULL;
CREATE INDEX asked_session ON asked (tenant, user_key, session, id);
CREATE TABLE obligation (
    id BLOB NOT NULL PRIMARY KEY,
    tenant TEXT NOT NULL,
    kind TEXT NOT NULL,
    details_jsonb TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    resolved_at INTEGER,
    event_id BLOB NOT NULL REFERENCES asked (id)
) STRICT;
CREATE INDEX obligation_event ON obligation (event_id);
CREATE INDEX obligation_open ON obligation (tenant, id) WHERE status IN ('active', 'deferred');

-- The events and the calls of tools under the names of the design.
CREATE VIEW event AS
SELECT l.tenant AS tenant, l.id AS id, l.kind AS kind,
    strftime('%Y-%m-%dT%H:%M:%fZ', l.at / 1000000.0, 'unixepoch') AS at_time, l.body AS payload_jsonb
FROM ledger l;
CREATE VIEW tool_run AS
SELECT l.tenant AS tenant, l.call_id AS id, l.tool AS tool_name,
    json_extract(l.body, '$.input') AS inputs_jsonb, json_extract(l.body, '$.result') AS outputs_jsonb,
    l.status AS status,
    CAST(round((julianday(json_extract(l.body, '$.finished_at')) - julianday(json_extract(l.body, '$.started_at')))
        * 86400000) AS INTEGER) AS duration_ms,
    l.id AS event_id
FROM ledger l WHERE l.kind = 'receipt';
