//! Waits that end at a time that is known only when they begin. Before each look, the process crashes.

use abide_engine::base::{RunId, Value};
use abide_engine::run::{RunOutcome, RunStatus};
use abide_engine::store::RunRef;
use serde_json::json;

use super::church::{Church, SERVICE, Setup, goal, on_both};

/// Asks for a roster until two days before the service, and then waits as long as the goal says.
const ROSTER: &str = r#"
method: roster
steps:
  - id: ask
    await: { signal: roster, until: "{{instant(goal.service) - 2days}}", at_most: 10days, out: roster }
  - set: { late: "{{timeout}}" }
  - id: rest
    await: { timeout: "{{goal.rest}}", at_most: 1day }
  - set: { done: true }
"#;

/// Invites everybody, and waits for two people until the instant in the goal, at most a day.
const INVITE: &str = r#"
method: invite
applicable_if: goal.kind == "FillRole"
limits: { max_messages: 100 }
steps:
  - call: search_people
    args: { filter: { roles: ["{{goal.role}}"] }, limit: 100 }
    out: people
  - call: make_offers
    args: { people: "{{people}}", role: "{{goal.role}}", time: "{{goal.time}}", expires_at: "{{now + 4days}}" }
  - id: wait
    call: wait_for_replies
    args: { offers: "pending_for(goal.role, goal.time)", count: "{{goal.count}}", until: "{{goal.until}}", at_most: 1day }
    out: accepted
  - set: { late: "{{timeout}}" }
success_when: not late
"#;

fn setup() -> Setup {
    Setup::default().method("roster", ROSTER).method("invite", INVITE)
}

async fn roster(church: &Church, goal: Value) -> RunId {
    church.start("roster", goal).await.expect("started").id
}

async fn send_roster(church: &Church, run: RunId) {
    let run = RunRef { tenant: "default", run };
    church.engine().signal(run, "roster", &json!("Ana"), None).await.expect("sent");
}

/// Starts the run that invites people, and returns its id.
async fn invite(church: &Church, until: &str) -> RunId {
    let mut goal = goal(2);
    goal["until"] = until.into();
    church.start("invite", goal).await.expect("started").id
}

/// Returns until when a run waits, after a crash.
async fn waits_until(church: &mut Church, run: RunId) -> Option<String> {
    church.crash().await;
    church.run(run).await.waiting_on.and_then(|wait| wait.until).map(|until| until.to_string())
}

on_both!(a_wait_ends_at_an_instant_that_the_goal_gives, with setup(), async |mut church: Church| {
    let run = roster(&church, json!({ "service": SERVICE, "rest": "3h" })).await;
    let until = waits_until(&mut church, run).await.expect("it waits");
    assert!(until.starts_with("2025-10-03T14:00:00"), "{until}");
    church.advance("70h").await;
    assert_eq!(church.run(run).await.position.map(|it| it.step_id).as_deref(), Some("ask"));
    church.advance("1h").await;
    assert_eq!(church.var(run, "late").await, json!(true));
    let until = waits_until(&mut church, run).await.expect("it rests");
    assert!(until.starts_with("2025-10-03T17:00:00"), "{until}");
    church.advance("3h").await;
    let view = church.run(run).await;
    assert_eq!(view.status, RunStatus::Completed, "{view:?}");
    church.assert_consistent().await;
});

on_both!(a_signal_ends_the_wait_before_its_instant, with setup(), async |mut church: Church| {
    let run = roster(&church, json!({ "service": SERVICE, "rest": "1week" })).await;
    church.advance("5h").await;
    send_roster(&church, run).await;
    assert_eq!(church.var(run, "roster").await, json!("Ana"));
    assert_eq!(church.var(run, "late").await, json!(false));
    let until = waits_until(&mut church, run).await.expect("it rests");
    assert!(until.starts_with("2025-10-01T20:00:00"), "at most a day: {until}");
    church.assert_consistent().await;
});

on_both!(an_instant_that_has_passed_ends_the_wait_at_once, with setup(), async |church: Church| {
    let run = roster(&church, json!({ "service": "2025-01-01T00:00:00Z", "rest": "0s" })).await;
    let view = church.run(run).await;
    assert_eq!(view.status, RunStatus::Completed, "{view:?}");
    assert_eq!(church.var(run, "late").await, json!(true));
    church.assert_consistent().await;
});

on_both!(a_value_that_is_no_instant_fails_the_step, with setup(), async |church: Church| {
    let run = roster(&church, json!({ "service": SERVICE, "rest": "soon" })).await;
    send_roster(&church, run).await;
    let view = church.run(run).await;
    assert_eq!(view.status, RunStatus::Failed, "{view:?}");
    let failure = view.error.expect("an error");
    assert_eq!((failure.step_id.as_str(), failure.code.as_str()), ("rest", "expression_failed"));
    assert!(failure.message.contains("\"soon\", which is not a duration"), "{failure:?}");
});

on_both!(replies_are_awaited_until_an_instant, with setup(), async |mut church: Church| {
    let run = invite(&church, "2025-09-30T13:00:00-05:00").await;
    let until = waits_until(&mut church, run).await.expect("it waits");
    assert!(until.starts_with("2025-09-30T18:00:00"), "{until}");
    church.say("A", "yes").await;
    church.advance("3h").await;
    let view = church.run(run).await;
    assert_eq!(view.outcome, Some(RunOutcome::FellShort), "{view:?}");
    assert_eq!(church.var(run, "accepted").await.as_array().map(Vec::len), Some(1));
    church.assert_consistent().await;
});

on_both!(replies_are_awaited_for_a_day_at_most, with setup(), async |mut church: Church| {
    let run = invite(&church, "2025-10-05T09:00:00-05:00").await;
    let until = waits_until(&mut church, run).await.expect("it waits");
    assert!(until.starts_with("2025-10-01T15:00:00"), "{until}");
    church.say("AB", "yes").await;
    let view = church.run(run).await;
    assert_eq!(view.outcome, Some(RunOutcome::Succeeded), "{view:?}");
    church.assert_consistent().await;
});

on_both!(replies_are_not_awaited_past_an_instant_that_has_passed, with setup(), async |church: Church| {
    let run = invite(&church, "2025-01-01T00:00:00Z").await;
    let view = church.run(run).await;
    assert_eq!(view.outcome, Some(RunOutcome::FellShort), "{view:?}");
    assert_eq!(church.var(run, "late").await, json!(true));
    church.assert_consistent().await;
});
