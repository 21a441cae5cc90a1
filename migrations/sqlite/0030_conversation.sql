-- What was written between a number and us, the newest first.
CREATE INDEX inbound_thread ON inbound (tenant, sender, id);
CREATE INDEX outbox_thread ON outbox (tenant, contact, id);
