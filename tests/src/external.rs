//! Calls to outside systems: the intent is committed before the call, the call happens at most once without
//! the engine knowing, and each call has one receipt that names its outcome.

use std::sync::Arc;
use std::time::Duration;

use abide_engine::adapter::CallLookup;
use abide_engine::base::{CallId, Problem, RunId, TypedId as _, Value};
use abide_engine::clock::SystemClock;
use abide_engine::facade::{Completion, ToolCall};
use abide_engine::library::Sources;
use abide_engine::run::Control;
use abide_engine::store::{CommitPoint, FaultAction, RunRef};
use serde_json::json;
use tokio::sync::Notify;

use crate::campaign::church::{Church, Setup, on_both};
use crate::engines;
use crate::faults::FaultAtCommit;
use crate::outside::{Outside, Reaction, TOKEN};
use crate::postgres::databases;
use crate::tools::{call_of, finished, receipt};

/// The tools of a garage, which a server carries out.
const TOOLS: &str = r#"
risk: T1
tools:
  garage.repair:
    description: Has a car repaired.
    effect: external
    idempotency: none
    timeout: 20s
    handler: remote
    remote: { url: "https://garage.example/repair", secret_env: GARAGE_SECRET, complete_within: 2days }
    receipt_fields: [effects.external_calls]
    input_schema:
      type: object
      required: [car]
      additionalProperties: false
      properties: { car: { type: string } }
    output_schema: { type: object, required: [response], properties: { response: { type: string } } }
  garage.wash:
    description: Has a car washed.
    effect: external
    idempotency: { mode: keyed, key_field: car }
    timeout: 20s
    handler: remote
    remote: { url: "https://garage.example/wash", secret_env: GARAGE_SECRET }
    input_schema:
      type: object
      required: [car]
      additionalProperties: false
      properties: { car: { type: string } }
    output_schema: { type: object, required: [response], properties: { response: { type: string } } }
"#;

/// A method that has a car repaired, and says so if it is not.
const METHOD: &str = r#"
method: repair
description: Has a car repaired.
inputs: { goal: { car: string } }
steps:
  - id: repair
    call: garage.repair
    args: { car: "{{goal.car}}" }
    retry: { attempts: 3, backoff: fixed, first: 1s }
    out: repaired
    on_error:
      - set: { failed: "{{error.code}}" }
"#;

fn garage() -> Setup {
    let mut setup = Setup::default().method("repair", METHOD);
    setup.sources.contracts.insert("home/garage.yaml".to_owned(), TOOLS.to_owned());
    setup
}

fn repair() -> ToolCall {
    call_of("garage.repair", json!({ "car": "VW" }))
}

async fn begin(church: &Church, call: ToolCall) -> CallId {
    let id = church.engine().call_tool("default", call).await.expect("the call is made");
    church.engine().tick().await.expect("settled");
    id
}

async fn is_finished(church: &Church, id: CallId) -> bool {
    let call = church.engine().wait_for_call("default", id, Duration::ZERO).await;
    call.expect("the call is known").receipt.is_some()
}

fn outcome(receipt: &Value) -> &Value {
    &receipt["effects"]["external_calls"][0]["outcome"]
}

on_both!(a_call_is_made_once_and_its_receipt_says_so, with garage(), async |church: Church| {
    let receipt = receipt(&church, repair()).await;
    assert_eq!(receipt["status"], "succeeded", "{receipt:#}");
    let made = json!([{
        "adapter": "remote", "target": "garage.example", "tries": 1, "outcome": "done",
    }]);
    assert_eq!(receipt["effects"]["external_calls"], made);
    let acts = church.outside.acts();
    assert_eq!(acts.len(), 1);
    assert_eq!(receipt["call_id"], json!(acts[0]));
    church.assert_consistent().await;
});

on_both!(a_lost_answer_is_looked_up_and_the_call_is_not_repeated, with garage(), async |church: Church| {
    church.outside.react([Reaction::LoseAnswer]);
    let id = begin(&church, repair()).await;
    assert!(!is_finished(&church, id).await);
    let run = church.run(RunId::from_uuid(id.uuid())).await;
    let wait = run.waiting_on.expect("a wait");
    assert_eq!(wait.kind.as_str(), "external");
    assert!(wait.why.contains("garage.example"), "{wait:?}");
    church.advance("1m").await;
    let receipt = finished(&church, id).await;
    assert_eq!((&receipt["status"], outcome(&receipt)), (&json!("succeeded"), &json!("done")));
    assert_eq!((church.outside.acts().len(), church.outside.asked()), (1, 1));
    church.assert_consistent().await;
});

on_both!(a_call_that_never_arrived_is_made_again, with garage(), async |church: Church| {
    church.outside.react([Reaction::LoseCall]);
    let id = begin(&church, repair()).await;
    church.advance("1m").await;
    let receipt = finished(&church, id).await;
    assert_eq!(receipt["status"], "succeeded");
    assert_eq!(receipt["effects"]["external_calls"][0]["tries"], 2);
    assert_eq!(church.outside.acts().len(), 1);
});

on_both!(a_doubt_is_looked_into_for_a_day, with garage(), async |church: Church| {
    let not_now = || CallLookup::NotNow { reason: "busy".to_owned() };
    church.outside.react([Reaction::LoseAnswer]);
    church.outside.answer((0..1_000).map(|_| not_now()));
    let id = begin(&church, repair()).await;
    church.advance("23h").await;
    assert!(!is_finished(&church, id).await);
    church.advance("2h").await;
    let receipt = finished(&church, id).await;
    assert_eq!(receipt["error"]["code"], "outcome_unknown", "{receipt:#}");
    assert_eq!(outcome(&receipt), "unknown");
    assert_eq!(church.outside.acts().len(), 1);
    let asked = church.outside.asked();
    assert!((200..400).contains(&asked), "asked {asked} times");
});

on_both!(an_outcome_that_is_never_known_is_not_repeated, with garage(), async |church: Church| {
    church.outside.react([Reaction::LoseAnswer]);
    let gone = || CallLookup::NeverKnown { reason: "it keeps no records".to_owned() };
    church.outside.answer([gone()]);
    let goal = json!({ "car": "VW" });
    let run = church.start("repair", goal).await.expect("started");
    church.advance("1h").await;
    assert_eq!(church.var(run.id, "failed").await, "outcome_unknown");
    let receipts = church.receipts(run.id).await;
    assert_eq!(receipts.len(), 1, "the step retries, but not this");
    assert!(receipts[0]["error"]["message"].as_str().is_some_and(|said| said.contains("records")));
    assert_eq!(church.outside.acts().len(), 1);
    church.assert_consistent().await;
});

on_both!(what_was_not_done_is_retried_as_the_step_says, with garage(), async |church: Church| {
    let away = || Reaction::Refuse(Problem::transient("unavailable", "the garage is closed"));
    church.outside.react([away(), away()]);
    let run = church.start("repair", json!({ "car": "VW" })).await.expect("started");
    church.advance("1h").await;
    let receipts = church.receipts(run.id).await;
    assert_eq!((receipts.len(), &receipts[0]["attempt"]), (1, &json!(3)), "{receipts:#?}");
    assert_eq!(receipts[0]["status"], "succeeded");
    let no = Problem::caller("refused", "no such car");
    church.outside.react([Reaction::Refuse(no)]);
    let receipt = receipt(&church, repair()).await;
    assert_eq!((&receipt["error"]["code"], outcome(&receipt)), (&json!("refused"), &json!("not_done")));
    assert_eq!(church.outside.acts().len(), 1);
});

/// Returns a completion of a call.
fn completion(call: CallId, token: &str, outcome: Result<Value, Problem>) -> Completion {
    Completion { call, run: RunId::from_uuid(call.uuid()), token: token.to_owned(), outcome }
}

on_both!(an_accepted_call_is_completed_with_its_token, with garage(), async |mut church: Church| {
    church.outside.react([Reaction::Accept]);
    let id = begin(&church, repair()).await;
    church.advance("1day").await;
    assert!(!is_finished(&church, id).await);
    church.crash().await;
    let done = || Ok(json!({ "response": "as new" }));
    let stranger = completion(id, "another token", done());
    let refused = church.engine().complete_call(stranger).await.expect_err("is refused");
    assert_eq!(refused.code, "unauthorized");
    for _ in 0..2 {
        church.engine().complete_call(completion(id, TOKEN, done())).await.expect("completed");
    }
    let other = completion(id, TOKEN, Ok(json!({ "response": "scrapped" })));
    let late = church.engine().complete_call(other.clone()).await.expect_err("is refused");
    assert_eq!(late.code, "call_finished");
    church.engine().tick().await.expect("settled");
    let receipt = finished(&church, id).await;
    assert_eq!((&receipt["status"], &receipt["result"]["response"]), (&json!("succeeded"), &json!("as new")));
    church.engine().complete_call(completion(id, TOKEN, done())).await.expect("the same again");
    let late = church.engine().complete_call(other).await.expect_err("is refused");
    assert_eq!(late.code, "call_finished");
    church.assert_consistent().await;
});

on_both!(a_completion_can_say_that_the_call_failed, with garage(), async |church: Church| {
    church.outside.react([Reaction::Accept]);
    let id = begin(&church, repair()).await;
    let broken = Problem::caller("beyond_repair", "the car is scrap");
    church.engine().complete_call(completion(id, TOKEN, Err(broken))).await.expect("completed");
    church.engine().tick().await.expect("settled");
    let receipt = finished(&church, id).await;
    assert_eq!(receipt["error"]["code"], "beyond_repair");
});

on_both!(the_other_side_cannot_speak_for_the_database, with garage(), async |church: Church| {
    for code in ["overloaded", "disk_full", "database_unavailable", "serialization_failure", "database_damaged", "crashed"] {
        church.outside.react([Reaction::Accept]);
        let id = begin(&church, repair()).await;
        let broken = Problem::caller(code, "so it says");
        church.engine().complete_call(completion(id, TOKEN, Err(broken))).await.expect("completed");
        church.engine().tick().await.expect("settled");
        let receipt = finished(&church, id).await;
        assert_eq!(receipt["error"]["code"], code);
    }
});

on_both!(an_answer_is_recorded_although_the_run_was_woken_meanwhile, with garage(), async |church: Church| {
    let told = Arc::new(Notify::new());
    church.outside.react([Reaction::Await(Arc::clone(&told))]);
    let call = async {
        let run = church.start("repair", json!({ "car": "VW" })).await.expect("started").id;
        church.engine().tick().await.expect("settled");
        run
    };
    let meanwhile = async {
        until_one(&church, CALLING).await;
        let run = church.engine().runs("default", &Default::default()).await.expect("runs").items[0].id;
        let target = RunRef { tenant: "default", run };
        let data = json!({});
        let sent = church.engine().signal(target, "hurry", &data, None);
        let stored = async {
            until_one(&church, SIGNALS).await;
            told.notify_one();
        };
        tokio::join!(sent, stored).0.expect("sent");
    };
    let (run, ()) = tokio::join!(call, meanwhile);
    church.engine().tick().await.expect("settled");
    let view = church.run(run).await;
    assert_eq!(view.status.as_str(), "completed");
    assert_eq!(view.vars.expect("variables").get("failed"), None);
    assert_eq!((church.outside.acts().len(), church.outside.asked()), (1, 0));
    church.assert_consistent().await;
});

/// The number of runs that have committed the intent of a call.
const CALLING: &str = "SELECT COUNT(*) FROM run WHERE state LIKE '%calling%'";
const SIGNALS: &str = "SELECT COUNT(*) FROM signal";
/// How often a test looks for what another part of it does.
const LOOKS_MAX: usize = 10_000;

async fn until_one(church: &Church, count: &'static str) {
    for _ in 0..LOOKS_MAX {
        if church.number(count).await > 0 {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("none: {count}");
}

/// More than the commits of a call.
const COMMITS: u32 = 8;

#[tokio::test]
async fn an_answer_is_recorded_although_the_confirmation_of_its_commit_is_lost() {
    for side in [CommitPoint::Before, CommitPoint::After] {
        for database in databases() {
            let told = format!("{database}, {side:?}");
            let loss = Arc::new(FaultAtCommit::new(FaultAction::Lose));
            let church = Church::with(database, Setup { faults: loss.clone(), ..garage() }).await;
            let mut recorded = 0;
            for nth in 1..=COMMITS {
                church.outside.answer([CallLookup::NeverKnown { reason: "no records".to_owned() }]);
                loss.arm(side, nth);
                let Ok(id) = church.engine().call_tool("default", repair()).await else { continue };
                for _ in 0..3 {
                    let _ = church.engine().tick().await;
                    church.move_clock("1min");
                }
                loss.disarm();
                church.engine().tick().await.expect("settled");
                if church.outside.acts().contains(&id) {
                    let receipt = finished(&church, id).await;
                    assert_eq!(receipt["status"], "succeeded", "{told}, {nth}: {receipt:#}");
                    recorded += 1;
                }
            }
            assert!(recorded > 2, "{told}");
            church.assert_consistent().await;
        }
    }
}

on_both!(an_accepted_call_must_be_completed_in_time, with garage(), async |church: Church| {
    church.outside.react([Reaction::Accept]);
    let id = begin(&church, repair()).await;
    church.advance("3days").await;
    let receipt = finished(&church, id).await;
    assert_eq!(receipt["error"]["code"], "outcome_unknown");
    let late = completion(id, TOKEN, Ok(json!({ "response": "as new" })));
    assert!(church.engine().complete_call(late).await.is_err());
});

on_both!(a_run_that_does_not_wait_for_the_outcome_leaves_a_receipt, with garage(), async |church: Church| {
    church.outside.react([Reaction::LoseAnswer]);
    let run = church.start("repair", json!({ "car": "VW" })).await.expect("started");
    church.engine().tick().await.expect("settled");
    church.control(run.id, Control::Cancel).await.expect("cancelled");
    church.engine().tick().await.expect("settled");
    let receipts = church.receipts(run.id).await;
    assert_eq!(receipts.len(), 1);
    assert_eq!(receipts[0]["error"]["code"], "outcome_unknown");
    assert_eq!(church.run(run.id).await.status.as_str(), "cancelled");
    church.assert_consistent().await;
});

on_both!(a_key_never_lets_a_tool_act_twice_outside, with garage(), async |church: Church| {
    let wash = || call_of("garage.wash", json!({ "car": "VW" }));
    let first = receipt(&church, wash()).await;
    let second = receipt(&church, wash()).await;
    assert_eq!(first["result"], second["result"]);
    assert_eq!(second["effects"]["idempotency_hit"], json!(["VW"]));
    assert_eq!(church.outside.acts().len(), 1);

    let other = || call_of("garage.wash", json!({ "car": "BMW" }));
    let no = Problem::caller("refused", "no water");
    church.outside.react([Reaction::Refuse(no)]);
    assert_eq!(receipt(&church, other()).await["error"]["code"], "refused");
    assert_eq!(receipt(&church, other()).await["status"], "succeeded", "nothing was done before");

    let doubtful = || call_of("garage.wash", json!({ "car": "Fiat" }));
    church.outside.react([Reaction::LoseAnswer]);
    church.outside.answer([CallLookup::NeverKnown { reason: "no records".to_owned() }]);
    let id = begin(&church, doubtful()).await;
    church.advance("1m").await;
    assert_eq!(finished(&church, id).await["error"]["code"], "outcome_unknown");
    let again = receipt(&church, doubtful()).await;
    assert_eq!(again["error"]["code"], "outcome_unknown", "{again:#}");
    assert_eq!(church.outside.acts().len(), 3);
    church.assert_consistent().await;
});

#[tokio::test]
async fn a_crash_at_any_commit_leaves_one_receipt_and_one_act() {
    for action in [FaultAction::Lose, FaultAction::Crash] {
        for side in [CommitPoint::Before, CommitPoint::After] {
            for nth in 1..=4 {
                for database in databases() {
                    let fault = Arc::new(FaultAtCommit::new(action));
                    let setup = Setup { faults: fault.clone(), ..garage() };
                    let mut church = Church::with(database, setup).await;
                    let call = ToolCall { request_key: Some("r".to_owned()), ..repair() };
                    fault.arm(side, nth);
                    let engine = church.engine().clone();
                    let _ = engine.call_tool("default", call.clone()).await;
                    let _ = engine.tick().await;
                    drop(engine);
                    fault.disarm();
                    church.crash().await;
                    church.engine().release_crashed_claims().await.expect("released");
                    let id = begin(&church, call).await;
                    church.advance("1h").await;
                    let receipt = finished(&church, id).await;
                    assert_eq!(
                        receipt["status"], "succeeded",
                        "{action:?} {side:?} {nth}: {receipt:#}"
                    );
                    assert_eq!(church.outside.acts(), [id], "{action:?} {side:?} {nth}");
                    church.assert_consistent().await;
                }
            }
        }
    }
}

#[tokio::test]
async fn a_time_limit_stops_a_call_that_hangs() {
    for database in databases() {
        let outside = Outside::default();
        outside.react([Reaction::Hang]);
        outside.answer([CallLookup::NeverKnown { reason: "no records".to_owned() }]);
        let mut sources = Sources::builtin();
        let tools = TOOLS.replace("timeout: 20s", "timeout: 50ms");
        sources.contracts.insert("home/garage.yaml".to_owned(), tools);
        let library = engines::library(&sources);
        let mut config = engines::config(database.url(), library, Arc::new(SystemClock), 7);
        config.adapters = outside.adapters();
        let engine = engines::open(config).await;
        let id = engine.call_tool("default", repair()).await.expect("the call is made");
        engine.tick().await.expect("settled");
        let call = engine.call("default", id).await.expect("known");
        assert!(call.receipt.is_none(), "the outcome is in doubt: {call:?}");
        let run = engine.run("default", RunId::from_uuid(id.uuid())).await.expect("a run");
        let wait = run.waiting_on.expect("a wait");
        assert!(wait.why.contains("not known"), "{wait:?}");
    }
}
