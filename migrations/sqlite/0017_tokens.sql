-- Tokens with which clients call the API. `hash` is the digest of the token's secret, which is not stored.
CREATE TABLE token (
    id BLOB PRIMARY KEY,
    tenant TEXT NOT NULL,
    role TEXT NOT NULL,
    hash BLOB NOT NULL,
    label TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER
) STRICT;
CREATE UNIQUE INDEX token_hash ON token (hash);
CREATE INDEX token_tenant ON token (tenant, id);
