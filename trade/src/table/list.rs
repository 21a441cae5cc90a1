//! The list of all tables. It says the same as the migrations of the trade.

use super::{Column, ColumnKind, Table};

const fn text(name: &'static str) -> Column {
    Column::new(name, ColumnKind::Text)
}

const fn phone(name: &'static str) -> Column {
    Column::new(name, ColumnKind::Phone)
}

const fn money(name: &'static str) -> Column {
    Column::new(name, ColumnKind::Money)
}

const fn int(name: &'static str) -> Column {
    Column::new(name, ColumnKind::Int)
}

const fn at(name: &'static str) -> Column {
    Column::new(name, ColumnKind::Instant)
}

const fn date(name: &'static str) -> Column {
    Column::new(name, ColumnKind::Date)
}

const fn json(name: &'static str) -> Column {
    Column::new(name, ColumnKind::Json)
}

const fn table(name: &'static str, prefix: &'static str, columns: &'static [Column]) -> Table {
    Table { name, prefix, columns }
}

/// The kind and the id of the row that another row is about. The row can be in any table.
const ENTITY_TYPE: Column = text("entity_type").optional();
const ENTITY_ID: Column = text("entity_id").optional();

/// All tables of the trade, each with the beginning of its ids.
pub static TABLES: &[Table] = &[
    table(
        "leads",
        "lead",
        &[
            text("name"),
            phone("phone").unique(),
            text("email").optional(),
            text("suburb").optional(),
            text("service").optional(),
            text("source").optional(),
            text("status").words(&["new", "contacted", "qualified", "quoted", "won", "lost"]),
            text("assigned_to").optional(),
            at("archived_at").optional(),
        ],
    ),
    table(
        "customers",
        "cust",
        &[
            text("name"),
            phone("phone").optional(),
            text("email").optional(),
            text("address").optional(),
            text("suburb").optional(),
            text("lead_id").optional().of("leads"),
        ],
    ),
    table(
        "quotes",
        "quo",
        &[
            text("title"),
            text("lead_id").optional().of("leads"),
            text("customer_id").optional().of("customers"),
            text("status").words(&["draft", "finalized", "sent", "accepted", "declined"]),
            money("subtotal").or("0"),
            money("tax").or("0"),
            money("total").or("0"),
            text("comment").optional(),
            date("valid_until_date").optional(),
            at("finalized_at").optional(),
            at("sent_at").optional(),
        ],
    ),
    table(
        "quote_line_items",
        "qli",
        &[
            text("quote_id").of("quotes"),
            int("position"),
            text("description"),
            Column::new("quantity", ColumnKind::Decimal),
            money("unit_price"),
            money("net"),
            money("tax"),
        ],
    ),
    table(
        "jobs",
        "job",
        &[
            text("title"),
            text("quote_id").optional().of("quotes"),
            text("customer_id").optional().of("customers"),
            text("lead_id").optional().of("leads"),
            text("address").optional(),
            text("status").words(&[
                "unscheduled",
                "scheduled",
                "in_progress",
                "completed",
                "cancelled",
            ]),
            at("starts_at").optional(),
            at("ends_at").optional(),
            text("assigned_to").optional(),
            at("started_at").optional(),
            at("completed_at").optional(),
            at("cancelled_at").optional(),
            text("cancel_reason").optional(),
            text("comment").optional(),
        ],
    ),
    table(
        "invoices",
        "inv",
        &[
            text("title"),
            text("job_id").optional().of("jobs"),
            text("quote_id").optional().of("quotes"),
            text("customer_id").optional().of("customers"),
            text("status").words(&["draft", "finalized", "sent", "paid", "void"]),
            money("subtotal").or("0"),
            money("tax").or("0"),
            money("total").or("0"),
            money("paid").or("0"),
            date("due_date").optional(),
            at("finalized_at").optional(),
            at("sent_at").optional(),
            at("voided_at").optional(),
            text("void_reason").optional(),
        ],
    ),
    table(
        "invoice_line_items",
        "ili",
        &[
            text("invoice_id").of("invoices"),
            int("position"),
            text("description"),
            Column::new("quantity", ColumnKind::Decimal),
            money("unit_price"),
            money("net"),
            money("tax"),
        ],
    ),
    table(
        "payments",
        "pay",
        &[
            text("invoice_id").of("invoices"),
            text("kind").words(&["payment", "refund"]),
            money("amount"),
            text("method").optional(),
            text("reference").optional(),
            text("refund_of").optional().of("payments"),
            at("received_at"),
        ],
    ),
    table(
        "inspections",
        "insp",
        &[
            text("title"),
            text("job_id").optional().of("jobs"),
            text("lead_id").optional().of("leads"),
            text("customer_id").optional().of("customers"),
            text("address").optional(),
            text("inspector").optional(),
            text("status").words(&["draft", "submitted", "archived"]),
            text("summary").optional(),
            at("submitted_at").optional(),
            text("comment").optional(),
        ],
    ),
    table(
        "inspection_items",
        "item",
        &[
            text("inspection_id").of("inspections"),
            int("position"),
            text("area"),
            text("condition").words(&["good", "fair", "poor", "failed"]),
            text("severity").words(&["low", "medium", "high"]),
            text("recommendation").optional(),
            text("comment").optional(),
        ],
    ),
    table(
        "media",
        "media",
        &[
            text("name"),
            text("content_type"),
            int("size"),
            text("digest"),
            json("tags").or("[]"),
            ENTITY_TYPE,
            ENTITY_ID,
            at("archived_at").optional(),
        ],
    ),
    table(
        "entities",
        "ent",
        &[text("type"), text("name"), json("data").or("{}"), at("archived_at").optional()],
    ),
    table(
        "tasks",
        "task",
        &[
            text("title"),
            text("description").optional(),
            text("status").words(&["open", "done"]),
            text("priority").words(&["low", "normal", "high"]).or("normal"),
            at("due_at").optional(),
            text("assigned_to").optional(),
            ENTITY_TYPE,
            ENTITY_ID,
            at("completed_at").optional(),
        ],
    ),
    table(
        "notes",
        "note",
        &[text("title").optional(), text("body"), ENTITY_TYPE, ENTITY_ID, json("tags").or("[]")],
    ),
    table("snapshots", "snap", &[text("name"), json("data"), text("digest")]),
    table(
        "comms_log",
        "comm",
        &[
            text("channel").words(&["sms", "email", "phone", "in_person"]),
            text("direction").words(&["inbound", "outbound"]),
            text("subject").optional(),
            text("body"),
            text("contact").optional(),
            ENTITY_TYPE,
            ENTITY_ID,
            text("status").words(&["logged", "draft"]),
            at("occurred_at"),
        ],
    ),
    table(
        "emails",
        "msg",
        &[
            text("recipient"),
            json("cc").or("[]"),
            text("subject"),
            text("state").words(&["sending", "sent"]),
            at("sent_at").optional(),
        ],
    ),
    table(
        "calendar_events",
        "event",
        &[
            text("title"),
            text("description").optional(),
            at("starts_at"),
            at("ends_at"),
            text("location").optional(),
            json("attendees").or("[]"),
            text("job_id").optional().of("jobs"),
            text("status").words(&["confirmed", "cancelled"]),
        ],
    ),
    table(super::RECORDS, "rec", &[text("collection"), json("body"), at("archived_at").optional()]),
];
