-- Lists of a tenant's rows are read through an index whatever their filter. The indexes that end in
-- `COALESCE(id, id)` hold the id as an expression: only a statement that names the expression uses them, and it cannot use
-- the primary key. So a database chooses the same index with and without statistics.

-- Runs of a tenant: all of them, and those of a method with a status.
-- contract: its successor holds the same rows
DROP INDEX run_list;
CREATE INDEX run_list ON run (tenant, COALESCE(id, id));
CREATE INDEX run_found ON run (tenant, method, status, COALESCE(id, id)) WHERE branch = 0;
CREATE INDEX run_shadow ON run (tenant, COALESCE(id, id)) WHERE shadow = 1 AND parent IS NULL;
-- contract: its successor holds the same rows
DROP INDEX run_bundle;
CREATE INDEX run_bundle ON run (bundle, COALESCE(id, id)) WHERE ended_at IS NULL;

-- The timers of a tenant, its overdue runs, and those that no running process can continue.
CREATE INDEX turn_timer ON turn (tenant, due_at) WHERE owner IS NULL AND held = 0 AND due_at IS NOT NULL;
CREATE INDEX turn_late ON turn (tenant, expected_by) WHERE held = 0 AND expected_by IS NOT NULL;
-- contract: its successor holds the same rows, by tenant
DROP INDEX turn_stuck;
CREATE INDEX turn_stuck ON turn (tenant, run_id) WHERE stuck_on IS NOT NULL;

-- Messages of a tenant: all of them, those of a number, of a request and of a run.
-- contract: its successor holds the same rows
DROP INDEX outbox_list;
CREATE INDEX outbox_list ON outbox (COALESCE(tenant, tenant), COALESCE(id, id));
-- contract: its successor holds the same rows
DROP INDEX outbox_thread;
CREATE INDEX outbox_thread ON outbox (contact, tenant, COALESCE(id, id));
CREATE INDEX outbox_request ON outbox (COALESCE(partition_key, partition_key), COALESCE(id, id))
    WHERE partition_key IS NOT NULL;
-- contract: its successor holds the same rows
DROP INDEX outbox_of_run;
CREATE INDEX outbox_of_run ON outbox (run_id, COALESCE(id, id)) WHERE run_id IS NOT NULL;
-- contract: its successor holds the same rows
DROP INDEX inbound_list;
CREATE INDEX inbound_list ON inbound (COALESCE(tenant, tenant), COALESCE(id, id));
-- contract: its successor holds the same rows
DROP INDEX inbound_thread;
CREATE INDEX inbound_thread ON inbound (sender, tenant, COALESCE(id, id));
CREATE INDEX inbound_request ON inbound (partition_key, COALESCE(id, id)) WHERE partition_key IS NOT NULL;
CREATE INDEX inbound_run ON inbound (run_id, COALESCE(id, id)) WHERE run_id IS NOT NULL;

-- Requests of a tenant: all of them, those with a status, and those of a campus.
-- contract: its successor holds the same rows
DROP INDEX request_list;
CREATE INDEX request_list ON request (tenant, COALESCE(id, id));
CREATE INDEX request_status ON request (tenant, status, COALESCE(id, id));
CREATE INDEX request_campus ON request (tenant, campus, COALESCE(id, id));

-- People of a tenant: all of them, those of a campus, and those who can be asked in the order of their last places.
-- contract: its successor holds the same rows
DROP INDEX person_list;
CREATE INDEX person_list ON person (tenant, COALESCE(id, id));
CREATE INDEX person_campus ON person (tenant, campus, COALESCE(id, id));
CREATE INDEX person_placed ON person (tenant, active, placed_at, COALESCE(id, id));
