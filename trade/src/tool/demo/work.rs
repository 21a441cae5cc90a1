//! What the demo works on: jobs, invoices with their payments, and an inspection.

use abide_engine::base::Problem;
use serde_json::json;

use super::writer::{DemoRow, Document, Writer};
use crate::tool::document::INVOICE;

/// Writes the jobs, the invoices, the payments and the inspection.
pub(super) async fn write(writer: &mut Writer<'_>) -> Result<(), Problem> {
    jobs(writer).await?;
    overdue_invoice(writer).await?;
    part_paid_invoice(writer).await?;
    paid_invoice(writer).await?;
    inspection(writer).await
}

async fn jobs(writer: &mut Writer<'_>) -> Result<(), Problem> {
    let bathroom = json!({
        "title": "Bathroom renovation", "quote_id": writer.id(DemoRow("quotes", 2))?,
        "customer_id": writer.id(DemoRow("customers", 1))?, "address": "12 Acland Street, St Kilda",
        "status": "scheduled", "starts_at": writer.at(2, 8)?, "ends_at": writer.at(2, 16)?,
        "assigned_to": "Jess",
    });
    writer.insert(DemoRow("jobs", 1), 15, bathroom).await?;
    let grease_trap = json!({
        "title": "Grease trap", "customer_id": writer.id(DemoRow("customers", 2))?,
        "address": "4 Bay Street, Brighton", "status": "completed", "starts_at": writer.at(-27, 9)?,
        "ends_at": writer.at(-27, 12)?, "assigned_to": "Jess", "started_at": writer.at(-27, 9)?,
        "completed_at": writer.at(-27, 12)?,
    });
    writer.insert(DemoRow("jobs", 2), 35, grease_trap).await?;
    let flashing = json!({
        "title": "Chimney flashing", "customer_id": writer.id(DemoRow("customers", 3))?,
        "address": "31 Beach Road, Beaumaris", "status": "completed", "starts_at": writer.at(-9, 8)?,
        "ends_at": writer.at(-9, 15)?, "assigned_to": "Sam", "started_at": writer.at(-9, 8)?,
        "completed_at": writer.at(-9, 15)?,
    });
    writer.insert(DemoRow("jobs", 3), 14, flashing).await?;
    let gutters = json!({
        "title": "Clean the gutters", "customer_id": writer.id(DemoRow("customers", 3))?,
        "address": "31 Beach Road, Beaumaris", "status": "unscheduled",
    });
    writer.insert(DemoRow("jobs", 4), 4, gutters).await
}

/// The cafe has paid nothing, and the invoice was due ten days ago.
async fn overdue_invoice(writer: &mut Writer<'_>) -> Result<(), Problem> {
    let overdue = Document { number: 1, days_ago: 24 };
    let about_cafe = json!({
        "title": "Grease trap", "job_id": writer.id(DemoRow("jobs", 2))?,
        "customer_id": writer.id(DemoRow("customers", 2))?, "status": "draft",
    });
    writer.insert(DemoRow("invoices", 1), 24, about_cafe).await?;
    let lines = [["Pump out and clean", "1", "365.00"], ["New seals", "4", "17.35"]];
    writer.add_lines(&INVOICE, overdue, lines).await?;
    writer.finalize(&INVOICE, overdue, &writer.day(-10)?).await?;
    let sent = json!({"status": "sent", "sent_at": writer.at(-24, 15)?});
    writer.change(DemoRow("invoices", 1), 24, sent).await
}

/// Greta has paid a part, and the rest is due in a week.
async fn part_paid_invoice(writer: &mut Writer<'_>) -> Result<(), Problem> {
    let part_paid = Document { number: 2, days_ago: 8 };
    let about_greta = json!({
        "title": "Chimney flashing", "job_id": writer.id(DemoRow("jobs", 3))?,
        "customer_id": writer.id(DemoRow("customers", 3))?, "status": "draft",
    });
    writer.insert(DemoRow("invoices", 2), 8, about_greta).await?;
    let lines = [["Lead flashing, per metre", "3.2", "88.70"], ["Labour, per hour", "7", "95.00"]];
    writer.add_lines(&INVOICE, part_paid, lines).await?;
    writer.finalize(&INVOICE, part_paid, &writer.day(7)?).await?;
    let sent = json!({"status": "sent", "sent_at": writer.at(-8, 17)?});
    writer.change(DemoRow("invoices", 2), 8, sent).await?;
    writer.pay(Document { number: 2, days_ago: 3 }, "400.00").await
}

/// Ella has paid the deposit.
async fn paid_invoice(writer: &mut Writer<'_>) -> Result<(), Problem> {
    let paid = Document { number: 3, days_ago: 15 };
    let about_ella = json!({
        "title": "Bathroom renovation: deposit", "quote_id": writer.id(DemoRow("quotes", 2))?,
        "job_id": writer.id(DemoRow("jobs", 1))?,
        "customer_id": writer.id(DemoRow("customers", 1))?, "status": "draft",
    });
    writer.insert(DemoRow("invoices", 3), 15, about_ella).await?;
    writer.add_lines(&INVOICE, paid, [["Deposit", "1", "1500.00"]]).await?;
    writer.finalize(&INVOICE, paid, &writer.day(-8)?).await?;
    let sent = json!({"status": "sent", "sent_at": writer.at(-15, 10)?});
    writer.change(DemoRow("invoices", 3), 15, sent).await?;
    let owed = writer.owed(DemoRow("invoices", 3)).await?;
    writer.pay(Document { number: 3, days_ago: 11 }, &owed).await
}

async fn inspection(writer: &mut Writer<'_>) -> Result<(), Problem> {
    let roof = json!({
        "title": "Roof inspection", "lead_id": writer.id(DemoRow("leads", 3))?,
        "address": "8 Abbott Street, Sandringham", "inspector": "Sam", "status": "draft",
    });
    writer.insert(DemoRow("inspections", 1), 3, roof).await?;
    let items = [
        json!({"area": "Ridge", "condition": "poor", "severity": "medium",
            "recommendation": "Repoint the ridge within six months."}),
        json!({"area": "Tiles, south side", "condition": "failed", "severity": "high",
            "recommendation": "Replace 18 broken tiles."}),
        json!({"area": "Gutters", "condition": "good"}),
    ];
    writer.add_items(Document { number: 1, days_ago: 3 }, &items).await
}
