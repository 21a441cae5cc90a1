-- An index of the rows in one state that begins with the tenant, or with the recipient, has a condition of its own: its
-- statements name the state in the same way, and no other statement can use it. Two indexes with the same condition compete when
-- few rows are in that state, and a server then reads the wrong one whole.
-- contract: its successor holds the same rows
DROP INDEX offer_due;
CREATE INDEX offer_due ON offer (tenant, expires_at) WHERE COALESCE(state, tenant) = 'pending';
-- contract: its successor holds the same rows
DROP INDEX offer_told;
CREATE INDEX offer_told ON offer (tenant, request) WHERE COALESCE(notice, notice) = 1;
-- contract: its successor holds the same rows
DROP INDEX outbox_recipient;
CREATE INDEX outbox_recipient ON outbox (tenant, contact) WHERE COALESCE(state, state) = 'sending';
-- contract: its successor holds the same rows
DROP INDEX outbox_pace;
CREATE INDEX outbox_pace ON outbox (tenant, not_before) WHERE COALESCE(unasked, unasked) = 1;
