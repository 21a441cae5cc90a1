-- The operator: what was asked of it, layer by layer. A row of `classification` is written before its plan, and the
-- plan before its run starts, so that a process that takes over continues with the next layer.
CREATE TABLE classification (
    id UUID NOT NULL PRIMARY KEY,
    tenant TEXT NOT NULL,
    request_key TEXT,
    session TEXT,
    inbound UUID,
    person UUID,
    correlation UUID,
    message TEXT NOT NULL,
    context TEXT NOT NULL,
    mode TEXT NOT NULL,
    consented BIGINT NOT NULL,
    reading TEXT NOT NULL,
    intent TEXT NOT NULL,
    domain TEXT NOT NULL,
    risk TEXT NOT NULL,
    stage TEXT NOT NULL,
    due_at BIGINT,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX classification_key ON classification (tenant, request_key) WHERE request_key IS NOT NULL;
CREATE INDEX classification_session ON classification (tenant, session, id) WHERE session IS NOT NULL;
-- What is left to do: the next layer of a message whose process has died, and reports of runs that have ended.
CREATE INDEX classification_due ON classification (tenant, due_at) WHERE due_at IS NOT NULL;
CREATE TABLE run_plan (
    id UUID NOT NULL PRIMARY KEY,
    tenant TEXT NOT NULL,
    classification UUID NOT NULL REFERENCES classification (id),
    status TEXT NOT NULL,
    domain TEXT NOT NULL,
    risk TEXT NOT NULL,
    body TEXT NOT NULL,
    verdict TEXT NOT NULL,
    method TEXT,
    undoes UUID,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX run_plan_classification ON run_plan (classification);
CREATE INDEX run_plan_tenant ON run_plan (tenant, id);
