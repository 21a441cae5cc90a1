//! Leads: one for each phone, through their stages.

use serde_json::json;

use super::{at_once, australia, call, done, failed};
use crate::campaign::church::{Church, on_both};

const LEADS: &str = "SELECT COUNT(*) FROM leads";

on_both!(a_lead_goes_through_its_stages, with australia(), async |church: Church| {
    let input = json!({ "name": "Ana", "phone": "0400 123 456", "suburb": "Paddington" });
    let created = done(&church, "leads.create", input).await;
    let id = created["lead_id"].as_str().expect("an id");
    assert_eq!(created["lead"]["phone"], "+61400123456");
    assert_eq!(
        (&created["lead"]["stage"], &created["lead"]["status"]),
        (&json!("new"), &json!("new"))
    );
    let staged =
        done(&church, "leads.update_stage", json!({ "lead_id": id, "stage": "won" })).await;
    assert_eq!(staged["lead"]["status"], "won");
    let listed = done(&church, "leads.list_by_stage", json!({ "stage": "won" })).await;
    assert_eq!((&listed["count"], &listed["leads"][0]["id"]), (&json!(1), &json!(id)));
    let listed = done(&church, "leads.list", json!({ "stage": "new" })).await;
    assert_eq!(listed["count"], 0);
    done(&church, "leads.archive", json!({ "lead_id": id })).await;
    assert_eq!(done(&church, "leads.list", json!({})).await["count"], 0);
    let (code, message) = failed(&church, "leads.get", json!({ "lead_id": "lead_none" })).await;
    assert_eq!(code, "not_found");
    assert!(message.contains("`lead_none`, which is not in `leads`"), "{message}");
    church.assert_consistent().await;
});

on_both!(a_phone_that_another_lead_has_is_no_change, with australia(), async |church: Church| {
    let lead = |phone: &str| json!({ "name": "Ana", "phone": phone, "suburb": "Paddington" });
    let first = done(&church, "leads.create", lead("0400 123 456")).await;
    let second = done(&church, "leads.create", lead("0400 123 457")).await;
    let change = json!({ "lead_id": second["lead_id"], "phone": "+61 400 123 456" });
    let (code, message) = failed(&church, "leads.update", change).await;
    assert_eq!(code, "duplicate");
    let other = first["lead_id"].as_str().expect("an id");
    assert!(message.contains(other), "{message}");
});

on_both!(sixteen_calls_with_one_phone_make_one_lead, with australia(), async |mut church: Church| {
    let calls = (0..16).map(|nth| {
        // The first eight write the phone in another way, so they have another key.
        let phone = if nth < 8 { "0400 123 456" } else { "+61400123456" };
        ("leads.create", json!({ "name": "Ana", "phone": phone, "suburb": "Paddington" }))
    });
    let receipts = at_once(&mut church, calls.collect()).await;
    assert_eq!(church.number(LEADS).await, 1);
    let hits = receipts.iter().filter(|it| it["effects"].get("idempotency_hit").is_some());
    assert_eq!(hits.count(), 15);
    for receipt in &receipts {
        assert_eq!(receipt["status"], "succeeded", "{receipt:#}");
        assert_eq!(receipt["result"]["lead_id"], receipts[0]["result"]["lead_id"]);
    }
    church.assert_consistent().await;
});

on_both!(a_wrong_lead_is_refused_and_not_written, with australia(), async |church: Church| {
    let input = json!({ "name": "Ana", "phone": "the usual one", "suburb": "Paddington" });
    let receipt = call(&church, "leads.create", input).await;
    assert_eq!(receipt["error"]["code"], "invalid_phone", "{receipt:#}");
    assert_eq!(church.number(LEADS).await, 0);
});
