//! One approval covers the calls that follow each other and need it alike, and nothing else; and a run that starts
//! child runs asks once for all of them.

use abide_engine::base::{RunId, Value};
use abide_engine::run::{ApprovalDecision, ApprovalScope, RunOutcome, StartConsent};
use abide_engine::store::ApprovalState;
use serde_json::json;

use crate::campaign::church::{Church, Setup, on_both};
use crate::gates::start;
use crate::tools::{ROWS, kennel};

/// The first two calls belong together. The last one depends on a result.
const BILL: &str = r#"
method: bill
description: Bills for the dog and mails the bill, then mails again.
steps:
  - { id: bill, call: kennel.bill, args: { dog: "{{goal.dog}}" }, out: billed }
  - { id: mail, call: kennel.mail, args: { dog: "{{goal.dog}}", nights: 2 } }
  - { id: again, call: kennel.mail, args: { dog: "{{billed.dog}}" } }
"#;

/// The first call fails, and somebody goes on.
const FAIL: &str = r#"
method: fail
description: Bills for the dog, which fails, and mails the bill.
steps:
  - id: bill
    call: kennel.bill
    args: { dog: "{{goal.dog}}", trouble: fails }
    on_error: [{ id: note, set: { billed: false } }]
  - { id: mail, call: kennel.mail, args: { dog: "{{goal.dog}}" } }
"#;

/// Two branches, a called method and rounds, all with calls of risk T2.
const MANY: &str = r#"
method: many
description: Grooms many dogs at once.
steps:
  - id: both
    parallel:
      - - { id: left, call: kennel.groom, args: { dog: "{{goal.dog}}" } }
      - - { id: right, call: kennel.groom, args: { dog: "{{goal.dog}}" } }
  - { id: other, call: groom_one, with: { goal: { dog: "{{goal.dog}}" } } }
  - id: each
    foreach: dog in ['Bo', 'Cy']
    concurrency: 2
    call: kennel.groom
    args: { dog: "{{dog}}" }
  - { id: own, call: kennel.groom, args: { dog: "{{goal.dog}}" } }
"#;

const GROOM_ONE: &str = r#"
method: groom_one
description: Grooms the dog, and goes on if nobody consents.
steps:
  - { id: groom, call: kennel.groom, args: { dog: "{{goal.dog}}" }, on_error: [{ id: sad, set: { sad: true } }] }
"#;

/// What a child run catches if the plan was refused.
const CALLER: &str = r#"
method: caller
description: Has another method groom the dog, whatever becomes of it.
steps:
  - { id: other, call: groom_one, with: { goal: { dog: "{{goal.dog}}" } } }
"#;

fn setup() -> Setup {
    let mut setup = kennel();
    let methods = [
        ("bill", BILL),
        ("fail", FAIL),
        ("many", MANY),
        ("groom_one", GROOM_ONE),
        ("caller", CALLER),
    ];
    for (name, text) in methods {
        setup.sources.methods.insert(format!("{name}.yaml"), text.to_owned());
    }
    setup
}

/// Returns the approvals of the receipts of a run, by step.
async fn approvals_of(church: &Church, run: RunId) -> Vec<(String, Value)> {
    let receipts = church.receipts(run).await;
    let named = |it: &Value| {
        (it["step_id"].as_str().unwrap_or_default().to_owned(), it["approval_id"].clone())
    };
    receipts.iter().map(named).collect()
}

on_both!(one_approval_covers_calls_that_follow_each_other, with setup(), async |mut church: Church| {
    let run = start(&church, "bill", StartConsent::Given).await;
    let asked = church.pending().await;
    assert_eq!((asked.scope, &*asked.step_id, &*asked.risk), (ApprovalScope::Call, "bill", "T3"));
    assert_eq!(asked.shows["what"], "call kennel.bill (dog Rex), then call kennel.mail (dog Rex, nights 2)");
    assert_eq!(asked.input, json!({ "calls": [
        { "step_id": "bill", "tool": "kennel.bill", "input": { "dog": "Rex" } },
        { "step_id": "mail", "tool": "kennel.mail", "input": { "dog": "Rex", "nights": 2 } },
    ] }));
    church.crash().await;
    church.decide(asked.id, ApprovalDecision::Approve).await.expect("approved");
    church.crash().await;
    church.advance("1min").await;
    let second = church.pending().await;
    assert_eq!((&*second.step_id, &second.input), ("again", &json!({ "dog": "Rex" })), "it was not known");
    assert_eq!(church.number(ROWS).await, 2);
    church.decide(second.id, ApprovalDecision::Approve).await.expect("approved");
    church.advance("1min").await;
    let given = [("bill", asked.id), ("mail", asked.id), ("again", second.id)];
    let given: Vec<_> = given.map(|(step, id)| (step.to_owned(), json!(id))).into();
    assert_eq!(approvals_of(&church, run).await, given);
    assert_eq!(church.run(run).await.outcome, Some(RunOutcome::Succeeded));
    church.assert_consistent().await;
});

on_both!(a_refusal_refuses_all_of_them, with setup(), async |church: Church| {
    let run = start(&church, "bill", StartConsent::Given).await;
    church.decide(church.pending().await.id, ApprovalDecision::Deny).await.expect("denied");
    church.advance("1min").await;
    assert_eq!((church.number(ROWS).await, church.run(run).await.status.as_str()), (0, "failed"));
    church.assert_consistent().await;
});

on_both!(an_approval_ends_with_a_call_that_fails, with setup(), async |church: Church| {
    let run = start(&church, "fail", StartConsent::Given).await;
    let asked = church.pending().await;
    assert_eq!(asked.input["calls"].as_array().map(Vec::len), Some(2));
    church.decide(asked.id, ApprovalDecision::Approve).await.expect("approved");
    church.advance("1min").await;
    let second = church.pending().await;
    assert_eq!((&*second.step_id, church.number(ROWS).await), ("mail", 0), "it was approved after a bill");
    church.decide(second.id, ApprovalDecision::Approve).await.expect("approved");
    church.advance("1min").await;
    assert_eq!(church.run(run).await.outcome, Some(RunOutcome::Succeeded));
    assert_eq!(church.number(ROWS).await, 1);
    church.assert_consistent().await;
});

on_both!(a_run_asks_once_before_it_starts_child_runs, with setup(), async |mut church: Church| {
    let run = start(&church, "many", StartConsent::Open).await;
    let asked = church.pending().await;
    assert_eq!((asked.scope, &*asked.step_id, asked.run_id), (ApprovalScope::Run, "both", run));
    assert_eq!(asked.shows["what"], "run many, which may call kennel.groom");
    assert_eq!(church.number(ROWS).await, 0);
    church.crash().await;
    church.decide(asked.id, ApprovalDecision::Approve).await.expect("approved");
    church.crash().await;
    church.advance("1min").await;
    assert_eq!(church.run(run).await.outcome, Some(RunOutcome::Succeeded));
    assert_eq!(church.number(ROWS).await, 6);
    assert!(church.approvals(ApprovalState::Pending).await.is_empty());
    church.assert_consistent().await;
});

on_both!(child_runs_of_a_refused_plan_fail_where_they_can_catch_it, with setup(), async |church: Church| {
    let run = start(&church, "caller", StartConsent::Open).await;
    church.decide(church.pending().await.id, ApprovalDecision::Deny).await.expect("denied");
    church.advance("1min").await;
    assert_eq!(church.run(run).await.outcome, Some(RunOutcome::Succeeded), "the child run went on");
    assert_eq!(church.number(ROWS).await, 0);
    assert!(church.approvals(ApprovalState::Pending).await.is_empty());
    church.assert_consistent().await;
});

on_both!(a_run_that_is_cancelled_while_it_asks_for_its_children_has_no_receipt, with setup(), async |church: Church| {
    let run = start(&church, "many", StartConsent::Open).await;
    church.control(run, abide_engine::run::Control::Cancel).await.expect("cancelled");
    church.advance("1min").await;
    assert_eq!(church.run(run).await.status.as_str(), "cancelled");
    assert_eq!(church.receipts(run).await, Vec::<Value>::new());
    assert_eq!(church.approvals(ApprovalState::Void).await.len(), 1);
    church.assert_consistent().await;
});
