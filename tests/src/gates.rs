//! The gate of a call: nothing of risk T2 and above happens without a consent or an approval, also after a crash,
//! and what was approved serves nothing else.

use abide_engine::base::{RunId, Value};
use abide_engine::domain::StartRun;
use abide_engine::facade::{CallStatus, ToolCall};
use abide_engine::run::{ApprovalDecision, ApprovalScope, RunOutcome, StartConsent};
use abide_engine::store::ApprovalState;
use serde_json::json;

use crate::campaign::church::{Church, Setup, on_both};
use crate::tools::{ROWS, call_of, finished, kennel, receipt};

const GROOM: &str = r#"
method: groom
description: Grooms the dog twice, feeds it, and goes on if nobody consents.
steps:
  - { id: feed, call: kennel.feed, args: { dog: "{{goal.dog}}" } }
  - { id: wash, call: kennel.groom, args: { dog: "{{goal.dog}}" }, on_error: [{ id: sorry, set: { sad: true } }] }
  - { id: brush, call: kennel.groom, args: { dog: "{{goal.dog}}" }, on_error: [{ id: sorry_too, set: { sad: true } }] }
"#;

const SELL: &str = r#"
method: sell
description: Sells the dog.
steps:
  - { id: first, call: kennel.sell, args: { dog: "{{goal.dog}}" } }
  - { id: second, call: kennel.sell, args: { dog: "{{goal.dog}}" } }
"#;

const PARENT: &str = r#"
method: parent
description: Has another method groom the dog.
steps:
  - { id: groom, call: groom, with: { goal: { dog: "{{goal.dog}}" } } }
"#;

fn gated() -> Setup {
    let mut setup = kennel();
    for (name, text) in [("groom", GROOM), ("sell", SELL), ("parent", PARENT)] {
        setup.sources.methods.insert(format!("{name}.yaml"), text.to_owned());
    }
    setup
}

/// Starts a method for the dog Rex.
pub(crate) async fn start(church: &Church, method: &str, consent: StartConsent) -> RunId {
    let (method, goal) = (method.to_owned(), json!({ "dog": "Rex" }));
    let wanted = StartRun { method, goal, consent, ..StartRun::default() };
    church.engine().start_run("default", wanted).await.expect("started").id
}

async fn statuses(church: &Church, run: RunId) -> Vec<(Value, Value)> {
    let receipts = church.receipts(run).await;
    receipts.iter().map(|it| (it["step_id"].clone(), it["status"].clone())).collect()
}

fn all_succeeded(steps: &[&str]) -> Vec<(Value, Value)> {
    steps.iter().map(|step| (json!(step), json!("succeeded"))).collect()
}

on_both!(whoever_may_consents_by_starting, with gated(), async |church: Church| {
    let run = start(&church, "groom", StartConsent::Given).await;
    assert_eq!(statuses(&church, run).await, all_succeeded(&["feed", "wash", "brush"]));
    let parent = start(&church, "parent", StartConsent::Given).await;
    assert_eq!(church.run(parent).await.outcome, Some(RunOutcome::Succeeded), "the child has it, too");
    assert!(church.approvals(ApprovalState::Pending).await.is_empty());
    church.assert_consistent().await;
});

on_both!(a_run_without_consent_asks_once, with gated(), async |mut church: Church| {
    let run = start(&church, "groom", StartConsent::Open).await;
    let asked = church.pending().await;
    assert_eq!((asked.scope, &*asked.step_id, &*asked.risk), (ApprovalScope::Run, "wash", "T2"));
    assert_eq!(asked.shows["what"], "run groom, which may call kennel.groom");
    assert_eq!((&asked.input["goal"], &asked.input["method"]), (&json!({ "dog": "Rex" }), &json!("groom")));
    assert_eq!(asked.shows["at_most"]["in_all"], "none");
    assert_eq!(church.number(ROWS).await, 1, "a call of T1 needs no consent");
    church.crash().await;
    church.decide(asked.id, ApprovalDecision::Approve).await.expect("approved");
    church.crash().await;
    church.advance("1min").await;
    assert_eq!(statuses(&church, run).await, all_succeeded(&["feed", "wash", "brush"]));
    assert!(church.approvals(ApprovalState::Pending).await.is_empty());
    church.assert_consistent().await;
});

on_both!(a_refused_plan_is_not_asked_for_again, with gated(), async |church: Church| {
    let run = start(&church, "groom", StartConsent::Open).await;
    let asked = church.pending().await;
    church.decide(asked.id, ApprovalDecision::Deny).await.expect("denied");
    church.advance("1min").await;
    let failed = church.receipts(run).await.into_iter().filter(|it| it["status"] == "failed");
    let codes: Vec<Value> = failed.map(|it| it["error"]["code"].clone()).collect();
    assert_eq!(codes, ["denied", "denied"]);
    assert_eq!(church.number(ROWS).await, 1, "only the call of T1 acted");
    assert!(church.approvals(ApprovalState::Pending).await.is_empty());
    church.assert_consistent().await;
});

on_both!(each_call_of_t4_has_an_approval_of_its_own, with gated(), async |mut church: Church| {
    let run = start(&church, "sell", StartConsent::Given).await;
    let first = church.pending().await;
    assert_eq!((first.scope, &*first.step_id, &*first.risk), (ApprovalScope::Call, "first", "T4"));
    assert_eq!(first.input, json!({ "dog": "Rex" }));
    church.decide(first.id, ApprovalDecision::Approve).await.expect("approved");
    church.crash().await;
    church.advance("1min").await;
    let second = church.pending().await;
    assert_eq!((&*second.step_id, church.number(ROWS).await), ("second", 1));
    church.advance("4h").await;
    assert_eq!(church.number(ROWS).await, 1);
    let receipts = church.receipts(run).await;
    assert_eq!(receipts[0]["approval_id"], json!(first.id));
    assert_eq!(receipts[1]["error"]["code"], "approval_expired");
    church.assert_consistent().await;
});

on_both!(a_call_from_outside_waits_for_its_approval, with gated(), async |church: Church| {
    let sold = json!({ "dog": "Bo" });
    let id = church.engine().call_tool("default", call_of("kennel.sell", sold.clone())).await;
    let id = id.expect("the call is made");
    let wait = std::time::Duration::from_secs(5);
    let call = church.engine().wait_for_call("default", id, wait).await.expect("a call");
    let asked = church.pending().await;
    assert_eq!((call.status, call.approval_id), (CallStatus::Waiting, Some(asked.id)));
    assert_eq!((asked.input.clone(), church.number(ROWS).await), (sold.clone(), 0));
    church.decide(asked.id, ApprovalDecision::Approve).await.expect("approved");
    let done = finished(&church, id).await;
    assert_eq!((&done["status"], &done["approval_id"]), (&json!("succeeded"), &json!(asked.id)));
    assert_eq!(church.number(ROWS).await, 1);

    let approved = ToolCall { consented: true, ..call_of("kennel.sell", sold.clone()) };
    assert_eq!(receipt(&church, approved).await["status"], "succeeded", "approved by its caller");
    let again = church.engine().call_tool("default", call_of("kennel.sell", sold)).await;
    let again = church.engine().wait_for_call("default", again.expect("made"), wait).await;
    assert_eq!(again.expect("a call").status, CallStatus::Waiting, "an approval serves one call");
    church.assert_consistent().await;
});
