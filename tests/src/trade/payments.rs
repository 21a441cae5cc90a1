//! Payments and refunds, and how they change their invoice.

use abide_engine::base::Value;
use serde_json::json;

use super::invoices::{finalized, invoice};
use super::{all_refused, at_once, australia, done, refusal};
use crate::campaign::church::{Church, on_both};

/// Returns the status of the invoice after a call, and what is outstanding.
fn state(result: &Value) -> [&str; 2] {
    ["invoice_status", "outstanding"].map(|name| result[name].as_str().unwrap_or_default())
}

on_both!(an_invoice_is_paid_in_parts_and_refunded, with australia(), async |church: Church| {
    let id = finalized(&church, "2025-10-15", "100.05").await; // with tax, 110.05
    let first = json!({
        "invoice_id": id, "amount": 60.05, "method": "card", "reference": "T-1",
        "received_at": "2025-09-29T09:00:00+10:00"
    });
    let first = done(&church, "payment.record", first).await;
    assert_eq!(state(&first), ["finalized", "50.00"]);
    let payment = &first["payment"];
    assert_eq!((&payment["kind"], &payment["amount"]), (&json!("payment"), &json!("60.05")));
    assert_eq!(payment["received_at"], "2025-09-28T23:00:00+00:00");
    let second = json!({ "invoice_id": id, "amount": "50", "method": null, "received_at": null });
    let second = done(&church, "payment.record", second).await;
    assert_eq!(state(&second), ["paid", "0.00"]);
    assert_eq!(second["payment"]["received_at"], second["payment"]["created_at"]);

    let part = json!({ "payment_id": first["payment_id"], "amount": "20.05", "reference": "R-1" });
    let part = done(&church, "payment.refund", part).await;
    assert_eq!(state(&part), ["finalized", "20.05"]);
    let refund = &part["refund"];
    assert_eq!((&refund["kind"], &refund["refund_of"]), (&json!("refund"), &first["payment_id"]));
    let rest = json!({ "payment_id": first["payment_id"] });
    let rest = done(&church, "payment.refund", rest).await;
    assert_eq!((&rest["refund"]["amount"], state(&rest)), (&json!("40.00"), ["finalized", "60.05"]));

    church.database().execute("UPDATE invoices SET status = 'sent', sent_at = 1").await;
    let again = json!({ "invoice_id": id, "amount": "60.05" });
    let again = done(&church, "payment.record", again).await;
    assert_eq!(state(&again), ["paid", "0.00"]);
    let back = done(&church, "payment.refund", json!({ "payment_id": again["payment_id"] })).await;
    assert_eq!(state(&back), ["sent", "60.05"]);
    let shown = done(&church, "invoice.get", json!({ "invoice_id": id })).await;
    assert_eq!((&shown["invoice"]["paid"], &shown["outstanding"]), (&json!("50.00"), &json!("60.05")));
    church.assert_consistent().await;
});

on_both!(payments_refuse_what_does_not_fit, with australia(), async |church: Church| {
    let draft = invoice(&church, json!({})).await;
    let id = finalized(&church, "2025-10-15", "100").await;
    let pay = |id: &Value, amount: Value| json!({ "invoice_id": id, "amount": amount });
    let (record, refund) = ("payment.record", "payment.refund");
    let more = format!("`amount` is 110.01, and only 110.00 is outstanding on `{}`", id.as_str().unwrap());
    all_refused(&church, [
        refusal(record, pay(&json!("inv_1"), json!(1)), "not_found", "`invoice_id` is `inv_1`"),
        refusal(record, pay(&draft, json!(1)), "wrong_state", "is `draft`, and must be"),
        refusal(record, pay(&id, json!("0.00")), "invalid_args", "`amount` must be more than zero"),
        refusal(record, pay(&id, json!(0.015)), "invalid_args", "at most two decimals"),
        refusal(record, pay(&id, json!("110.01")), "invalid_args", more),
        refusal(refund, json!({ "payment_id": "pay_1" }), "not_found", "`payment_id` is `pay_1`"),
    ])
    .await;
    assert_eq!(church.number("SELECT COUNT(*) FROM payments").await, 0);

    let paid = done(&church, record, pay(&id, json!("110"))).await["payment_id"].clone();
    let part = json!({ "payment_id": paid, "amount": "10" });
    let refunded = done(&church, refund, part).await["refund_id"].clone();
    let again = |amount: &str| json!({ "payment_id": paid, "amount": amount });
    let words = || "only 100.00 of `";
    all_refused(&church, [
        refusal(refund, again("100.01"), "invalid_args", words()),
        refusal(refund, again("0"), "invalid_args", "`amount` must be more than zero"),
        refusal(refund, json!({ "payment_id": refunded }), "wrong_state", "`kind` of `"),
    ])
    .await;
    done(&church, refund, json!({ "payment_id": paid })).await;
    let words = "is refunded in full";
    all_refused(&church, [refusal(refund, json!({ "payment_id": paid }), "wrong_state", words)]).await;
    done(&church, record, pay(&id, json!("110"))).await;
    let words = "is `paid`, and must be `finalized` or `sent`";
    all_refused(&church, [refusal(record, pay(&id, json!(1)), "wrong_state", words)]).await;
    church.assert_consistent().await;
});

on_both!(concurrent_payments_and_refunds_never_exceed_their_limits, with australia(), async |mut church: Church| {
    let id = finalized(&church, "2025-10-15", "100").await;
    let pay = || ("payment.record", json!({ "invoice_id": id, "amount": "30" }));
    let receipts = at_once(&mut church, (0..8).map(|_| pay()).collect()).await;
    let paid: Vec<_> = receipts.iter().filter(|it| it["status"] == "succeeded").collect();
    assert_eq!(paid.len(), 3, "four times 30 are more than 110");
    let payment = &paid[0]["result"]["payment_id"];
    let back = || ("payment.refund", json!({ "payment_id": payment, "amount": "20" }));
    let receipts = at_once(&mut church, (0..4).map(|_| back()).collect()).await;
    assert_eq!(receipts.iter().filter(|it| it["status"] == "succeeded").count(), 1);
    let shown = done(&church, "invoice.get", json!({ "invoice_id": id })).await;
    assert_eq!((&shown["invoice"]["paid"], &shown["outstanding"]), (&json!("70.00"), &json!("40.00")));
    church.assert_consistent().await;
});
