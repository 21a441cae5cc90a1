//! What the demo sells: leads in each stage, customers, and quotes.

use abide_engine::base::Problem;
use serde_json::json;

use super::LEADS;
use super::writer::{DemoRow, Document, Writer};
use crate::tool::document::QUOTE;

/// What is known of each lead: the surname, the suburb, the service, the stage, and the days since the lead
/// was added.
const FACTS: [(&str, &str, &str, &str, i64); 6] = [
    ("Tran", "Brighton", "gutter repair", "new", 1),
    ("Rossi", "Hampton", "hot water system", "contacted", 3),
    ("Martin", "Sandringham", "roof inspection", "qualified", 6),
    ("Patel", "Elwood", "garage roof", "quoted", 12),
    ("Nguyen", "St Kilda", "bathroom", "won", 25),
    ("Murphy", "Mentone", "blocked drain", "lost", 30),
];

/// Writes the leads, the customers and the quotes.
pub(super) async fn write(writer: &mut Writer<'_>) -> Result<(), Problem> {
    for (number, (person, (surname, suburb, service, status, days_ago))) in
        (1..).zip(LEADS.iter().zip(FACTS))
    {
        let lead = json!({
            "name": format!("{} {surname}", person.name),
            "phone": person.phone,
            "suburb": suburb,
            "service": service,
            "source": "website",
            "status": status,
        });
        writer.insert(DemoRow("leads", number), days_ago, lead).await?;
    }
    customers(writer).await?;
    quotes(writer).await
}

async fn customers(writer: &mut Writer<'_>) -> Result<(), Problem> {
    let ella = json!({
        "name": "Ella Nguyen", "phone": LEADS[4].phone, "address": "12 Acland Street",
        "suburb": "St Kilda", "lead_id": writer.id(DemoRow("leads", 5))?,
    });
    writer.insert(DemoRow("customers", 1), 16, ella).await?;
    let cafe = json!({
        "name": "Bayside Cafe", "phone": "+61491571491", "email": "accounts@cafe.example",
        "address": "4 Bay Street", "suburb": "Brighton",
    });
    writer.insert(DemoRow("customers", 2), 90, cafe).await?;
    let greta = json!({
        "name": "Greta Olsen", "phone": "+61491571804", "address": "31 Beach Road",
        "suburb": "Beaumaris",
    });
    writer.insert(DemoRow("customers", 3), 60, greta).await
}

/// One quote is sent and not answered, one is accepted, and one is a draft.
async fn quotes(writer: &mut Writer<'_>) -> Result<(), Problem> {
    let sent = Document { number: 1, days_ago: 8 };
    let about_dev = json!({"title": "New garage roof", "lead_id": writer.id(DemoRow("leads", 4))?, "status": "draft"});
    writer.insert(DemoRow("quotes", 1), 9, about_dev).await?;
    let lines = [
        ["Remove the old sheets", "1", "480.00"],
        ["Steel sheets, per square metre", "36.5", "62.35"],
        ["Labour, per hour", "14", "95.00"],
    ];
    writer.add_lines(&QUOTE, sent, lines).await?;
    writer.finalize(&QUOTE, sent, &writer.day(22)?).await?;
    let sent_at = writer.at(-8, 16)?;
    writer.change(DemoRow("quotes", 1), 8, json!({"status": "sent", "sent_at": sent_at})).await?;

    let accepted = Document { number: 2, days_ago: 20 };
    let about_ella = json!({
        "title": "Bathroom renovation", "lead_id": writer.id(DemoRow("leads", 5))?,
        "customer_id": writer.id(DemoRow("customers", 1))?, "status": "draft",
    });
    writer.insert(DemoRow("quotes", 2), 21, about_ella).await?;
    let lines = [
        ["Pipework", "1", "2150.00"],
        ["Shower and basin", "1", "1890.45"],
        ["Labour, per hour", "32", "95.00"],
    ];
    writer.add_lines(&QUOTE, accepted, lines).await?;
    writer.finalize(&QUOTE, accepted, &writer.day(10)?).await?;
    let sent_at = writer.at(-20, 11)?;
    let answer = json!({"status": "accepted", "sent_at": sent_at});
    writer.change(DemoRow("quotes", 2), 16, answer).await?;

    let draft = Document { number: 3, days_ago: 2 };
    let about_chloe = json!({
        "title": "Roof repair after the inspection", "lead_id": writer.id(DemoRow("leads", 3))?,
        "status": "draft",
    });
    writer.insert(DemoRow("quotes", 3), 2, about_chloe).await?;
    let lines =
        [["Replace broken tiles, each", "18", "21.95"], ["Repoint the ridge", "1", "640.00"]];
    writer.add_lines(&QUOTE, draft, lines).await
}
