//! Invoices: their lines, and which of them are overdue.

use abide_engine::base::Value;
use serde_json::json;

use super::{all_refused, australia, call, done, listed, refusal, sums};
use crate::campaign::church::{Church, on_both};

/// Starts an invoice and returns its id.
pub(super) async fn invoice(church: &Church, input: Value) -> Value {
    let mut all = json!({ "title": "Roof" });
    all.as_object_mut().expect("an object").extend(input.as_object().cloned().unwrap_or_default());
    done(church, "invoice.create", all).await["invoice_id"].clone()
}

/// Starts an invoice with one line of this price without tax, finalizes it and returns its id.
pub(super) async fn finalized(church: &Church, due_date: &str, price: &str) -> Value {
    let id = invoice(church, json!({ "due_date": due_date })).await;
    let line = json!({ "invoice_id": id, "description": "Work", "unit_price": price });
    done(church, "invoice.add_line_item", line).await;
    done(church, "invoice.finalize", json!({ "invoice_id": id })).await;
    id
}

on_both!(an_invoice_takes_lines_until_it_is_finalized, with australia(), async |church: Church| {
    let quote = super::quotes::quote(&church).await;
    let id = invoice(&church, json!({ "quote_id": quote })).await;
    let with = |description: &str, price: &str| {
        json!({ "invoice_id": id, "description": description, "unit_price": price, "position": 1 })
    };
    let empty = json!({ "invoice_id": id });
    let words = || "has no lines";
    all_refused(&church, [refusal("invoice.finalize", empty.clone(), "wrong_state", words())]).await;
    let first = done(&church, "invoice.add_line_item", with("Labour", "1250.55")).await;
    assert_eq!(sums(&first["invoice"]), ["1250.55", "125.06", "1375.61"]);
    assert_eq!(first["line_item"]["invoice_id"], id);
    let second = done(&church, "invoice.add_line_item", with("Deposit", "-100.25")).await;
    assert_eq!(sums(&second["invoice"]), ["1150.30", "115.04", "1265.34"]);
    let shown = done(&church, "invoice.get", empty.clone()).await;
    assert_eq!(listed(&shown["line_items"]), ["1 Deposit", "2 Labour"]);
    assert_eq!(shown["outstanding"], "1265.34");

    let close = json!({ "invoice_id": id, "due_date": "2025-10-15" });
    let closed = done(&church, "invoice.finalize", close).await["invoice"].clone();
    let status = (&closed["status"], &closed["due_date"], &closed["quote_id"]);
    assert_eq!(status, (&json!("finalized"), &json!("2025-10-15"), &quote));
    let again = call(&church, "invoice.finalize", empty.clone()).await;
    assert_eq!((&again["result"]["invoice"], &again["effects"]["db_writes"]), (&closed, &json!([])));
    let words = "is `finalized`, and must be `draft`";
    all_refused(&church, [refusal("invoice.add_line_item", with("Nail", "1"), "wrong_state", words)]).await;
    done(&church, "invoice.void", empty.clone()).await;
    assert_eq!(done(&church, "invoice.get", empty.clone()).await["outstanding"], "0.00");
    all_refused(&church, [
        refusal("invoice.finalize", empty, "wrong_state", "is `void`"),
        refusal("invoice.get", json!({ "invoice_id": "inv_1" }), "not_found", "`inv_1`"),
    ])
    .await;
    church.assert_consistent().await;
});

on_both!(overdue_invoices_come_oldest_first, with australia(), async |church: Church| {
    let newer = finalized(&church, "2025-09-20", "100").await;
    let older = finalized(&church, "2025-09-01", "50").await;
    let same_day = finalized(&church, "2025-09-20", "10").await;
    let paid = finalized(&church, "2025-08-01", "10").await;
    done(&church, "payment.record", json!({ "invoice_id": paid, "amount": "11" })).await;
    let partly = json!({ "invoice_id": older, "amount": "5.5" });
    done(&church, "payment.record", partly).await;
    let yesterday = finalized(&church, "2025-09-30", "1").await;
    finalized(&church, "2025-10-01", "1").await; // today
    invoice(&church, json!({ "due_date": "2025-01-01" })).await; // a draft
    let void = invoice(&church, json!({ "due_date": "2025-01-01" })).await;
    done(&church, "invoice.void", json!({ "invoice_id": void })).await;

    let all = done(&church, "invoice.list_overdue", json!({})).await;
    assert_eq!((&all["as_of_date"], &all["count"]), (&json!("2025-10-01"), &json!(4)));
    let ids = |page: &Value| -> Vec<Value> {
        let invoices = page["invoices"].as_array().expect("invoices").iter();
        invoices.map(|it| it["invoice"]["id"].clone()).collect()
    };
    assert_eq!(ids(&all), [older.clone(), newer.clone(), same_day.clone(), yesterday.clone()]);
    let first = &all["invoices"][0];
    assert_eq!((&first["outstanding"], &first["days_overdue"]), (&json!("49.50"), &json!(30)));

    let (mut found, mut after) = (Vec::new(), None);
    for _ in 0..4 {
        let mut input = json!({ "limit": 1 });
        if let Some(after) = after {
            input["after"] = after;
        }
        let page = done(&church, "invoice.list_overdue", input).await;
        found.extend(ids(&page));
        after = page.get("next").cloned();
    }
    assert_eq!((found, after), (ids(&all), None));

    let earlier = json!({ "as_of_date": "2025-09-20" });
    assert_eq!(ids(&done(&church, "invoice.list_overdue", earlier).await), [older]);
    let nobody = json!({ "customer_id": "cust_1" });
    assert_eq!(done(&church, "invoice.list_overdue", nobody).await["count"], 0);
    for after in [json!("inv_1"), json!("quo_1")] {
        let words = "`after` is not the `next`";
        let input = json!({ "after": after });
        all_refused(&church, [refusal("invoice.list_overdue", input, "invalid_args", words)]).await;
    }
});
