-- Orders to erase a person, each until it is carried out. `data` is what to look for, a row of `pii`.
CREATE TABLE erasure (
    id BLOB NOT NULL PRIMARY KEY,
    tenant TEXT NOT NULL,
    person BLOB NOT NULL,
    contact BLOB NOT NULL,
    is_number_shared INTEGER NOT NULL,
    data BLOB NOT NULL,
    ordered_at INTEGER NOT NULL
) STRICT;
