-- Orders to erase a person, each until it is carried out. `data` is what to look for, a row of `pii`.
CREATE TABLE erasure (
    id UUID NOT NULL PRIMARY KEY,
    tenant TEXT COLLATE "C" NOT NULL,
    person UUID NOT NULL,
    contact BYTEA NOT NULL,
    is_number_shared BIGINT NOT NULL,
    data UUID NOT NULL,
    ordered_at BIGINT NOT NULL
);
