-- Statements that look rows up by a value that is unique find them by it alone, whatever else is known of the table.

-- Finds people by their numbers. A contact belongs to one tenant.
-- contract: its successor finds the same rows
DROP INDEX person_contact;
CREATE INDEX person_contact ON person (contact);

-- What is open of a person. Only statements that name the state as these indexes do use them, so that they do not compete with
-- the indexes of what is due.
-- contract: its successor holds the same rows
DROP INDEX offer_open;
CREATE INDEX offer_open ON offer (person, request) WHERE COALESCE(state, state) = 'pending';
-- contract: its successor holds the same rows
DROP INDEX ask_open;
CREATE INDEX ask_open ON ask (person) WHERE COALESCE(state, state) = 'open';
