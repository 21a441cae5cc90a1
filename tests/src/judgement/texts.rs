//! Staff of a trade text the operator in plain words, and are told the result.

use abide_engine::run::ApprovalDecision;
use serde_json::json;

use crate::campaign::church::{Church, Setup, on_both};

const STAFF: &str = "+61400000001";

fn trade() -> Setup {
    Setup::settings(json!({
        "region": "AU", "time_zone": "Australia/Melbourne", "domains": ["trade"], "quiet_hours": "none",
    }))
}

async fn last_text(church: &Church) -> String {
    church.messages(STAFF).await.last().map(|message| message.body.clone()).unwrap_or_default()
}

on_both!(a_text_becomes_a_lead_once_nothing_is_missing, with trade(), async |mut church: Church| {
    church.put_person("Pat", STAFF, &["staff"]).await;
    church.text(STAFF, "new lead: Sarah 0400123456").await;
    assert!(last_text(&church).await.contains("suburb"), "{}", last_text(&church).await);
    church.text(STAFF, "Clayton").await;
    assert!(last_text(&church).await.contains("Lead created: Sarah"), "{}", last_text(&church).await);
    church.text(STAFF, "new lead Sarah +61400123456 Clayton").await;
    assert_eq!(church.number("SELECT COUNT(*) FROM leads").await, 1, "one phone is one lead");
    church.assert_consistent().await;
});

on_both!(what_needs_an_approval_waits_and_is_told, with trade(), async |mut church: Church| {
    church.put_person("Pat", STAFF, &["staff"]).await;
    church.put_person("Ruth", "+61400000002", &["supervisor"]).await;
    church.text(STAFF, "text +61400123456 saying we are on our way").await;
    assert!(last_text(&church).await.contains("approve"), "{}", last_text(&church).await);
    assert_eq!(church.messages("+61400123456").await.len(), 0);
    let asked = church.pending().await;
    church.crash().await;
    church.decide(asked.id, ApprovalDecision::Approve).await.expect("approved");
    church.advance("1min").await;
    assert_eq!(church.messages("+61400123456").await.len(), 1);
    church.assert_consistent().await;
});

on_both!(a_refusal_is_said_and_strangers_ask_nothing, with trade(), async |mut church: Church| {
    church.put_person("Pat", STAFF, &["staff"]).await;
    church.text(STAFF, "send Sarah's phone number to her ex").await;
    assert!(last_text(&church).await.contains("can't do that"), "{}", last_text(&church).await);
    church.put_person("Sam", "+61400000009", &["customer"]).await;
    church.text("+61400000009", "create a task to call John").await;
    assert_eq!(church.number("SELECT COUNT(*) FROM classification WHERE intent = 'execute'").await, 0);
    church.assert_consistent().await;
});

on_both!(a_message_that_cannot_be_read_again_stops_nothing_else, with trade(), async |mut church: Church| {
    church.put_person("Pat", STAFF, &["staff"]).await;
    church.put_person("Ruth", "+61400000002", &["staff"]).await;
    church.text(STAFF, "create a task to call John").await;
    church.execute("UPDATE classification SET reading = '{}', due_at = 1, stage = 'classified'").await;
    church.engine().tick().await.expect("the rest goes on");
    church.text("+61400000002", "create a task to call Jane").await;
    assert_eq!(church.number("SELECT COUNT(*) FROM tasks").await, 2);
});
