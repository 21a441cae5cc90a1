-- The language of a person: as the directory says, and that of their last clear text. NULL: not known.
ALTER TABLE person ADD COLUMN language TEXT;
ALTER TABLE person ADD COLUMN wrote_in TEXT;
