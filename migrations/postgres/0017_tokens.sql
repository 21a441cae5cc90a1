-- Tokens with which clients call the API. `hash` is the digest of the token's secret, which is not stored.
CREATE TABLE token (
    id UUID PRIMARY KEY,
    tenant TEXT COLLATE "C" NOT NULL,
    role TEXT COLLATE "C" NOT NULL,
    hash BYTEA NOT NULL,
    label TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT
);
CREATE UNIQUE INDEX token_hash ON token (hash);
CREATE INDEX token_tenant ON token (tenant, id);
