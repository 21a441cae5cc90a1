-- What staff are to be told about new entries of their inbox, gathered by reason until `due_at`. `first_message` is
-- the entry that began it.
CREATE TABLE staff_notice (
    tenant TEXT NOT NULL,
    reason TEXT NOT NULL,
    first_message BLOB NOT NULL,
    due_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, reason)
) STRICT;
CREATE INDEX staff_notice_due ON staff_notice (tenant, due_at);

