-- Calls of tools: which call was the first with its idempotency key, lists of receipts, and three views with
-- the columns that other tool registries have, for debugging by hand.

-- `input` is the digest of the arguments. `result` is missing while the first call is unfinished.
CREATE TABLE tool_key (
    tenant TEXT NOT NULL,
    tool TEXT NOT NULL,
    key TEXT NOT NULL,
    call_id BLOB NOT NULL,
    input BLOB NOT NULL,
    result TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, tool, key)
) STRICT;

-- Receipts of one tool; and those of calls that did not succeed, which are few. The steps of methods call verbs,
-- which have no dot in their names: their receipts are left out, for the index would cost each step a page.
CREATE INDEX ledger_tool ON ledger (tenant, tool, id) WHERE kind = 'receipt' AND tool LIKE '%.%';
CREATE INDEX ledger_unsuccessful ON ledger (tenant, status, id) WHERE kind = 'receipt' AND status <> 'succeeded';

CREATE VIEW core_tool_receipts AS
SELECT l.tenant AS tenant,
    substr(lower(hex(l.call_id)), 1, 8) || '-' || substr(lower(hex(l.call_id)), 9, 4) || '-'
        || substr(lower(hex(l.call_id)), 13, 4) || '-' || substr(lower(hex(l.call_id)), 17, 4) || '-'
        || substr(lower(hex(l.call_id)), 21) AS call_id,
    l.tool AS tool_name,
    l.status AS status,
    json_extract(l.body, '$.result') AS result,
    json_extract(l.body, '$.effects') AS effects,
    strftime('%Y-%m-%dT%H:%M:%fZ', l.at / 1000000.0, 'unixepoch') AS created_at
FROM ledger l WHERE l.kind = 'receipt';

CREATE VIEW core_tool_calls AS
SELECT l.tenant AS tenant,
    substr(lower(hex(l.call_id)), 1, 8) || '-' || substr(lower(hex(l.call_id)), 9, 4) || '-'
        || substr(lower(hex(l.call_id)), 13, 4) || '-' || substr(lower(hex(l.call_id)), 17, 4) || '-'
        || substr(lower(hex(l.call_id)), 21) AS id,
    l.tool AS tool_name,
    json_extract(l.body, '$.input') AS input,
    l.status AS status,
    json_extract(l.body, '$.error') AS error,
    json_extract(l.body, '$.idempotency_key') AS idempotency_key,
    json_extract(l.body, '$.started_at') AS claimed_at,
    NULL AS worker_id,
    strftime('%Y-%m-%dT%H:%M:%fZ', l.at / 1000000.0, 'unixepoch') AS created_at
FROM ledger l WHERE l.kind = 'receipt'
UNION ALL
SELECT r.tenant,
    substr(lower(hex(r.id)), 1, 8) || '-' || substr(lower(hex(r.id)), 9, 4) || '-'
        || substr(lower(hex(r.id)), 13, 4) || '-' || substr(lower(hex(r.id)), 17, 4) || '-'
        || substr(lower(hex(r.id)), 21),
    substr(r.method, 6),
    coalesce(v.value, b.bytes),
    CASE WHEN t.owner IS NULL THEN 'queued' ELSE 'running' END,
    NULL,
    json_extract(r.state, '$.outside_call.key'),
    NULL,
    lower(hex(t.owner)),
    strftime('%Y-%m-%dT%H:%M:%fZ', r.created_at / 1000000.0, 'unixepoch')
FROM run r
JOIN turn t ON t.run_id = r.id
LEFT JOIN var v ON v.run_id = r.id AND v.name = 'goal'
LEFT JOIN blob b ON b.digest = v.blob
WHERE r.ended_at IS NULL AND r.method LIKE 'call:%';

CREATE VIEW brain_runs AS
SELECT r.tenant AS tenant,
    substr(lower(hex(r.id)), 1, 8) || '-' || substr(lower(hex(r.id)), 9, 4) || '-'
        || substr(lower(hex(r.id)), 13, 4) || '-' || substr(lower(hex(r.id)), 17, 4) || '-'
        || substr(lower(hex(r.id)), 21) AS id,
    json_object('method', r.method, 'goal', json(coalesce(v.value, b.bytes))) AS request,
    json_object('outcome', r.outcome, 'error', json_extract(r.state, '$.error.message')) AS response,
    r.status AS status,
    strftime('%Y-%m-%dT%H:%M:%fZ', r.created_at / 1000000.0, 'unixepoch') AS created_at
FROM run r
LEFT JOIN var v ON v.run_id = r.id AND v.name = 'goal'
LEFT JOIN blob b ON b.digest = v.blob
WHERE r.parent IS NULL;

CREATE TRIGGER core_tool_calls_insert INSTEAD OF INSERT ON core_tool_calls BEGIN
    SELECT RAISE(ABORT, 'core_tool_calls is a view: call a tool with POST /v1/tools/{name}/calls or abide tools call'); END;
CREATE TRIGGER core_tool_receipts_insert INSTEAD OF INSERT ON core_tool_receipts BEGIN
    SELECT RAISE(ABORT, 'core_tool_receipts is a view: a receipt is written with its call'); END;
CREATE TRIGGER brain_runs_insert INSTEAD OF INSERT ON brain_runs BEGIN
    SELECT RAISE(ABORT, 'brain_runs is a view: start a run with POST /v1/runs or abide run start'); END;
