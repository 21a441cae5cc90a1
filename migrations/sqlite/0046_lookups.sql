-- Statements that look rows up by a value that is unique find them by it alone, whatever else is known of the table.

-- The messages that wait for a request. Only statements that name the state as this index does use it, so that it does not
-- compete with the index of the messages that are due.
-- contract: its successor holds the same rows
DROP INDEX outbox_part;
CREATE INDEX outbox_part ON outbox (partition_key) WHERE COALESCE(state, state) = 'queued';

-- The index of the messages that each tenant must apply tells also whether there are any.
-- contract: `inbound_open` holds the same rows
DROP INDEX inbound_next;

-- The contacts of a tenant.
CREATE INDEX contact_tenant ON contact (COALESCE(tenant, tenant));

-- A contact belongs to one tenant, and is found by its id alone.
CREATE INDEX contact_id ON contact (id);
