//! A plan of calls from outside: one approval covers it, no call acts before, also after a crash, and no call is made
//! beyond the plan.

use abide_engine::base::{RunId, Value};
use abide_engine::domain::StartRun;
use abide_engine::run::{ApprovalDecision, ApprovalScope, RunStatus, StartConsent};
use abide_engine::store::ApprovalState;
use serde_json::json;

use crate::campaign::church::{Church, on_both};
use crate::tools::{ROWS, kennel};

/// A call of T1, one of T2, and one of T3 that needs a result of the first.
const CARE: &str = r#"
method: plan_care
limits: { max_tool_calls: 3 }
steps:
  - { id: c1, call: kennel.feed, args: { dog: "{{goal.c1.dog}}" }, out: c1 }
  - { id: c2, call: kennel.groom, args: { dog: "{{goal.c2.dog}}" }, out: c2 }
  - { id: c3, call: kennel.mail, args: { dog: "{{c1.dog}}" }, out: c3 }
"#;

/// A call that cannot be undone after one that can.
const SELL: &str = r#"
method: plan_sell
steps:
  - { id: c1, call: kennel.groom, args: { dog: "{{goal.c1.dog}}" }, out: c1 }
  - { id: c2, call: kennel.sell, args: { dog: "{{goal.c2.dog}}" }, out: c2 }
"#;

/// A plan that nobody needs to approve.
const FEED: &str = r#"
method: plan_feed
limits: { max_tool_calls: 1 }
steps:
  - { id: c1, call: kennel.feed, args: { dog: "{{goal.c1.dog}}" }, out: c1 }
  - { id: c2, call: kennel.feed, args: { dog: "{{goal.c2.dog}}" }, out: c2 }
"#;

fn plan(text: &str, consent: StartConsent) -> StartRun {
    let goal = json!({ "plan_id": "plan_1", "c1": { "dog": "Rex" }, "c2": { "dog": "Bo" } });
    StartRun {
        outside_plan: Some(text.to_owned()),
        goal,
        key: Some("plan_1".to_owned()),
        consent,
        ..StartRun::default()
    }
}

async fn started(church: &Church, text: &str, consent: StartConsent) -> RunId {
    church.engine().start("default", plan(text, consent)).await.expect("started").run
}

async fn statuses(church: &Church, run: RunId) -> Vec<(Value, Value)> {
    let receipts = church.receipts(run).await;
    receipts.iter().map(|it| (it["step_id"].clone(), it["status"].clone())).collect()
}

fn all_succeeded(steps: &[&str]) -> Vec<(Value, Value)> {
    steps.iter().map(|step| (json!(step), json!("succeeded"))).collect()
}

on_both!(a_plan_is_approved_before_its_first_call, with kennel(), async |mut church: Church| {
    let run = started(&church, CARE, StartConsent::Open).await;
    let asked = church.pending().await;
    assert_eq!((asked.scope, &*asked.step_id, &*asked.risk), (ApprovalScope::Run, "c1", "T3"));
    assert_eq!(
        asked.shows["what"],
        "call kennel.feed (dog Rex), then call kennel.groom (dog Bo), then call kennel.mail (dog {{c1.dog}})"
    );
    assert_eq!(asked.input["calls"][1], json!({ "step_id": "c2", "tool": "kennel.groom", "input": { "dog": "Bo" } }));
    assert_eq!(church.number(ROWS).await, 0, "not even the call of T1 has acted");
    church.crash().await;
    church.decide(asked.id, ApprovalDecision::Approve).await.expect("approved");
    church.crash().await;
    church.advance("1min").await;
    assert_eq!(statuses(&church, run).await, all_succeeded(&["c1", "c2", "c3"]));
    assert_eq!(church.receipts(run).await[2]["input"], json!({ "dog": "Rex" }), "the result of the first");
    let again = started(&church, CARE, StartConsent::Open).await;
    assert_eq!((again, church.number(ROWS).await), (run, 3), "the same plan runs once");
    church.assert_consistent().await;
});

on_both!(whoever_may_approves_a_plan_by_ordering_it, with kennel(), async |church: Church| {
    let run = started(&church, CARE, StartConsent::Given).await;
    assert_eq!(statuses(&church, run).await, all_succeeded(&["c1", "c2", "c3"]));
    assert!(church.approvals(ApprovalState::Pending).await.is_empty());
    church.assert_consistent().await;
});

on_both!(a_refused_plan_does_nothing, with kennel(), async |church: Church| {
    let run = started(&church, CARE, StartConsent::Open).await;
    church.decide(church.pending().await.id, ApprovalDecision::Deny).await.expect("denied");
    church.advance("1min").await;
    let receipts = church.receipts(run).await;
    assert_eq!((receipts.len(), &receipts[0]["error"]["code"]), (1, &json!("denied")));
    assert_eq!((church.run(run).await.status, church.number(ROWS).await), (RunStatus::Failed, 0));
    church.assert_consistent().await;
});

on_both!(what_cannot_be_undone_is_decided_about_by_itself, with kennel(), async |church: Church| {
    let run = started(&church, SELL, StartConsent::Open).await;
    church.decide(church.pending().await.id, ApprovalDecision::Approve).await.expect("approved");
    church.advance("1min").await;
    let asked = church.pending().await;
    assert_eq!((asked.scope, &*asked.step_id, &*asked.risk), (ApprovalScope::Call, "c2", "T4"));
    assert_eq!(church.number(ROWS).await, 1);
    church.decide(asked.id, ApprovalDecision::Approve).await.expect("approved");
    church.advance("1min").await;
    assert_eq!(statuses(&church, run).await, all_succeeded(&["c1", "c2"]));
    church.assert_consistent().await;
});

on_both!(no_call_is_made_beyond_the_plan, with kennel(), async |church: Church| {
    let run = started(&church, FEED, StartConsent::Open).await;
    church.advance("1min").await;
    let receipts = church.receipts(run).await;
    let codes: Vec<&Value> = receipts.iter().map(|receipt| &receipt["error"]["code"]).collect();
    assert_eq!(codes, [&Value::Null, &json!("max_tool_calls")]);
    assert_eq!(church.number(ROWS).await, 1);
    church.assert_consistent().await;
});

on_both!(a_plan_that_calls_what_does_not_exist_is_refused, with kennel(), async |church: Church| {
    for tool in ["kennel.fly", "wait_for_replies"] {
        let text = FEED.replace("kennel.feed", tool);
        let refused = church.engine().start("default", plan(&text, StartConsent::Given)).await;
        assert_eq!(refused.expect_err("refused").code, "plan_invalid", "{tool}");
    }
    church.assert_consistent().await;
});
