-- Finds the expired questions of a tenant.
CREATE INDEX question_expiry ON question (tenant, expires_at);

-- Finds the open offers of a person, among all that the person ever got.
CREATE INDEX offer_open ON offer (person, request) WHERE state = 'pending';

-- Compares texts as all other tables do, by their bytes: an index of texts that are compared otherwise does not find the
-- rows of a tenant whose name comes from another table.
-- contract: an older program reads and writes the same texts
ALTER TABLE inbox_notice
    ALTER COLUMN tenant TYPE TEXT COLLATE "C",
    ALTER COLUMN reason TYPE TEXT COLLATE "C";
-- contract: an older program reads and writes the same texts
ALTER TABLE kb
    ALTER COLUMN written_by TYPE TEXT COLLATE "C";
-- contract: an older program reads and writes the same texts
ALTER TABLE person
    ALTER COLUMN language TYPE TEXT COLLATE "C",
    ALTER COLUMN wrote_in TYPE TEXT COLLATE "C";
