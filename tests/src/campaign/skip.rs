//! Skipping a step that can never succeed.

use abide_engine::base::{Problem, RunId, Value};
use abide_engine::facade::{RunView, WaitKind};
use abide_engine::run::Control;
use serde_json::{Map, json};

use super::church::{Church, on_both};
use super::probe::probed;

const STUBBORN: &str = r#"
method: stubborn
steps:
  - id: knock
    call: attempt
    args: { failures: 1000, transient: "{{goal.transient}}" }
    retry: { attempts: 100, backoff: fixed, first: 1h, max: 1h, on: [transient] }
    out: tries
  - id: tell
    call: echo
    args: { value: "{{tries}}" }
    out: told
"#;

const PATIENT: &str = "method: patient
steps:
  - await: { signal: word, timeout: 2h, out: word }
  - set: { done: true }
";

const TWICE_PATIENT: &str = "method: twice_patient
steps:
  - await: { signal: word, timeout: 2h, out: word }
  - await: { signal: word, timeout: 2h, out: more }
";

const MANY: &str = r#"
method: many
steps:
  - id: knock
    call: attempt
    foreach: one in goal.all
    when: one != 2
    args: { failures: 1000, transient: false }
    out: tries
"#;

const ABREAST: &str = "method: abreast
steps:
  - parallel:
      - - await: { signal: left, timeout: 1h }
      - - await: { signal: right, timeout: 1h }
";

async fn skip(church: &Church, run: RunId, out: Option<Value>) -> Result<RunView, Problem> {
    church.engine().skip("default", run, out, None).await
}

async fn start(church: &Church, method: &str, goal: Value) -> RunId {
    church.start(method, goal).await.expect("started").id
}

async fn vars(church: &Church, run: RunId) -> Map<String, Value> {
    church.run(run).await.vars.expect("variables")
}

/// Returns the `run.skipped` events of a run.
async fn skipped(church: &Church, run: RunId) -> Vec<Value> {
    let events = church.engine().events("default", run, 0, 100).await.expect("events").items;
    events
        .into_iter()
        .filter(|event| event.kind.as_str() == "run.skipped")
        .map(|event| event.body)
        .collect()
}

on_both!(
    a_run_continues_after_a_skipped_failed_waiting_or_paused_step,
    with probed(&[("stubborn", STUBBORN), ("patient", PATIENT)]),
    async |mut church: Church| {
        let failed = start(&church, "stubborn", json!({ "transient": false })).await;
        assert_eq!(church.run(failed).await.status.as_str(), "failed");
        church.crash().await;
        let view = skip(&church, failed, Some(json!({ "people": 7 }))).await.expect("skipped");
        assert_eq!((view.status.as_str(), view.error), ("completed", None));
        assert_eq!(vars(&church, failed).await["told"], json!({ "people": 7 }));
        let noted = json!({ "step_id": "knock", "gave": true });
        assert_eq!(skipped(&church, failed).await, [noted], "the ledger does not hold the value");

        let retrying = start(&church, "stubborn", json!({ "transient": true })).await;
        assert_eq!(church.run(retrying).await.waiting_on.map(|wait| wait.kind), Some(WaitKind::Retry));
        let view = skip(&church, retrying, None).await.expect("skipped");
        assert_eq!(view.status.as_str(), "completed");
        let bound = vars(&church, retrying).await;
        assert_eq!((bound.get("tries"), &bound["told"]), (None, &Value::Null), "it stays unset");

        let paused = start(&church, "patient", json!({})).await;
        church.control(paused, Control::Pause).await.expect("paused");
        assert_eq!(skip(&church, paused, None).await.expect("skipped").status.as_str(), "completed");
        assert_eq!(vars(&church, paused).await["done"], true);
        church.assert_consistent().await;
    }
);

on_both!(
    one_item_of_a_foreach_is_skipped_at_a_time,
    with probed(&[("many", MANY)]),
    async |church: Church| {
        let run = start(&church, "many", json!({ "all": [1, 2, 3] })).await;
        assert_eq!(church.run(run).await.position.expect("a place").foreach_index, Some(0));
        let view = skip(&church, run, Some(json!("first"))).await.expect("skipped");
        assert_eq!(view.position.expect("a place").foreach_index, Some(2), "the next item failed");
        assert_eq!(skip(&church, run, None).await.expect("skipped").status.as_str(), "completed");
        assert_eq!(vars(&church, run).await["tries"], json!(["first", null, null]));
        church.assert_consistent().await;
    }
);

on_both!(
    a_step_that_cannot_be_skipped_is_refused,
    with probed(&[("stubborn", STUBBORN), ("patient", PATIENT), ("abreast", ABREAST)]),
    async |church: Church| {
        let code = async |run, out| skip(&church, run, out).await.expect_err("refused").code;
        let waiting = start(&church, "patient", json!({})).await;
        assert_eq!(code(waiting, Some(json!(1))).await, "out_unbound");
        let parallel = start(&church, "abreast", json!({})).await;
        assert_eq!(code(parallel, None).await, "wrong_state");
        skip(&church, waiting, None).await.expect("skipped");
        assert_eq!(code(waiting, None).await, "wrong_state", "the run has ended");
        let nobody: RunId = "run_00000000000000000000000000000001".parse().expect("an id");
        assert_eq!(code(nobody, None).await, "unknown_run");
        church.assert_consistent().await;
    }
);

on_both!(
    a_skip_that_is_sent_again_with_its_key_skips_one_step,
    with probed(&[("twice_patient", TWICE_PATIENT)]),
    async |mut church: Church| {
        let run = start(&church, "twice_patient", json!({})).await;
        let keyed = async |church: &Church, key: &str| {
            church.engine().skip("default", run, None, Some(key.to_owned())).await
        };
        assert_eq!(keyed(&church, "one").await.expect("skipped").status.as_str(), "waiting");
        church.crash().await;
        assert_eq!(keyed(&church, "one").await.expect("known").status.as_str(), "waiting");
        assert_eq!(keyed(&church, "two").await.expect("skipped").status.as_str(), "completed");
        assert_eq!(keyed(&church, "two").await.expect("known").status.as_str(), "completed");
        assert_eq!(skipped(&church, run).await.len(), 2);
        let long = "k".repeat(10_000);
        assert_eq!(keyed(&church, &long).await.expect_err("refused").code, "key_too_long");
        church.assert_consistent().await;
    }
);

on_both!(
    a_skip_of_a_step_that_the_run_has_left_does_nothing,
    with probed(&[("patient", PATIENT)]),
    async |church: Church| {
        let run = start(&church, "patient", json!({})).await;
        church.engine().set_tenant_paused("default", true).await.expect("held");
        for _ in 0..2 {
            skip(&church, run, None).await.expect("stored");
        }
        church.engine().set_tenant_paused("default", false).await.expect("resumed");
        assert_eq!(church.run(run).await.status.as_str(), "completed");
        assert_eq!(skipped(&church, run).await.len(), 1);
        church.assert_consistent().await;
    }
);
