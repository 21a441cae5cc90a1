-- The files that a tenant has stored. The bytes are in the folder of files, under their digest: a row is written
-- after its bytes. The digest is BLAKE3 in hex; `media.digest` refers to it.
CREATE TABLE files (
    tenant TEXT NOT NULL,
    digest TEXT NOT NULL,
    size INTEGER NOT NULL,
    content_type TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, digest)
) STRICT;
