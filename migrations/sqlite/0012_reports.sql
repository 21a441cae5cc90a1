-- Delivery reports find their message, and whoever reads the event log page by page misses nothing.

-- A provider that does not keep our ids names a message by its own.
CREATE INDEX outbox_provider_ref ON outbox (tenant, provider_ref) WHERE provider_ref IS NOT NULL;

-- The place of an event in the order of commits, which is not that of ids. Here one process writes: the rows
-- themselves stand in that order, and the column is what a server needs.
ALTER TABLE ledger ADD COLUMN pos INTEGER NOT NULL DEFAULT 0;
