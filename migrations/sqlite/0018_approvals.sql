-- Approvals: what a call would do, who was asked, and what was decided. An approval serves one call with one
-- digest of arguments. While `state` is `pending`, the run `run_id` waits for the decision.
CREATE TABLE approval (
    id BLOB NOT NULL PRIMARY KEY,
    tenant TEXT NOT NULL,
    run_id BLOB NOT NULL,
    call_id BLOB NOT NULL,
    step_id TEXT NOT NULL,
    tool TEXT NOT NULL,
    risk TEXT NOT NULL,
    input BLOB NOT NULL,
    reason TEXT NOT NULL,
    shows TEXT NOT NULL,
    state TEXT NOT NULL,
    asked_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    decided_at INTEGER,
    decided_by TEXT,
    note TEXT
) STRICT;
CREATE INDEX approval_tenant ON approval (tenant, id);
CREATE INDEX approval_state ON approval (tenant, state, id);
CREATE INDEX approval_run ON approval (run_id) WHERE state = 'pending';
