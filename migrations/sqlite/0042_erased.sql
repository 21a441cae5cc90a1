-- When a person was erased. The row stays, because requests count the person by it.
ALTER TABLE person ADD COLUMN erased_at INTEGER;
-- What a person was asked, for the record that they may ask for.
CREATE INDEX ask_person ON ask (person, id);
