//! Emails, and quotes and invoices on their way to customers.

use abide_engine::base::{Problem, Value};
use serde_json::json;

use super::invoices::{finalized, invoice};
use super::{all_refused, australia, call, done, refusal};
use crate::campaign::church::{Church, on_both};
use crate::outside::Reaction;

/// Adds a customer and returns its id.
async fn customer(church: &Church) -> Value {
    let input = json!({ "name": "Ana Diaz", "phone": "0400 123 456", "email": "ana@example.com" });
    done(church, "customer.create", input).await["customer_id"].clone()
}

/// Adds a finalized quote for a new customer and returns its id.
async fn quote(church: &Church) -> Value {
    let input = json!({ "title": "New roof", "customer_id": customer(church).await });
    let id = done(church, "quote.create", input).await["quote_id"].clone();
    let line = json!({ "quote_id": id, "description": "Roof", "unit_price": "1000" });
    done(church, "quote.add_line_item", line).await;
    let close = json!({ "quote_id": id, "valid_until_date": "2025-11-01" });
    done(church, "quote.finalize", close).await;
    id
}

on_both!(a_quote_goes_to_the_phone_of_its_customer_once, with australia(), async |church: Church| {
    let id = quote(&church).await;
    let input = json!({ "quote_id": id, "channel": "sms" });
    let receipt = call(&church, "quote.send", input.clone()).await;
    let sent = &receipt["result"];
    let shown = (&sent["channel"], &sent["to"], &sent["state"], &sent["quote"]["status"]);
    let expected = (&json!("sms"), &json!("+61400123456"), &json!("queued"), &json!("sent"));
    assert_eq!(shown, expected, "{receipt:#}");
    assert_eq!(receipt["effects"]["external_calls"], json!([]));
    let again = call(&church, "quote.send", input).await;
    assert_eq!(again["result"], receipt["result"], "{again:#}");
    church.advance("24h").await;
    let messages = church.messages("+61400123456").await;
    let bodies: Vec<_> = messages.iter().map(|message| message.body.as_str()).collect();
    let body = "Hi Ana, your quote for New roof comes to $1100.00. It is valid until 1 November 2025. \
                Do you have any questions?";
    assert_eq!(bodies, [body]);
    let status = done(&church, "sms.status", json!({ "message_id": sent["message_id"] })).await;
    assert_eq!(status["state"], "sent");
    church.assert_consistent().await;
});

on_both!(an_invoice_is_emailed_and_marked_as_sent, with australia(), async |church: Church| {
    let id = invoice(&church, json!({ "customer_id": customer(&church).await })).await;
    let line = json!({ "invoice_id": id, "description": "Work", "unit_price": "100" });
    done(&church, "invoice.add_line_item", line).await;
    let draft = refusal("invoice.send", json!({ "invoice_id": id }), "wrong_state", "is `draft`");
    all_refused(&church, [draft]).await;
    done(&church, "invoice.finalize", json!({ "invoice_id": id })).await;
    let receipt = call(&church, "invoice.send", json!({ "invoice_id": id })).await;
    let sent = &receipt["result"];
    let shown = (&sent["channel"], &sent["to"], &sent["state"], &sent["invoice"]["status"]);
    let expected = (&json!("email"), &json!("ana@example.com"), &json!("sent"), &json!("sent"));
    assert_eq!(shown, expected, "{receipt:#}");
    assert_eq!(receipt["effects"]["external_calls"][0]["outcome"], "done");
    assert_eq!(church.outside.acts().len(), 1);

    let again = json!({ "invoice_id": id, "to": "office@example.com", "message": "As you asked:" });
    let again = done(&church, "email.send_invoice", again).await;
    assert_eq!((&again["to"], &again["invoice_id"]), (&json!("office@example.com"), &id));
    let status = done(&church, "email.status", json!({ "message_id": again["message_id"] })).await;
    let shown = (&status["state"], &status["to"], &status["sent_at"]);
    assert_eq!(shown, (&json!("sent"), &again["to"], &again["sent_at"]));
    church.assert_consistent().await;
});

on_both!(a_document_without_a_recipient_is_not_sent, with australia(), async |church: Church| {
    let id = finalized(&church, "2025-10-15", "100").await;
    let via = |channel: &str| json!({ "invoice_id": id, "channel": channel });
    all_refused(&church, [
        refusal("invoice.send", via("sms"), "invalid_args", "no `phone` is known for it"),
        refusal("invoice.send", via("email"), "invalid_args", "no `email` is known for it"),
    ])
    .await;
    let shown = done(&church, "invoice.get", json!({ "invoice_id": id })).await;
    assert_eq!(shown["invoice"]["status"], "finalized");
});

on_both!(an_email_that_is_refused_stays_unsent_and_says_why, with australia(), async |church: Church| {
    let id = quote(&church).await;
    let refused = || Problem::caller("refused", "the mail server does not know the address");
    church.outside.react([Reaction::Refuse(refused())]);
    let receipt = call(&church, "quote.send", json!({ "quote_id": id })).await;
    assert_eq!(receipt["error"]["code"], "refused", "{receipt:#}");
    let shown = done(&church, "quote.get", json!({ "quote_id": id })).await;
    assert_eq!(shown["quote"]["status"], "finalized");
    let message = receipt["call_id"].as_str().unwrap_or_default().replace("call_", "msg_");
    let status = done(&church, "email.status", json!({ "message_id": message })).await;
    assert_eq!((&status["state"], &status["to"]), (&json!("failed"), &json!("ana@example.com")));
    assert!(status["reason"].as_str().is_some_and(|why| why.contains("does not know")), "{status:#}");
    let sent = done(&church, "quote.send", json!({ "quote_id": id })).await;
    assert_eq!(sent["quote"]["status"], "sent", "the failed call gave up its key");
    church.assert_consistent().await;
});

on_both!(an_email_about_a_record_is_in_its_log, with australia(), async |church: Church| {
    let customer = customer(&church).await;
    let input = json!({
        "to": "ana@example.com", "cc": ["ben@example.com"], "subject": "Tuesday", "body": "We come at 9.",
        "entity_type": "customer", "entity_id": customer
    });
    let sent = done(&church, "email.send", input).await;
    assert_eq!(sent["state"], "sent");
    let about = json!({ "entity_type": "customer", "entity_id": customer });
    let logged = done(&church, "comms.list_by_entity", about).await;
    let first = &logged["comms"][0];
    assert_eq!((&first["subject"], &first["contact"]), (&json!("Tuesday"), &json!("ana@example.com")));
});
