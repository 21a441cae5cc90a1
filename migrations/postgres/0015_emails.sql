-- Emails that a mail server was to get. `id` is that of the call, with another prefix; `cc` is a JSON list.
CREATE TABLE emails (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    recipient TEXT COLLATE "C" NOT NULL,
    cc TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    subject TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL,
    sent_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);
