//! Inspections: items are added to a draft, and the summary is written from them.

use abide_engine::base::Value;
use serde_json::json;

use super::{call, done, failed};
use crate::campaign::church::{Church, on_both};

async fn inspection(church: &Church) -> Value {
    done(church, "inspection.create", json!({ "title": "Roof of 1 High Street" })).await["inspection_id"].clone()
}

on_both!(items_are_numbered_in_the_order_in_which_they_came, async |church: Church| {
    let id = inspection(&church).await;
    let items = json!([
        { "area": "Gutters", "condition": "good" },
        { "area": "Ridge", "condition": "failed", "severity": "high", "recommendation": "Replace", "comment": null },
    ]);
    let added =
        done(&church, "inspection.add_items", json!({ "inspection_id": id, "items": items })).await;
    assert_eq!((&added["count"], &added["items"][0]["severity"]), (&json!(2), &json!("low")));
    assert_eq!(added["items"][1]["position"], 2);
    let more = json!({ "inspection_id": id, "items": [{ "area": "Valley", "condition": "fair" }] });
    let more = done(&church, "inspection.add_items", more).await;
    assert_eq!((&more["count"], &more["items"][0]["position"]), (&json!(3), &json!(3)));
    let shown = done(&church, "inspection.get", json!({ "inspection_id": id })).await;
    let areas: Vec<&Value> =
        shown["items"].as_array().expect("a list").iter().map(|it| &it["area"]).collect();
    assert_eq!(areas, ["Gutters", "Ridge", "Valley"]);
    assert_eq!(shown["inspection"]["status"], "draft");
    church.assert_consistent().await;
});

on_both!(the_summary_names_the_worst_first_and_is_kept, async |church: Church| {
    let id = inspection(&church).await;
    let by_id = json!({ "inspection_id": id });
    let empty = done(&church, "inspection.generate_scope_summary", by_id.clone()).await;
    assert_eq!((&empty["summary"], &empty["item_count"]), (&json!("No items."), &json!(0)));
    let items = json!([
        { "area": "Gutters", "condition": "good" },
        { "area": "Ridge", "condition": "failed", "severity": "high", "recommendation": "Replace\nthe capping" },
    ]);
    done(&church, "inspection.add_items", json!({ "inspection_id": id, "items": items })).await;
    let written = done(&church, "inspection.generate_scope_summary", by_id.clone()).await;
    let expected = "2 items: 1 failed, 1 good.\n\nRidge\n- failed (high): Replace the capping\n\nGutters\n- good (low)";
    assert_eq!(written["summary"], expected);
    assert_eq!(written["by_condition"], json!({ "good": 1, "fair": 0, "poor": 0, "failed": 1 }));
    let shown = done(&church, "inspection.get", by_id.clone()).await;
    assert_eq!(shown["inspection"]["summary"], expected);
});

on_both!(an_inspection_that_is_no_draft_is_not_changed, async |church: Church| {
    let id = inspection(&church).await;
    let by_id = json!({ "inspection_id": id });
    done(&church, "inspection.submit", by_id.clone()).await;
    let items =
        json!({ "inspection_id": id, "items": [{ "area": "Valley", "condition": "fair" }] });
    for (tool, input) in
        [("inspection.add_items", items), ("inspection.generate_scope_summary", by_id)]
    {
        let (code, message) = failed(&church, tool, input).await;
        assert_eq!(code, "wrong_state", "{tool}");
        assert!(message.contains("is `submitted`, and must be `draft`"), "{message}");
    }
    assert_eq!(church.number("SELECT COUNT(*) FROM inspection_items").await, 0);
    for tool in ["inspection.get", "inspection.generate_scope_summary"] {
        let receipt = call(&church, tool, json!({ "inspection_id": "insp_none" })).await;
        assert_eq!(receipt["error"]["code"], "not_found", "{tool}");
    }
});

on_both!(an_inspection_has_at_most_500_items, async |church: Church| {
    let id = inspection(&church).await;
    let items: Vec<Value> =
        (0..100).map(|_| json!({ "area": "Tiles", "condition": "fair" })).collect();
    let hundred = json!({ "inspection_id": id, "items": items });
    for _ in 0..5 {
        done(&church, "inspection.add_items", hundred.clone()).await;
    }
    let (code, message) = failed(&church, "inspection.add_items", hundred).await;
    assert_eq!(code, "invalid_args");
    assert!(message.contains("more than 500 items: the inspection has 500 already"), "{message}");
    assert_eq!(church.number("SELECT COUNT(*) FROM inspection_items").await, 500);
    let summary =
        done(&church, "inspection.generate_scope_summary", json!({ "inspection_id": id })).await;
    assert_eq!(summary["item_count"], 500);
});

on_both!(a_packet_is_refused_with_the_name_of_the_method_that_takes_it, async |church: Church| {
    let hint = async |input: Value| {
        let call = crate::tools::call_of("inspection.create", input);
        let refused = church.engine().call_tool("default", call).await.expect_err("refused");
        assert_eq!(refused.code, "args_invalid");
        refused.hint.expect("a hint")
    };
    for packet in [
        json!({ "title": "Roof", "items": [{ "area": "Ridge", "condition": "poor" }] }),
        json!({ "title": "Roof", "photos": [] }),
        json!({ "lead_id": "lead_1", "site_address": "1 High Street", "defects": [], "measurements": [] }),
    ] {
        let hint = hint(packet).await;
        assert!(hint.contains("start the method `inspection_packet`"), "{hint}");
    }
    for wrong in
        [json!({ "title": "" }), json!({ "titel": "Roof" }), json!({ "title": "Roof", "item": [] })]
    {
        let hint = hint(wrong).await;
        assert!(hint.contains("abide tools show inspection.create"), "{hint}");
    }
    assert_eq!(church.number("SELECT COUNT(*) FROM inspections").await, 0);
});
