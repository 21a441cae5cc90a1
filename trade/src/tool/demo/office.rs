//! The office of the demo: tasks, notes, a logged call and an appointment.

use abide_engine::base::Problem;
use serde_json::json;

use super::writer::{DemoRow, Writer};

/// Writes the tasks, the notes, the logged call and the appointment.
pub(super) async fn write(writer: &mut Writer<'_>) -> Result<(), Problem> {
    let lead = writer.id(DemoRow("leads", 1))?;
    let ring = json!({
        "title": "Ring Amy about her gutters", "status": "open", "priority": "high",
        "due_at": writer.at(1, 9)?, "assigned_to": "Pat", "entity_type": "lead", "entity_id": lead,
    });
    writer.insert(DemoRow("tasks", 1), 1, ring).await?;
    let order = json!({
        "title": "Order steel sheets", "status": "done", "assigned_to": "Sam",
        "completed_at": writer.at(-2, 14)?,
    });
    writer.insert(DemoRow("tasks", 2), 5, order).await?;
    let note = json!({
        "body": "Prefers a call after 5 pm. The dog is friendly.", "entity_type": "lead",
        "entity_id": lead, "tags": ["preference"],
    });
    writer.insert(DemoRow("notes", 1), 1, note).await?;
    let insurance = json!({
        "title": "Insurance", "body": "The public liability policy is renewed each July.",
    });
    writer.insert(DemoRow("notes", 2), 40, insurance).await?;
    let call = json!({
        "channel": "phone", "direction": "outbound", "body": "Left a message about the quote.",
        "contact": super::LEADS[3].phone, "entity_type": "quote",
        "entity_id": writer.id(DemoRow("quotes", 1))?, "status": "logged",
        "occurred_at": writer.at(-4, 10)?,
    });
    writer.insert(DemoRow("comms_log", 1), 4, call).await?;
    let visit = json!({
        "title": "Bathroom renovation", "starts_at": writer.at(2, 8)?, "ends_at": writer.at(2, 16)?,
        "location": "12 Acland Street, St Kilda", "attendees": ["Jess"],
        "job_id": writer.id(DemoRow("jobs", 1))?, "status": "confirmed",
    });
    writer.insert(DemoRow("calendar_events", 1), 15, visit).await
}
