-- Obligations: what a text binds the agent to, and the facts from which it is answered, each with its source.
CREATE TABLE source (
    id UUID NOT NULL PRIMARY KEY,
    tenant TEXT NOT NULL,
    kind TEXT NOT NULL,
    uri TEXT NOT NULL,
    info_jsonb TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX source_uri ON source (tenant, uri);
CREATE TABLE entity (
    id UUID NOT NULL PRIMARY KEY,
    tenant TEXT NOT NULL,
    type TEXT NOT NULL,
    key TEXT NOT NULL,
    alias_jsonb TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX entity_key ON entity (tenant, type, key);
CREATE TABLE relation (
    id UUID NOT NULL PRIMARY KEY,
    tenant TEXT NOT NULL,
    src_id UUID NOT NULL REFERENCES entity (id),
    rel_type TEXT NOT NULL,
    dst_id UUID NOT NULL REFERENCES entity (id),
    attrs_jsonb TEXT NOT NULL
);
CREATE UNIQUE INDEX relation_ends ON relation (tenant, src_id, rel_type, dst_id);
CREATE INDEX relation_type ON relation (tenant, rel_type, dst_id);
CREATE TABLE modifier (
    id UUID NOT NULL PRIMARY KEY,
    tenant TEXT NOT NULL,
    target_kind TEXT NOT NULL,
    target_id UUID NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    unit TEXT
);
CREATE UNIQUE INDEX modifier_target ON modifier (tenant, target_id, key);
CREATE TABLE assertion (
    id UUID NOT NULL PRIMARY KEY,
    tenant TEXT NOT NULL,
    subject_id UUID NOT NULL REFERENCES entity (id),
    predicate TEXT NOT NULL,
    object TEXT NOT NULL,
    confidence DOUBLE PRECISION NOT NULL DEFAULT 1.0,
    valid_from BIGINT NOT NULL,
    valid_to BIGINT,
    source_id UUID NOT NULL REFERENCES source (id)
);
CREATE INDEX assertion_current ON assertion (tenant, subject_id, predicate) WHERE valid_to IS NULL;
-- A request: a text with the answer to it. `dialogue` is what the text bound the agent to, for the next text.
CREATE TABLE asked (
    id UUID NOT NULL PRIMARY KEY,
    tenant TEXT NOT NULL,
    request_key TEXT,
    user_key TEXT NOT NULL,
    session TEXT NOT NULL,
    text TEXT NOT NULL,
    dialogue TEXT NOT NULL,
    answer TEXT,
    verified BIGINT NOT NULL,
    trace TEXT,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX asked_key ON asked (tenant, request_key) WHERE request_key IS NOT NULL;
CREATE INDEX asked_session ON asked (tenant, user_key, session, id);
CREATE TABLE obligation (
    id UUID NOT NULL PRIMARY KEY,
    tenant TEXT NOT NULL,
    kind TEXT NOT NULL,
    details_jsonb TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    resolved_at BIGINT,
    event_id UUID NOT NULL REFERENCES asked (id)
);
CREATE INDEX obligation_event ON obligation (event_id);
CREATE INDEX obligation_open ON obligation (tenant, id) WHERE status IN ('active', 'deferred');

-- The events and the calls of tools under the names of the design.
CREATE VIEW event AS
SELECT l.tenant, l.id, l.kind, to_timestamp(l.at / 1000000.0) AS at_time, l.body::jsonb AS payload_jsonb
FROM ledger l;
CREATE VIEW tool_run AS
SELECT l.tenant, l.call_id AS id, l.tool AS tool_name,
    l.body::jsonb -> 'input' AS inputs_jsonb, l.body::jsonb -> 'result' AS outputs_jsonb, l.status,
    CAST(round(1000 * extract(epoch FROM CAST(l.body::jsonb ->> 'finished_at' AS timestamptz)
        - CAST(l.body::jsonb ->> 'started_at' AS timestamptz))) AS bigint) AS duration_ms,
    l.id AS event_id
FROM ledger l WHERE l.kind = 'receipt';
