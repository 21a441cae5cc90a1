-- The files that a tenant has stored. The bytes are in the folder of files, under their digest: a row is written
-- after its bytes. The digest is BLAKE3 in hex; `media.digest` refers to it.
CREATE TABLE files (
    tenant TEXT COLLATE "C" NOT NULL,
    digest TEXT COLLATE "C" NOT NULL,
    size BIGINT NOT NULL,
    content_type TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, digest)
);
