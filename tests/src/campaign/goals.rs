//! A goal without a method: the planner finds one, records the plan, asks which of several is meant, and lets a
//! supervisor look at a plan that is complex.

use abide_engine::base::Value;
use abide_engine::domain::StartRun;
use abide_engine::facade::EventFilter;
use abide_engine::run::ApprovalDecision;
use abide_engine::store::ApprovalState;
use serde_json::json;

use super::church::{Church, PAT, Setup, goal, on_both};

/// A second method for the same goal.
const BY_PHONE: &str = r#"
method: fill_by_phone
applicable_if: goal.kind == "FillRole" and goal.count < 50
steps:
  - call: notify
    args: { targets: [staff], template: not_done, vars: { what: "calling people", why: "it is your turn" } }
"#;

async fn plans(church: &Church) -> Vec<Value> {
    church.wait_until_log_is_readable().await;
    let filter = EventFilter { limit: 500, ..EventFilter::default() };
    let events = church.engine().event_log("default", filter).await.expect("events").items;
    events.into_iter().filter(|it| it.kind.as_str() == "plan_proposed").map(|it| it.body).collect()
}

/// Returns the texts of one kind to a number, the oldest first.
async fn texts(church: &Church, to: &str, kind: &str) -> Vec<String> {
    let mut found = church.messages(to).await;
    found.retain(|message| message.kind.as_deref() == Some(kind));
    found.reverse();
    found.into_iter().map(|message| message.body).collect()
}

/// A method with `notes` notices.
fn chatty(notes: usize) -> String {
    let note = "  - call: notify\n    occasion: n{n}\n    args: { targets: [staff], template: not_done, vars: { what: \"this\", why: \"that\" } }\n";
    let steps: String = (0..notes).map(|n| note.replace("{n}", &n.to_string())).collect();
    format!("method: chatty\napplicable_if: goal.kind == 'Chat'\nsteps:\n{steps}")
}

async fn start(church: &Church, goal: Value) -> Result<abide_engine::facade::RunView, String> {
    let wanted = StartRun { goal, ..StartRun::default() };
    let started = church.engine().start_run("default", wanted).await;
    started.map_err(|problem| format!("{}: {}", problem.code, problem.hint.unwrap_or_default()))
}

on_both! { a_text_is_planned_before_its_run_begins, async |mut church: Church| {
    church.text(PAT, "Fill 2 nursery spots for the 9am service").await;
    let plans = plans(&church).await;
    assert_eq!(plans.len(), 1, "{plans:#?}");
    assert_eq!(plans[0]["method"], "fill_roles");
    assert_eq!(plans[0]["goal"]["role"], "nursery");
    assert_eq!(plans[0]["complexity_score"], 7.5);
    assert!(plans[0]["rationale"].as_str().is_some_and(|why| why.starts_with("Invite everyone")));
    assert_eq!(plans[0]["steps"][0]["call"], "search_people");
    church.assert_consistent().await;
} }

on_both! { the_tenants_default_serves_a_goal_that_several_methods_serve,
with Setup::default().method("fill_by_phone", BY_PHONE), async |church: Church| {
    let run = start(&church, goal(2)).await.expect("starts");
    assert_eq!(run.method, "fill_roles");
    let refused = start(&church, json!({"kind": "BakeBread"})).await.expect_err("nothing serves it");
    assert!(refused.starts_with("no_method: "), "{refused}");
} }

on_both! { staff_choose_among_methods_if_there_is_no_default, with Setup {
    settings: json!({ "default_methods": {} }), ..Setup::default().method("fill_by_phone", BY_PHONE)
}, async |mut church: Church| {
    let refused = start(&church, goal(2)).await.expect_err("which one?");
    assert_eq!(refused, "method_ambiguous: name one of fill_by_phone, fill_roles, or set `default_methods`");
    for (answer, method) in [("2", "fill_roles"), ("fill by phone please", "fill_by_phone")] {
        let role = if method == "fill_roles" { "nursery" } else { "greeters" };
        church.text(PAT, &format!("Fill 2 {role} spots for the 9am service")).await;
        let asked = texts(&church, PAT, "which_method").await;
        let asked = asked.last().expect("a question");
        assert!(asked.contains("1: fill by phone; 2: fill roles"), "{asked}");
        church.crash().await;
        church.text(PAT, answer).await;
        let plans = plans(&church).await;
        assert_eq!(plans.last().expect("a plan")["method"], method, "{answer}");
        assert_eq!(plans.last().expect("a plan")["goal"]["role"], role, "{answer}");
    }
    church.assert_consistent().await;
} }

on_both! { a_complex_plan_waits_for_a_supervisor, with Setup::default().method("chatty", chatty(23)),
async |church: Church| {
    let chat = json!({"kind": "Chat"});
    let run = start(&church, chat.clone()).await.expect("starts");
    let asked = church.pending().await;
    assert_eq!(asked.scope.as_str(), "run");
    assert!(asked.reason.contains("complex"), "{}", asked.reason);
    assert_eq!(texts(&church, PAT, "not_done").await.len(), 0, "nothing acts before a consent");
    church.decide(asked.id, ApprovalDecision::Deny).await.expect("decides");
    church.advance("1s").await;
    assert_eq!(church.run(run.id).await.error.expect("has failed").code, "denied");

    start(&church, chat).await.expect("starts");
    let asked = church.pending().await;
    church.decide(asked.id, ApprovalDecision::Approve).await.expect("decides");
    church.advance("1s").await;
    assert_eq!(texts(&church, PAT, "not_done").await.len(), 23);
    let named = church.start("chatty", json!({"kind": "Chat"})).await.expect("starts");
    assert_eq!(church.approvals(ApprovalState::Pending).await.len(), 0, "a method that is named needs no consent");
    assert_eq!(church.run(named.id).await.status.as_str(), "completed");
    church.assert_consistent().await;
} }
