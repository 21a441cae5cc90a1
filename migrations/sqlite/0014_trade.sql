-- The trade: leads, customers, quotes, jobs, invoices and what else the work of tradespeople needs.
-- Times are microseconds since 1970 UTC, amounts of money are whole cents, a day is `YYYY-MM-DD`.
-- An id is a UUIDv7 after the prefix of its table, such as `lead_0190…`: a higher id is newer, so a list from
-- the newest row on reads an index from its end. `trade/src/table/list.rs` says what the columns hold.

-- Somebody who asked for work. A phone number is one lead.
CREATE TABLE leads (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    phone TEXT NOT NULL,
    email TEXT,
    suburb TEXT,
    service TEXT,
    source TEXT,
    status TEXT NOT NULL,
    assigned_to TEXT,
    archived_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, id),
    UNIQUE (tenant, phone)
) STRICT;
CREATE INDEX leads_status ON leads (tenant, status, id);

-- Somebody for whom work is done.
CREATE TABLE customers (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    phone TEXT,
    email TEXT,
    address TEXT,
    suburb TEXT,
    lead_id TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, lead_id) REFERENCES leads (tenant, id)
) STRICT;
CREATE INDEX customers_lead ON customers (tenant, lead_id, id);

-- An offer to do work at a price. The amounts are the sums of the line items.
CREATE TABLE quotes (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    lead_id TEXT,
    customer_id TEXT,
    status TEXT NOT NULL,
    subtotal INTEGER NOT NULL DEFAULT 0,
    tax INTEGER NOT NULL DEFAULT 0,
    total INTEGER NOT NULL DEFAULT 0,
    comment TEXT,
    valid_until_date TEXT,
    finalized_at INTEGER,
    sent_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, lead_id) REFERENCES leads (tenant, id),
    FOREIGN KEY (tenant, customer_id) REFERENCES customers (tenant, id)
) STRICT;
CREATE INDEX quotes_lead ON quotes (tenant, lead_id, id);
CREATE INDEX quotes_customer ON quotes (tenant, customer_id, id);
CREATE INDEX quotes_status ON quotes (tenant, status, id);
CREATE INDEX quotes_sent ON quotes (tenant, status, sent_at, id);

-- A line of a quote. `quantity` is a decimal number as text.
CREATE TABLE quote_line_items (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    quote_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    description TEXT NOT NULL,
    quantity TEXT NOT NULL,
    unit_price INTEGER NOT NULL,
    net INTEGER NOT NULL,
    tax INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, quote_id) REFERENCES quotes (tenant, id)
) STRICT;
CREATE INDEX quote_line_items_quote ON quote_line_items (tenant, quote_id, position);

-- Work that is to be done.
CREATE TABLE jobs (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    quote_id TEXT,
    customer_id TEXT,
    lead_id TEXT,
    address TEXT,
    status TEXT NOT NULL,
    starts_at INTEGER,
    ends_at INTEGER,
    assigned_to TEXT,
    started_at INTEGER,
    completed_at INTEGER,
    cancelled_at INTEGER,
    cancel_reason TEXT,
    comment TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, quote_id) REFERENCES quotes (tenant, id),
    FOREIGN KEY (tenant, customer_id) REFERENCES customers (tenant, id),
    FOREIGN KEY (tenant, lead_id) REFERENCES leads (tenant, id)
) STRICT;
CREATE INDEX jobs_quote ON jobs (tenant, quote_id, id);
CREATE INDEX jobs_customer ON jobs (tenant, customer_id, id);
CREATE INDEX jobs_lead ON jobs (tenant, lead_id, id);
CREATE INDEX jobs_status ON jobs (tenant, status, id);
CREATE INDEX jobs_starts ON jobs (tenant, starts_at, id);
CREATE INDEX jobs_assigned ON jobs (tenant, assigned_to, status, starts_at);

-- A demand for payment. The amounts are the sums of the line items; `paid` is the sum of the payments.
CREATE TABLE invoices (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    job_id TEXT,
    quote_id TEXT,
    customer_id TEXT,
    status TEXT NOT NULL,
    subtotal INTEGER NOT NULL DEFAULT 0,
    tax INTEGER NOT NULL DEFAULT 0,
    total INTEGER NOT NULL DEFAULT 0,
    paid INTEGER NOT NULL DEFAULT 0,
    due_date TEXT,
    finalized_at INTEGER,
    sent_at INTEGER,
    voided_at INTEGER,
    void_reason TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, job_id) REFERENCES jobs (tenant, id),
    FOREIGN KEY (tenant, quote_id) REFERENCES quotes (tenant, id),
    FOREIGN KEY (tenant, customer_id) REFERENCES customers (tenant, id)
) STRICT;
CREATE INDEX invoices_job ON invoices (tenant, job_id, id);
CREATE INDEX invoices_quote ON invoices (tenant, quote_id, id);
CREATE INDEX invoices_customer ON invoices (tenant, customer_id, id);
CREATE INDEX invoices_status ON invoices (tenant, status, id);
CREATE INDEX invoices_unanswered ON invoices (tenant, status, due_date, id);
CREATE INDEX invoices_finalized ON invoices (tenant, finalized_at);
CREATE INDEX invoices_owed ON invoices (tenant, due_date, id) WHERE status IN ('finalized', 'sent');

-- A line of an invoice. `quantity` is a decimal number as text.
CREATE TABLE invoice_line_items (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    invoice_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    description TEXT NOT NULL,
    quantity TEXT NOT NULL,
    unit_price INTEGER NOT NULL,
    net INTEGER NOT NULL,
    tax INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, invoice_id) REFERENCES invoices (tenant, id)
) STRICT;
CREATE INDEX invoice_line_items_invoice ON invoice_line_items (tenant, invoice_id, position);

-- Money that was received for an invoice, or was paid back.
CREATE TABLE payments (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    invoice_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    amount INTEGER NOT NULL,
    method TEXT,
    reference TEXT,
    refund_of TEXT,
    received_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, invoice_id) REFERENCES invoices (tenant, id),
    FOREIGN KEY (tenant, refund_of) REFERENCES payments (tenant, id)
) STRICT;
CREATE INDEX payments_invoice ON payments (tenant, invoice_id, id);
CREATE INDEX payments_refund_of ON payments (tenant, refund_of, id);
CREATE INDEX payments_received ON payments (tenant, received_at, id);

-- What somebody saw at a place.
CREATE TABLE inspections (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    job_id TEXT,
    lead_id TEXT,
    customer_id TEXT,
    address TEXT,
    inspector TEXT,
    status TEXT NOT NULL,
    summary TEXT,
    submitted_at INTEGER,
    comment TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, job_id) REFERENCES jobs (tenant, id),
    FOREIGN KEY (tenant, lead_id) REFERENCES leads (tenant, id),
    FOREIGN KEY (tenant, customer_id) REFERENCES customers (tenant, id)
) STRICT;
CREATE INDEX inspections_job ON inspections (tenant, job_id, id);
CREATE INDEX inspections_lead ON inspections (tenant, lead_id, id);
CREATE INDEX inspections_customer ON inspections (tenant, customer_id, id);
CREATE INDEX inspections_status ON inspections (tenant, status, id);

-- One finding of an inspection.
CREATE TABLE inspection_items (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    inspection_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    area TEXT NOT NULL,
    condition TEXT NOT NULL,
    severity TEXT NOT NULL,
    recommendation TEXT,
    comment TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, inspection_id) REFERENCES inspections (tenant, id)
) STRICT;
CREATE INDEX inspection_items_inspection ON inspection_items (tenant, inspection_id, position);

-- A file. Its content is kept outside the database under `digest`. `tags` is a JSON list.
CREATE TABLE media (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    content_type TEXT NOT NULL,
    size INTEGER NOT NULL,
    digest TEXT NOT NULL,
    tags TEXT NOT NULL DEFAULT '[]',
    entity_type TEXT,
    entity_id TEXT,
    archived_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT;
CREATE INDEX media_digest ON media (tenant, digest, id);
CREATE INDEX media_entity ON media (tenant, entity_type, entity_id, id);

-- Anything else that a business keeps a record of. `data` is a JSON object.
CREATE TABLE entities (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    name TEXT NOT NULL,
    data TEXT NOT NULL DEFAULT '{}',
    archived_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT;
CREATE INDEX entities_type ON entities (tenant, type, id);

-- Something that somebody has to do.
CREATE TABLE tasks (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    description TEXT,
    status TEXT NOT NULL,
    priority TEXT NOT NULL DEFAULT 'normal',
    due_at INTEGER,
    assigned_to TEXT,
    entity_type TEXT,
    entity_id TEXT,
    completed_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT;
CREATE INDEX tasks_status ON tasks (tenant, status, id);
CREATE INDEX tasks_due ON tasks (tenant, due_at, id);
CREATE INDEX tasks_entity ON tasks (tenant, entity_type, entity_id, id);

-- A note. `tags` is a JSON list. `row` is the number of the row in the index of words, which VACUUM does not
-- change because it is a column.
CREATE TABLE notes (
    row INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    title TEXT,
    body TEXT NOT NULL,
    entity_type TEXT,
    entity_id TEXT,
    tags TEXT NOT NULL DEFAULT '[]',
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (tenant, id)
) STRICT;
CREATE INDEX notes_entity ON notes (tenant, entity_type, entity_id, id);

-- What a search for words looks through: the words of the notes, without their texts. The triggers keep it.
-- Letters keep their accents, as on PostgreSQL.
CREATE VIRTUAL TABLE notes_words USING fts5 (title, body, content = 'notes', content_rowid = 'row',
    tokenize = 'unicode61 remove_diacritics 0');
CREATE TRIGGER notes_added AFTER INSERT ON notes BEGIN
    INSERT INTO notes_words (rowid, title, body) VALUES (new.row, new.title, new.body);
END;
CREATE TRIGGER notes_changed AFTER UPDATE OF title, body ON notes BEGIN
    INSERT INTO notes_words (notes_words, rowid, title, body) VALUES ('delete', old.row, old.title, old.body);
    INSERT INTO notes_words (rowid, title, body) VALUES (new.row, new.title, new.body);
END;
CREATE TRIGGER notes_removed AFTER DELETE ON notes BEGIN
    INSERT INTO notes_words (notes_words, rowid, title, body) VALUES ('delete', old.row, old.title, old.body);
END;

-- Figures of a report as they were at one time, as JSON.
CREATE TABLE snapshots (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    data TEXT NOT NULL,
    digest TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT;
CREATE INDEX snapshots_name ON snapshots (tenant, name, id);

-- What was said and written, and drafts of messages.
CREATE TABLE comms_log (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    channel TEXT NOT NULL,
    direction TEXT NOT NULL,
    subject TEXT,
    body TEXT NOT NULL,
    contact TEXT,
    entity_type TEXT,
    entity_id TEXT,
    status TEXT NOT NULL,
    occurred_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT;
CREATE INDEX comms_log_contact ON comms_log (tenant, contact, id);
CREATE INDEX comms_log_entity ON comms_log (tenant, entity_type, entity_id, id);
CREATE INDEX comms_log_occurred ON comms_log (tenant, occurred_at, id);

-- The calendar. `attendees` is a JSON list.
CREATE TABLE calendar_events (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    description TEXT,
    starts_at INTEGER NOT NULL,
    ends_at INTEGER NOT NULL,
    location TEXT,
    attendees TEXT NOT NULL DEFAULT '[]',
    job_id TEXT,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, job_id) REFERENCES jobs (tenant, id)
) STRICT;
CREATE INDEX calendar_events_job ON calendar_events (tenant, job_id, id);
CREATE INDEX calendar_events_starts ON calendar_events (tenant, starts_at, id);
CREATE INDEX calendar_events_ends ON calendar_events (tenant, status, ends_at, id);

-- The rows of the collections that the tools of a home use. `body` is a JSON object.
CREATE TABLE records (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    collection TEXT NOT NULL,
    body TEXT NOT NULL,
    archived_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT;
CREATE INDEX records_collection ON records (tenant, collection, id);
