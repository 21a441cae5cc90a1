-- What the limits on unasked texts count, how often a sender opted in, and the list of all that is in the
-- inbox of staff.
-- Flags are 0 or 1.

-- 1 where nobody asked for the message: an invitation, a reminder, a question, a broadcast.
ALTER TABLE outbox ADD COLUMN unasked INTEGER NOT NULL DEFAULT 0;
CREATE INDEX outbox_to_person ON outbox (person, not_before) WHERE unasked = 1;
CREATE INDEX outbox_pace ON outbox (tenant, not_before) WHERE unasked = 1;

-- `inbox_open` has the open ones alone.
CREATE INDEX inbox_list ON inbox (tenant, message);

-- Each consent of a sender begins a new count of what is said once.
CREATE INDEX inbound_opt_in ON inbound (tenant, sender) WHERE handled_as = 'opt_in';
