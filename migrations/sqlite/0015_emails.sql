-- Emails that a mail server was to get. `id` is that of the call, with another prefix; `cc` is a JSON list.
CREATE TABLE emails (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    recipient TEXT NOT NULL,
    cc TEXT NOT NULL DEFAULT '[]',
    subject TEXT NOT NULL,
    state TEXT NOT NULL,
    sent_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT;
