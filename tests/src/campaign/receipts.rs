//! Every call has one receipt, in the documented shape.

use std::collections::BTreeSet;

use abide_engine::base::Value;
use serde_json::json;

use super::church::{Church, on_both};

/// Returns the names of an object's fields, sorted.
fn members(value: &Value) -> Vec<&str> {
    value
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect()
}

on_both!(each_call_of_a_campaign_has_one_receipt, async |mut church: Church| {
    let run = church.fill(2).await.id;
    church.crash().await;
    church.say("AB", "yes").await;
    let receipts = church.receipts(run).await;
    let calls: Vec<_> = receipts
        .iter()
        .map(|r| (r["step_id"].as_str().expect("text"), r["tool"].as_str().expect("text")))
        .collect();
    assert_eq!(
        calls,
        [
            ("find", "search_people"),
            ("invite", "make_offers"),
            ("wait", "wait_for_replies"),
            ("assign", "assign"),
            ("assign", "assign"),
            ("tell_filled", "notify"),
        ]
    );
    let ids: BTreeSet<_> = receipts.iter().map(|r| r["call_id"].to_string()).collect();
    assert_eq!(ids.len(), receipts.len(), "one a call");
    for receipt in &receipts {
        assert_eq!(
            members(receipt),
            [
                "attempt",
                "call_id",
                "effects",
                "finished_at",
                "id",
                "input",
                "result",
                "risk",
                "run_id",
                "started_at",
                "status",
                "step_id",
                "tool",
            ]
        );
        assert_eq!(
            members(&receipt["effects"]),
            ["db_writes", "external_calls", "files_written", "messages_sent"]
        );
        for (member, prefix) in [("id", "rcp_"), ("call_id", "call_"), ("run_id", "run_")] {
            assert!(receipt[member].as_str().is_some_and(|id| id.starts_with(prefix)), "{receipt}");
        }
        assert_eq!((&receipt["status"], &receipt["attempt"]), (&json!("succeeded"), &json!(1)));
    }
    let invite = &receipts[1];
    assert_eq!(invite["effects"]["messages_sent"].as_array().map(Vec::len), Some(12));
    let write = &invite["effects"]["db_writes"][0];
    assert_eq!(members(write), ["action", "id", "table"]);
    assert_eq!(receipts[2]["result"]["reason"], "enough");
    church.assert_consistent().await;
});
