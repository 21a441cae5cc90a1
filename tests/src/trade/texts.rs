//! Texts to phones, and what happens to them.

use abide_engine::base::Value;
use serde_json::json;

use super::{all_refused, australia, call, done, refusal};
use crate::campaign::church::{Church, on_both};

/// Returns what the business knows about a text.
async fn status(church: &Church, sent: &Value) -> Value {
    done(church, "sms.status", json!({ "message_id": sent["message_id"] })).await
}

on_both!(a_text_leaves_as_it_was_written, with australia(), async |church: Church| {
    let lead = json!({ "name": "Ana", "phone": "0400 123 456", "suburb": "Paddington" });
    let lead = done(&church, "leads.create", lead).await["lead_id"].clone();
    let body = "We come at 9 am.\n\nIs that “fine”?";
    let input = json!({ "to": "0400 123 456", "body": body, "entity_type": "lead", "entity_id": lead });
    let receipt = call(&church, "sms.send", input).await;
    let sent = &receipt["result"];
    let shown = (&sent["to"], &sent["state"], &sent["segments"]);
    assert_eq!(shown, (&json!("+61400123456"), &json!("queued"), &json!(1)), "{receipt:#}");
    assert_eq!(receipt["effects"]["messages_sent"], json!([sent["message_id"]]));
    let logged = done(&church, "comms.list_by_entity", json!({ "entity_type": "lead", "entity_id": lead })).await;
    assert_eq!((&logged["comms"][0]["body"], &logged["count"]), (&json!(body), &json!(1)), "{logged:#}");

    church.advance("15h").await; // past the quiet hours
    let messages = church.messages("+61400123456").await;
    let bodies: Vec<_> = messages.iter().map(|message| message.body.as_str()).collect();
    assert_eq!(bodies, ["We come at 9 am.\nIs that \"fine\"?"]);
    let now = status(&church, sent).await;
    assert_eq!((&now["state"], &now["to"]), (&json!("sent"), &sent["to"]));
    assert!(now["sent_at"].is_string() && now.get("send_at").is_none(), "{now:#}");
    church.assert_consistent().await;
});

on_both!(a_text_waits_for_its_time, with australia(), async |church: Church| {
    let at = "2025-10-03T12:00:00+10:00";
    let input = json!({ "to": "+61400123456", "body": "See you today.", "send_at": at });
    let sent = done(&church, "sms.schedule", input).await;
    assert_eq!((&sent["state"], &sent["send_at"]), (&json!("queued"), &json!("2025-10-03T02:00:00+00:00")));
    church.advance("24h").await;
    let waits = status(&church, &sent).await;
    assert_eq!((&waits["state"], &waits["send_at"]), (&json!("queued"), &sent["send_at"]));
    church.advance("48h").await;
    assert_eq!(status(&church, &sent).await["state"], "sent");
});

on_both!(nothing_is_sent_to_a_phone_that_has_opted_out, with australia(), async |mut church: Church| {
    church.text("+61400123456", "STOP").await;
    let sent = done(&church, "sms.send", json!({ "to": "+61400123456", "body": "Hello" })).await;
    assert_eq!(sent["state"], "suppressed");
    church.advance("48h").await;
    let now = status(&church, &sent).await;
    assert_eq!((&now["state"], &now["reason"]), (&json!("suppressed"), &json!("opted_out")));
    assert!(now.get("sent_at").is_none(), "{now:#}");
    let unapproved = crate::tools::call_of("sms.send", json!({ "to": "+61400123456", "body": "Hello again" }));
    let receipt = crate::tools::receipt(&church, unapproved).await;
    assert_eq!((&receipt["status"], &receipt["risk"]), (&json!("succeeded"), &json!("T1")), "nobody is asked");
    assert_eq!(receipt["result"]["state"], "suppressed");
    church.assert_consistent().await;
});

on_both!(texts_refuse_what_does_not_fit, with australia(), async |church: Church| {
    let text = |to: &str, body: String| json!({ "to": to, "body": body });
    let mut late = text("+61400123456", "Hello".to_owned());
    late["send_at"] = "2025-09-01T09:00:00+10:00".into();
    all_refused(&church, [
        refusal("sms.send", text("12345", "Hello".to_owned()), "invalid_phone", "`to` is not"),
        refusal("sms.send", text("+61400123456", "ж".repeat(1000)), "message_too_long", "segments"),
        refusal("sms.schedule", late, "invalid_args", "`send_at` does not lie in the future"),
        refusal("sms.status", json!({ "message_id": "msg_1" }), "not_found", "`msg_1`"),
    ])
    .await;
    assert_eq!(church.number("SELECT COUNT(*) FROM outbox").await, 0);
});
