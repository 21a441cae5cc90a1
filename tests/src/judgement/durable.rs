//! What is to be kept, avoided, brought about or done later is done by runs, which crashes do not end.

use abide_engine::base::{RunId, Value};
use abide_engine::domain::StartRun;
use abide_engine::run::{ApprovalDecision, ApprovalScope, RunStatus};
use serde_json::json;

use super::post;
use crate::campaign::church::{Church, Setup, on_both};

/// The radius of the seed's example, in metres.
const RADIUS: f64 = 0.1;
/// How the table is tilted during an hour: every ten minutes otherwise, in metres a second.
const DRIFTS: [[f64; 2]; 6] = [
    [0.0005, 0.0],
    [0.0, -0.001],
    [-0.0008, 0.0008],
    [0.0, 0.0],
    [0.001, 0.0003],
    [-0.0001, -0.0009],
];
const NUDGES: &str = "SELECT COUNT(*) FROM ledger WHERE kind = 'receipt' AND tool = 'ask.ball_nudge' AND status = 'succeeded'";
const RESOLVED: &str =
    "SELECT COUNT(*) FROM obligation WHERE kind = 'MAINTAIN' AND status = 'resolved'";

fn church() -> Setup {
    Setup::settings(json!({}))
}

async fn ask(church: &Church, text: &str) -> Value {
    let body = json!({ "text": text, "user": "u1", "trace": true });
    let answer = post(church, "/v1/ask", None, &body).await;
    assert_eq!(answer.status, 200, "{:#}", answer.body);
    answer.body
}

async fn order(church: &Church, kind: &str, payload: Value) -> Value {
    let obligations = json!({ "obligations": [{ "type": kind, "payload": payload }] });
    let body = json!({ "obligations": obligations, "user": "u1", "trace": true });
    let answer = post(church, "/v1/ask", None, &body).await;
    assert_eq!(answer.status, 200, "{:#}", answer.body);
    answer.body
}

/// Calls a tool, and returns its receipt.
async fn call(church: &Church, tool: &str, input: Value) -> Value {
    let path = format!("/v1/tools/{tool}/calls");
    post(church, &path, None, &json!({ "input": input })).await.body
}

async fn push(church: &Church, input: Value) {
    let pushed = call(church, "ask.ball_push", input).await;
    assert_eq!(pushed["status"], "succeeded", "{pushed:#}");
}

/// Returns how far the ball is from the centre.
async fn distance(church: &Church) -> f64 {
    let sensed = call(church, "ask.ball_sense", json!({})).await;
    sensed["result"]["distance"].as_f64().unwrap_or_else(|| panic!("{sensed:#}"))
}

fn said(answer: &Value) -> &str {
    answer["answer"].as_str().expect("an answer")
}

fn run_of(answer: &Value) -> RunId {
    let run = answer["trace"]["obligations"][0]["run_id"].as_str();
    run.and_then(|run| run.parse().ok()).unwrap_or_else(|| panic!("{answer:#}"))
}

fn status(answer: &Value) -> &Value {
    &answer["trace"]["obligations"][0]["status"]
}

/// Plays the drifts of an hour. Returns how far the ball was from the centre at most, looked at every 20 seconds.
async fn play(church: &mut Church) -> f64 {
    let mut farthest: f64 = 0.0;
    for (nth, [x, y]) in DRIFTS.into_iter().enumerate() {
        push(church, json!({ "drift_x": x, "drift_y": y })).await;
        if nth % 2 == 1 {
            church.crash().await;
        }
        for _ in 0..30 {
            church.advance("20s").await;
            farthest = farthest.max(distance(church).await);
        }
    }
    farthest
}

on_both!(the_ball_is_held_within_its_radius_through_crashes, with church(), async |mut church: Church| {
    let payload = json!({ "pred": "ball.within_radius", "args": { "r": RADIUS }, "deadline": "1h", "every": "30s" });
    let answer = order(&church, "MAINTAIN", payload).await;
    assert!(said(&answer).contains("until Tue 30 Sep 11:00"), "{answer:#}");
    assert_eq!(status(&answer), "active", "{answer:#}");
    let run = run_of(&answer);
    let farthest = play(&mut church).await;
    assert!(farthest > 0.02 && farthest <= RADIUS, "{farthest}");
    let receipts = church.receipts(run).await;
    let looks: Vec<f64> = receipts.iter().filter_map(|it| it["result"]["distance"].as_f64()).collect();
    assert!(looks.len() > 120 && looks.iter().all(|far| *far <= RADIUS), "{looks:?}");
    assert!(church.number(NUDGES).await > 5);
    church.advance("1min").await;
    assert_eq!(church.run(run).await.status, RunStatus::Completed);
    assert_eq!(church.number(RESOLVED).await, 1, "{:?}", church.run(run).await);
    let ended = "SELECT COUNT(*) FROM standing_obligation WHERE ended_at IS NOT NULL AND due_at IS NULL";
    assert_eq!(church.number(ended).await, 1);
    let nudges = church.number(NUDGES).await;
    push(&church, json!({ "drift_x": 0.001 })).await;
    church.advance("1h").await;
    assert_eq!(church.number(NUDGES).await, nudges, "it is over");
    church.assert_consistent().await;
});

on_both!(a_ball_that_nobody_holds_leaves, with church(), async |mut church: Church| {
    let farthest = play(&mut church).await;
    assert!(farthest > RADIUS, "{farthest}");
    church.assert_consistent().await;
});

on_both!(a_call_that_touches_the_state_wakes_its_run, with church(), async |church: Church| {
    let answer = ask(&church, "keep the ball within 0.1 of the centre for an hour").await;
    assert!(said(&answer).contains("until Tue 30 Sep 11:00"), "{answer:#}");
    push(&church, json!({ "x": 0.3, "y": 0.1 })).await;
    assert!(distance(&church).await <= RADIUS, "it does not wait for its next look");
    assert_eq!(church.number(NUDGES).await, 5);
    church.assert_consistent().await;
});

on_both!(the_same_order_is_given_once_and_ended_by_whoever_gave_it, with church(), async |church: Church| {
    let text = "make sure the ball stays within 10 cm until 5pm";
    let first = ask(&church, text).await;
    let again = ask(&church, text).await;
    assert!(said(&again).contains("already keep it so until Tue 30 Sep 17:00"), "{again:#}");
    assert_eq!(run_of(&first), run_of(&again));
    assert_eq!(church.number("SELECT COUNT(*) FROM standing_obligation").await, 1);
    let other = json!({ "text": "stop keeping the ball in place", "user": "u2" });
    post(&church, "/v1/ask", None, &other).await;
    assert!(!church.run(run_of(&first)).await.status.is_terminal(), "somebody else gave the order");
    let ended = ask(&church, "stop keeping the ball in place").await;
    assert_eq!(ended["trace"]["obligations"][0]["runs"][0]["tool"], "ask.release", "{ended:#}");
    church.advance("1s").await;
    assert_eq!(church.run(run_of(&first)).await.status, RunStatus::Cancelled);
    assert_eq!(church.number("SELECT COUNT(*) FROM obligation WHERE status = 'cancelled'").await, 1);
    let fresh = ask(&church, text).await;
    assert_ne!(run_of(&first), run_of(&fresh), "the order can be given again");
    church.assert_consistent().await;
});

on_both!(a_call_that_would_bring_about_what_is_avoided_is_refused, with church(), async |mut church: Church| {
    let payload = json!({ "pred": "ball.outside_radius", "args": { "r": 0.2 }, "deadline": "2h" });
    let answer = order(&church, "AVOID", payload).await;
    assert!(said(&answer).contains("refuse calls"), "{answer:#}");
    church.crash().await;
    let refused = call(&church, "ask.ball_push", json!({ "x": 0.5 })).await;
    assert_eq!(refused["error"]["code"], "avoided", "{refused:#}");
    let text = "method: plan_push\nsteps:\n  - { id: c1, call: ask.ball_push, args: { x: 0.5 } }\n";
    let plan = StartRun { outside_plan: Some(text.to_owned()), ..StartRun::default() };
    let run = church.engine().start("default", plan).await.expect("started").run;
    assert_eq!(church.receipts(run).await[0]["error"]["code"], "avoided", "in a plan, too");
    assert!(distance(&church).await < 0.001);
    church.advance("2h").await;
    assert_eq!(church.run(run_of(&answer)).await.status, RunStatus::Completed);
    push(&church, json!({ "x": 0.5 })).await;
    church.assert_consistent().await;
});

on_both!(an_order_that_cannot_be_kept_fails_honestly, with church(), async |church: Church| {
    let held = json!({ "pred": "ball.within_radius", "args": { "r": RADIUS }, "deadline": "1h" });
    let held = order(&church, "MAINTAIN", held).await;
    order(&church, "AVOID", json!({ "pred": "ball.within_radius", "args": {}, "deadline": "1h" })).await;
    push(&church, json!({ "drift_x": 0.001 })).await;
    church.advance("30min").await;
    assert!(distance(&church).await > RADIUS, "nothing may bring it back");
    assert_eq!(church.number(NUDGES).await, 0);
    church.advance("31min").await;
    assert_eq!(church.run(run_of(&held)).await.outcome.map(|it| it.as_str()), Some("fell_short"));
    assert_eq!(church.number("SELECT COUNT(*) FROM obligation WHERE status = 'failed'").await, 2);
    church.assert_consistent().await;
});

on_both!(a_state_is_brought_about_in_as_many_acts_as_it_needs, with church(), async |mut church: Church| {
    push(&church, json!({ "x": 0.4 })).await;
    let answer = ask(&church, "move the ball to the center").await;
    assert_eq!(status(&answer), "active", "five nudges at a look are not enough: {answer:#}");
    church.crash().await;
    church.advance("1min").await;
    assert_eq!(church.run(run_of(&answer)).await.status, RunStatus::Completed);
    assert_eq!((church.number(NUDGES).await, distance(&church).await < 0.02), (8, true));
    let again = ask(&church, "move the ball to the center").await;
    assert_eq!((said(&again), status(&again)), ("Done", &json!("resolved")), "{again:#}");
    push(&church, json!({ "drift_x": 0.1 })).await;
    let late = json!({ "pred": "ball.at_center", "args": {}, "deadline": "5m" });
    let late = order(&church, "ACHIEVE", late).await;
    church.advance("6min").await;
    assert_eq!(church.run(run_of(&late)).await.status, RunStatus::Completed);
    assert_eq!(church.number("SELECT COUNT(*) FROM obligation WHERE status = 'expired'").await, 1);
    church.assert_consistent().await;
});

on_both!(what_is_to_be_done_later_is_done_once_at_its_time, with church(), async |mut church: Church| {
    push(&church, json!({ "x": 0.04 })).await;
    let answer = ask(&church, "at 5pm put the ball back in the center").await;
    assert_eq!(answer["obligations"][0]["payload"]["obligation"]["type"], "ACHIEVE", "{answer:#}");
    assert!(said(&answer).contains("I will do it at Tue 30 Sep 17:00"), "{answer:#}");
    church.advance("6h 59min").await;
    church.crash().await;
    assert_eq!(church.number(NUDGES).await, 0);
    church.advance("1min").await;
    assert_eq!((church.number(NUDGES).await, distance(&church).await < 0.001), (1, true));
    church.advance("2days").await;
    assert_eq!(church.number(NUDGES).await, 1);
    assert_eq!(church.run(run_of(&answer)).await.status, RunStatus::Completed);
    let noted = ask(&church, "remind me to put the ball back in the center at 5pm").await;
    assert!(said(&noted).starts_with("Noted: "), "a reminder stays one: {noted:#}");
    church.assert_consistent().await;
});

on_both!(an_order_without_tools_or_with_a_bad_time_is_not_promised, with church(), async |church: Church| {
    let unknown = order(&church, "MAINTAIN", json!({ "pred": "reactor.cool", "args": {} })).await;
    assert_eq!(unknown["trace"]["obligations"][0]["discover_op"], "VERIFY(reactor.cool)", "{unknown:#}");
    assert_eq!(status(&unknown), "deferred");
    let late = json!({ "pred": "ball.in_place", "args": {}, "deadline": "2020-01-01T00:00:00Z" });
    let late = order(&church, "MAINTAIN", late).await;
    assert_eq!(late["obligations"][1]["payload"]["slot"], "deadline", "{late:#}");
    let body = json!({ "obligations": { "obligations": [{ "type": "MAINTAIN", "payload": {} }] } });
    let refused = post(&church, "/v1/ask", None, &body).await;
    assert_eq!((refused.status, &refused.body["code"]), (422, &json!("obligations_invalid")));
    assert_eq!(church.number("SELECT COUNT(*) FROM standing_obligation").await, 0);
    church.assert_consistent().await;
});

on_both!(an_order_whose_process_ended_early_is_taken_up, with church(), async |church: Church| {
    let payload = json!({ "pred": "ball.in_place", "args": {}, "deadline": "1h" });
    let answer = order(&church, "MAINTAIN", payload).await;
    church.execute("UPDATE standing_obligation SET run_id = NULL, due_at = from_at").await;
    church.advance("1s").await;
    assert_eq!(church.number("SELECT COUNT(*) FROM standing_obligation WHERE run_id IS NOT NULL AND due_at IS NULL").await, 1);
    assert_eq!(church.number("SELECT COUNT(*) FROM run WHERE method LIKE 'standing%'").await, 1);
    assert!(!church.run(run_of(&answer)).await.status.is_terminal());
    church.assert_consistent().await;
});

on_both!(the_run_of_an_order_that_was_ended_before_it_began_is_cancelled, with church(), async |church: Church| {
    let payload = json!({ "pred": "ball.in_place", "args": {}, "deadline": "1h" });
    let answer = order(&church, "MAINTAIN", payload).await;
    church
        .execute("UPDATE standing_obligation SET run_id = NULL, due_at = from_at, ended_at = from_at")
        .await;
    church.advance("1s").await;
    assert_eq!(church.run(run_of(&answer)).await.status, RunStatus::Cancelled);
    church.assert_consistent().await;
});

/// A home in which a person approves nudges.
fn careful() -> Setup {
    let mut setup = church();
    let stricter = "tools:\n  ask.ball_nudge: { risk: T3 }\n";
    setup.sources.add_home_contracts("ball.yaml", stricter.to_owned());
    setup
}

on_both!(an_order_passes_the_gates_of_its_calls, with careful(), async |church: Church| {
    push(&church, json!({ "x": 0.04 })).await;
    let answer = ask(&church, "move the ball to the center").await;
    assert!(said(&answer).contains("somebody must approve it first"), "{answer:#}");
    let asked = church.pending().await;
    assert_eq!(asked.scope, ApprovalScope::Run);
    assert_eq!(church.number(NUDGES).await, 0);
    church.decide(asked.id, ApprovalDecision::Approve).await.expect("approved");
    church.advance("1min").await;
    assert_eq!(church.number(NUDGES).await, 1);
    church.assert_consistent().await;
});
