-- Calls of tools: which call was the first with its idempotency key, lists of receipts, and three views with
-- the columns that other tool registries have, for debugging by hand.

-- `input` is the digest of the arguments. `result` is missing while the first call is unfinished.
CREATE TABLE tool_key (
    tenant TEXT NOT NULL,
    tool TEXT NOT NULL,
    key TEXT NOT NULL,
    call_id UUID NOT NULL,
    input BYTEA NOT NULL,
    result TEXT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, tool, key)
);

-- Receipts of one tool; and those of calls that did not succeed, which are few. The steps of methods call verbs,
-- which have no dot in their names: their receipts are left out, for the index would cost each step a page.
CREATE INDEX ledger_tool ON ledger (tenant, tool, id) WHERE kind = 'receipt' AND tool LIKE '%.%';
CREATE INDEX ledger_unsuccessful ON ledger (tenant, status, id) WHERE kind = 'receipt' AND status <> 'succeeded';

CREATE VIEW core_tool_receipts AS
SELECT l.tenant, l.call_id, l.tool AS tool_name, l.status,
    l.body::jsonb -> 'result' AS result,
    l.body::jsonb -> 'effects' AS effects,
    to_timestamp(l.at / 1000000.0) AS created_at
FROM ledger l WHERE l.kind = 'receipt';

CREATE VIEW core_tool_calls AS
SELECT l.tenant, l.call_id AS id, l.tool AS tool_name,
    l.body::jsonb -> 'input' AS input,
    l.status,
    l.body::jsonb -> 'error' AS error,
    l.body::jsonb ->> 'idempotency_key' AS idempotency_key,
    CAST(l.body::jsonb ->> 'started_at' AS timestamptz) AS claimed_at,
    NULL::text AS worker_id,
    to_timestamp(l.at / 1000000.0) AS created_at
FROM ledger l WHERE l.kind = 'receipt'
UNION ALL
SELECT r.tenant, r.id, substr(r.method, 6),
    coalesce(v.value, b.bytes)::jsonb,
    CASE WHEN t.owner IS NULL THEN 'queued' ELSE 'running' END,
    NULL,
    r.state::jsonb -> 'outside_call' ->> 'key',
    NULL,
    t.owner::text,
    to_timestamp(r.created_at / 1000000.0)
FROM run r
JOIN turn t ON t.run_id = r.id
LEFT JOIN var v ON v.run_id = r.id AND v.name = 'goal'
LEFT JOIN blob b ON b.digest = v.blob
WHERE r.ended_at IS NULL AND r.method LIKE 'call:%';

CREATE VIEW brain_runs AS
SELECT r.tenant, r.id,
    jsonb_build_object('method', r.method, 'goal', coalesce(v.value, b.bytes)::jsonb) AS request,
    jsonb_build_object('outcome', r.outcome, 'error', r.state::jsonb -> 'error' ->> 'message') AS response,
    r.status,
    to_timestamp(r.created_at / 1000000.0) AS created_at
FROM run r
LEFT JOIN var v ON v.run_id = r.id AND v.name = 'goal'
LEFT JOIN blob b ON b.digest = v.blob
WHERE r.parent IS NULL;

CREATE FUNCTION refuse_insert_into_view() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION '% is a view', TG_TABLE_NAME USING HINT = TG_ARGV[0]; END $$;
CREATE TRIGGER core_tool_calls_insert INSTEAD OF INSERT ON core_tool_calls FOR EACH ROW
    EXECUTE FUNCTION refuse_insert_into_view('call a tool with POST /v1/tools/{name}/calls or abide tools call');
CREATE TRIGGER core_tool_receipts_insert INSTEAD OF INSERT ON core_tool_receipts FOR EACH ROW
    EXECUTE FUNCTION refuse_insert_into_view('a receipt is written with its call');
CREATE TRIGGER brain_runs_insert INSTEAD OF INSERT ON brain_runs FOR EACH ROW
    EXECUTE FUNCTION refuse_insert_into_view('start a run with POST /v1/runs or abide run start');
