-- The trade: leads, customers, quotes, jobs, invoices and what else the work of tradespeople needs.
-- Times are microseconds since 1970 UTC, amounts of money are whole cents, a day is `YYYY-MM-DD`.
-- An id is a UUIDv7 after the prefix of its table, such as `lead_0190…`: a higher id is newer, so a list from
-- the newest row on reads an index from its end. `trade/src/table/list.rs` says what the columns hold.

-- Somebody who asked for work. A phone number is one lead.
CREATE TABLE leads (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    phone TEXT COLLATE "C" NOT NULL,
    email TEXT COLLATE "C",
    suburb TEXT COLLATE "C",
    service TEXT COLLATE "C",
    source TEXT COLLATE "C",
    status TEXT COLLATE "C" NOT NULL,
    assigned_to TEXT COLLATE "C",
    archived_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id),
    UNIQUE (tenant, phone)
);
CREATE INDEX leads_status ON leads (tenant, status, id);

-- Somebody for whom work is done.
CREATE TABLE customers (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    phone TEXT COLLATE "C",
    email TEXT COLLATE "C",
    address TEXT COLLATE "C",
    suburb TEXT COLLATE "C",
    lead_id TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, lead_id) REFERENCES leads (tenant, id)
);
CREATE INDEX customers_lead ON customers (tenant, lead_id, id);

-- An offer to do work at a price. The amounts are the sums of the line items.
CREATE TABLE quotes (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    title TEXT COLLATE "C" NOT NULL,
    lead_id TEXT COLLATE "C",
    customer_id TEXT COLLATE "C",
    status TEXT COLLATE "C" NOT NULL,
    subtotal BIGINT NOT NULL DEFAULT 0,
    tax BIGINT NOT NULL DEFAULT 0,
    total BIGINT NOT NULL DEFAULT 0,
    comment TEXT COLLATE "C",
    valid_until_date TEXT COLLATE "C",
    finalized_at BIGINT,
    sent_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, lead_id) REFERENCES leads (tenant, id),
    FOREIGN KEY (tenant, customer_id) REFERENCES customers (tenant, id)
);
CREATE INDEX quotes_lead ON quotes (tenant, lead_id, id);
CREATE INDEX quotes_customer ON quotes (tenant, customer_id, id);
CREATE INDEX quotes_status ON quotes (tenant, status, id);
CREATE INDEX quotes_sent ON quotes (tenant, status, sent_at, id);

-- A line of a quote. `quantity` is a decimal number as text.
CREATE TABLE quote_line_items (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    quote_id TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    description TEXT COLLATE "C" NOT NULL,
    quantity TEXT COLLATE "C" NOT NULL,
    unit_price BIGINT NOT NULL,
    net BIGINT NOT NULL,
    tax BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, quote_id) REFERENCES quotes (tenant, id)
);
CREATE INDEX quote_line_items_quote ON quote_line_items (tenant, quote_id, position);

-- Work that is to be done.
CREATE TABLE jobs (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    title TEXT COLLATE "C" NOT NULL,
    quote_id TEXT COLLATE "C",
    customer_id TEXT COLLATE "C",
    lead_id TEXT COLLATE "C",
    address TEXT COLLATE "C",
    status TEXT COLLATE "C" NOT NULL,
    starts_at BIGINT,
    ends_at BIGINT,
    assigned_to TEXT COLLATE "C",
    started_at BIGINT,
    completed_at BIGINT,
    cancelled_at BIGINT,
    cancel_reason TEXT COLLATE "C",
    comment TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, quote_id) REFERENCES quotes (tenant, id),
    FOREIGN KEY (tenant, customer_id) REFERENCES customers (tenant, id),
    FOREIGN KEY (tenant, lead_id) REFERENCES leads (tenant, id)
);
CREATE INDEX jobs_quote ON jobs (tenant, quote_id, id);
CREATE INDEX jobs_customer ON jobs (tenant, customer_id, id);
CREATE INDEX jobs_lead ON jobs (tenant, lead_id, id);
CREATE INDEX jobs_status ON jobs (tenant, status, id);
CREATE INDEX jobs_starts ON jobs (tenant, starts_at, id);
CREATE INDEX jobs_assigned ON jobs (tenant, assigned_to, status, starts_at);

-- A demand for payment. The amounts are the sums of the line items; `paid` is the sum of the payments.
CREATE TABLE invoices (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    title TEXT COLLATE "C" NOT NULL,
    job_id TEXT COLLATE "C",
    quote_id TEXT COLLATE "C",
    customer_id TEXT COLLATE "C",
    status TEXT COLLATE "C" NOT NULL,
    subtotal BIGINT NOT NULL DEFAULT 0,
    tax BIGINT NOT NULL DEFAULT 0,
    total BIGINT NOT NULL DEFAULT 0,
    paid BIGINT NOT NULL DEFAULT 0,
    due_date TEXT COLLATE "C",
    finalized_at BIGINT,
    sent_at BIGINT,
    voided_at BIGINT,
    void_reason TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, job_id) REFERENCES jobs (tenant, id),
    FOREIGN KEY (tenant, quote_id) REFERENCES quotes (tenant, id),
    FOREIGN KEY (tenant, customer_id) REFERENCES customers (tenant, id)
);
CREATE INDEX invoices_job ON invoices (tenant, job_id, id);
CREATE INDEX invoices_quote ON invoices (tenant, quote_id, id);
CREATE INDEX invoices_customer ON invoices (tenant, customer_id, id);
CREATE INDEX invoices_status ON invoices (tenant, status, id);
CREATE INDEX invoices_unanswered ON invoices (tenant, status, due_date, id);
CREATE INDEX invoices_finalized ON invoices (tenant, finalized_at);
CREATE INDEX invoices_owed ON invoices (tenant, due_date, id) WHERE status IN ('finalized', 'sent');

-- A line of an invoice. `quantity` is a decimal number as text.
CREATE TABLE invoice_line_items (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    invoice_id TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    description TEXT COLLATE "C" NOT NULL,
    quantity TEXT COLLATE "C" NOT NULL,
    unit_price BIGINT NOT NULL,
    net BIGINT NOT NULL,
    tax BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, invoice_id) REFERENCES invoices (tenant, id)
);
CREATE INDEX invoice_line_items_invoice ON invoice_line_items (tenant, invoice_id, position);

-- Money that was received for an invoice, or was paid back.
CREATE TABLE payments (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    invoice_id TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    amount BIGINT NOT NULL,
    method TEXT COLLATE "C",
    reference TEXT COLLATE "C",
    refund_of TEXT COLLATE "C",
    received_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, invoice_id) REFERENCES invoices (tenant, id),
    FOREIGN KEY (tenant, refund_of) REFERENCES payments (tenant, id)
);
CREATE INDEX payments_invoice ON payments (tenant, invoice_id, id);
CREATE INDEX payments_refund_of ON payments (tenant, refund_of, id);
CREATE INDEX payments_received ON payments (tenant, received_at, id);

-- What somebody saw at a place.
CREATE TABLE inspections (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    title TEXT COLLATE "C" NOT NULL,
    job_id TEXT COLLATE "C",
    lead_id TEXT COLLATE "C",
    customer_id TEXT COLLATE "C",
    address TEXT COLLATE "C",
    inspector TEXT COLLATE "C",
    status TEXT COLLATE "C" NOT NULL,
    summary TEXT COLLATE "C",
    submitted_at BIGINT,
    comment TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, job_id) REFERENCES jobs (tenant, id),
    FOREIGN KEY (tenant, lead_id) REFERENCES leads (tenant, id),
    FOREIGN KEY (tenant, customer_id) REFERENCES customers (tenant, id)
);
CREATE INDEX inspections_job ON inspections (tenant, job_id, id);
CREATE INDEX inspections_lead ON inspections (tenant, lead_id, id);
CREATE INDEX inspections_customer ON inspections (tenant, customer_id, id);
CREATE INDEX inspections_status ON inspections (tenant, status, id);

-- One finding of an inspection.
CREATE TABLE inspection_items (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    inspection_id TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    area TEXT COLLATE "C" NOT NULL,
    condition TEXT COLLATE "C" NOT NULL,
    severity TEXT COLLATE "C" NOT NULL,
    recommendation TEXT COLLATE "C",
    comment TEXT COLLATE "C",
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, inspection_id) REFERENCES inspections (tenant, id)
);
CREATE INDEX inspection_items_inspection ON inspection_items (tenant, inspection_id, position);

-- A file. Its content is kept outside the database under `digest`. `tags` is a JSON list.
CREATE TABLE media (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    content_type TEXT COLLATE "C" NOT NULL,
    size BIGINT NOT NULL,
    digest TEXT COLLATE "C" NOT NULL,
    tags TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    entity_type TEXT COLLATE "C",
    entity_id TEXT COLLATE "C",
    archived_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX media_digest ON media (tenant, digest, id);
CREATE INDEX media_entity ON media (tenant, entity_type, entity_id, id);

-- Anything else that a business keeps a record of. `data` is a JSON object.
CREATE TABLE entities (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    type TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    data TEXT COLLATE "C" NOT NULL DEFAULT '{}',
    archived_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX entities_type ON entities (tenant, type, id);

-- Something that somebody has to do.
CREATE TABLE tasks (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    title TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C",
    status TEXT COLLATE "C" NOT NULL,
    priority TEXT COLLATE "C" NOT NULL DEFAULT 'normal',
    due_at BIGINT,
    assigned_to TEXT COLLATE "C",
    entity_type TEXT COLLATE "C",
    entity_id TEXT COLLATE "C",
    completed_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX tasks_status ON tasks (tenant, status, id);
CREATE INDEX tasks_due ON tasks (tenant, due_at, id);
CREATE INDEX tasks_entity ON tasks (tenant, entity_type, entity_id, id);

-- A note. `tags` is a JSON list. `words` is what a search for words looks through. Punctuation separates words,
-- also within an address such as `ana@example.org`, so that a search finds the same words on SQLite.
CREATE TABLE notes (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    title TEXT COLLATE "C",
    body TEXT COLLATE "C" NOT NULL,
    entity_type TEXT COLLATE "C",
    entity_id TEXT COLLATE "C",
    tags TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    words TSVECTOR GENERATED ALWAYS AS (to_tsvector('simple', translate(COALESCE(title, '') || ' ' || body,
        '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~“”„‘’‚«»‹›–—…•·�', repeat(' ', 48)))) STORED,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX notes_entity ON notes (tenant, entity_type, entity_id, id);
CREATE INDEX notes_words ON notes USING gin (words);

-- Figures of a report as they were at one time, as JSON.
CREATE TABLE snapshots (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    data TEXT COLLATE "C" NOT NULL,
    digest TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX snapshots_name ON snapshots (tenant, name, id);

-- What was said and written, and drafts of messages.
CREATE TABLE comms_log (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    channel TEXT COLLATE "C" NOT NULL,
    direction TEXT COLLATE "C" NOT NULL,
    subject TEXT COLLATE "C",
    body TEXT COLLATE "C" NOT NULL,
    contact TEXT COLLATE "C",
    entity_type TEXT COLLATE "C",
    entity_id TEXT COLLATE "C",
    status TEXT COLLATE "C" NOT NULL,
    occurred_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX comms_log_contact ON comms_log (tenant, contact, id);
CREATE INDEX comms_log_entity ON comms_log (tenant, entity_type, entity_id, id);
CREATE INDEX comms_log_occurred ON comms_log (tenant, occurred_at, id);

-- The calendar. `attendees` is a JSON list.
CREATE TABLE calendar_events (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    title TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C",
    starts_at BIGINT NOT NULL,
    ends_at BIGINT NOT NULL,
    location TEXT COLLATE "C",
    attendees TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    job_id TEXT COLLATE "C",
    status TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, job_id) REFERENCES jobs (tenant, id)
);
CREATE INDEX calendar_events_job ON calendar_events (tenant, job_id, id);
CREATE INDEX calendar_events_starts ON calendar_events (tenant, starts_at, id);
CREATE INDEX calendar_events_ends ON calendar_events (tenant, status, ends_at, id);

-- The rows of the collections that the tools of a home use. `body` is a JSON object.
CREATE TABLE records (
    tenant TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    collection TEXT COLLATE "C" NOT NULL,
    body TEXT COLLATE "C" NOT NULL,
    archived_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX records_collection ON records (tenant, collection, id);
