//! Calls that fail temporarily, permanently, because of a bug in the verb,
//! or because of an error in the method.

use abide_engine::base::{RunId, Timestamp, Value};
use abide_engine::driver::DriveMode;
use abide_engine::run::{Control, RunOutcome};
use abide_engine::store::tx_closure;
use serde_json::json;

use super::church::{Church, Setup, on_both};
use super::probe::{WRITTEN, probed};

const FLAKY: &str = r#"
method: flaky
steps:
  - id: knock
    call: attempt
    args: { failures: "{{goal.failures}}", transient: "{{goal.transient}}" }
    retry: { attempts: 5, backoff: exponential, first: 2s, max: 5m, on: [transient] }
    out: tries
success_when: [ tries > goal.failures ]
"#;

const PATIENT: &str = "method: patient
steps: [ { await: { signal: word, timeout: 2h } } ]
";

const NAUGHTY: &str = r#"
method: naughty
steps:
  - call: misbehave
    args: { how: "{{goal.how}}" }
"#;

const SLIPPERY: &str = "method: slippery\nsteps: [ { call: slip, args: {} } ]\n";

const WELL: &str = "method: well\nsteps: [ { call: echo, args: { value: 1 } } ]\n";

const DRONE: &str = "tools:
  drone.deliver:
    description: Delivers a parcel by drone.
    effect: write
    idempotency: none
    risk: T2
    timeout: 10s
    handler: not_configured
    not_configured: { reason: No drone is registered., required_env: [DRONE_KEY], next_steps: [register a drone] }
    input_schema: { type: object, required: [to], properties: { to: { type: string } } }
    output_schema: { type: object }
";

const DELIVERY: &str = "method: delivery
steps:
  - { call: drone.deliver, args: { to: roof } }
";

/// Builds a setup with a tool that has a contract and nothing that carries out its calls.
fn with_drone() -> Setup {
    let mut setup = Setup::default();
    setup.sources.contracts.insert("drone.yaml".to_owned(), DRONE.to_owned());
    setup.method("delivery", DELIVERY)
}

on_both!(a_tool_that_is_not_configured_ends_its_call_with_a_receipt_that_says_so, with with_drone(), async |church: Church| {
    let run = church.start("delivery", json!({})).await.expect("started").id;
    let view = church.run(run).await;
    assert_eq!((view.status.as_str(), view.error.expect("why").code.as_str()), ("failed", "not_configured"));
    let receipts = church.receipts(run).await;
    assert_eq!(receipts.len(), 1, "{receipts:?}");
    assert_eq!(receipts[0]["status"], "not_configured");
    let error = &receipts[0]["error"];
    assert_eq!(error["message"], "`drone.deliver` is not configured: No drone is registered.");
    assert_eq!(error["hint"], "register a drone; set DRONE_KEY");
    church.assert_consistent().await;
});

/// Returns the failed attempts of a run from its ledger. Each pair consists of the number of an attempt
/// and the pause before the next attempt, in seconds.
async fn failed_attempts(church: &Church, run: RunId) -> Vec<(i64, f64)> {
    let page = church.engine().events("default", run, 0, 500).await.expect("events");
    let seconds = |at: Timestamp, body: &Value| {
        let next: Timestamp = body["next_at"].as_str().expect("a time").parse().expect("a time");
        (next - at).to_std().as_secs_f64()
    };
    let failed = page.items.iter().filter(|event| event.kind.as_str() == "attempt.failed");
    failed
        .map(|e| (e.body["attempt"].as_i64().expect("an attempt"), seconds(e.at, &e.body)))
        .collect()
}

on_both!(a_call_that_fails_twice_succeeds_with_one_receipt, with probed(&[("flaky", FLAKY)]), async |mut church: Church| {
    let run = church.start("flaky", json!({ "failures": 2 })).await.expect("started").id;
    let view = church.run(run).await;
    assert_eq!(view.status.as_str(), "waiting");
    assert_eq!(view.waiting_on.expect("a pause").kind.as_str(), "retry");
    assert_eq!(church.number(WRITTEN).await, 0, "what a failed attempt wrote is gone");
    church.crash().await;
    church.advance("1s").await;
    assert_eq!(church.receipts(run).await, Vec::<Value>::new(), "no receipt before the end");
    church.advance("1min").await;
    let view = church.run(run).await;
    assert_eq!(view.outcome, Some(RunOutcome::Succeeded), "{view:?}");
    let receipts = church.receipts(run).await;
    assert_eq!(receipts.len(), 1, "{receipts:?}");
    assert_eq!((&receipts[0]["attempt"], &receipts[0]["status"]), (&json!(3), &json!("succeeded")));
    let attempts = failed_attempts(&church, run).await;
    assert_eq!(attempts.iter().map(|(n, _)| *n).collect::<Vec<_>>(), [1, 2]);
    for ((_, pause), first) in attempts.into_iter().zip([2.0, 4.0]) {
        assert!((first..first * 1.25).contains(&pause), "{pause} after {first}");
    }
    assert_eq!(church.number(WRITTEN).await, 1);
    church.assert_consistent().await;
});

on_both!(a_head_that_cannot_be_read_stops_no_other_run, with probed(&[("patient", PATIENT)]), async |mut church: Church| {
    church.start("patient", json!({})).await.expect("started");
    let other = church.start("patient", json!({})).await.expect("started").id;
    church
        .execute(
            "UPDATE run SET status = 'teleported'
             WHERE id = (SELECT id FROM run ORDER BY id LIMIT 1)",
        )
        .await;
    church.reopen_with(|setup| setup.drive_mode = DriveMode::Tasks(4)).await;
    church.advance("3h").await;
    assert!(!church.run(other).await.is_live(), "it is claimed beside the broken one");
});

on_both!(attempts_are_limited_and_the_run_says_where_it_failed, with probed(&[("flaky", FLAKY)]), async |church: Church| {
    let run = church.start("flaky", json!({ "failures": 99 })).await.expect("started").id;
    church.advance("1h").await;
    let view = church.run(run).await;
    assert_eq!(view.status.as_str(), "failed");
    let error = view.error.expect("an error");
    assert_eq!((&*error.code, &*error.step_id), ("not_yet", "knock"));
    let receipts = church.receipts(run).await;
    assert_eq!(receipts.len(), 1, "{receipts:?}");
    assert_eq!((&receipts[0]["attempt"], &receipts[0]["status"]), (&json!(5), &json!("failed")));
    assert_eq!(failed_attempts(&church, run).await.len(), 4, "the fifth is the receipt");
    church.assert_consistent().await;
});

on_both!(a_permanent_failure_waits_for_a_person_who_retries, with probed(&[("flaky", FLAKY)]), async |mut church: Church| {
    let goal = json!({ "failures": 1, "transient": false });
    let run = church.start("flaky", goal).await.expect("started").id;
    let view = church.run(run).await;
    assert_eq!(view.status.as_str(), "failed");
    assert_eq!(
        json!(view.error),
        json!({ "code": "refused", "message": "the probe refuses", "hint": "ask again", "step_id": "knock" })
    );
    church.crash().await;
    church.advance("3days").await;
    assert_eq!(church.run(run).await.status.as_str(), "failed", "nothing happens by itself");
    church.control(run, Control::Retry).await.expect("retried");
    let view = church.run(run).await;
    assert_eq!((view.status.as_str(), view.error), ("completed", None));
    let receipts = church.receipts(run).await;
    let statuses: Vec<_> = receipts.iter().map(|r| r["status"].as_str().expect("text")).collect();
    assert_eq!(statuses, ["failed", "succeeded"], "one a call");
    assert_ne!(receipts[0]["call_id"], receipts[1]["call_id"]);
    church.assert_consistent().await;
});

on_both!(
    a_verb_that_breaks_fails_its_call_and_nothing_else,
    with probed(&[("naughty", NAUGHTY), ("slippery", SLIPPERY), ("well", WELL)]),
    async |church: Church| {
        let cases = [
            ("naughty", json!({ "how": "panic" }), "internal"),
            ("naughty", json!({ "how": "wrong_result" }), "output_invalid"),
            ("slippery", json!({}), "internal"),
        ];
        for (method, goal, code) in cases {
            let run = church.start(method, goal).await.expect("started").id;
            let view = church.run(run).await;
            assert_eq!(view.status.as_str(), "failed", "{code}");
            let receipts = church.receipts(run).await;
            assert_eq!(receipts.len(), 1, "{receipts:?}");
            assert_eq!((&receipts[0]["status"], &receipts[0]["error"]["code"]), (&json!("failed"), &json!(code)));
            assert_eq!(church.number(WRITTEN).await, 0, "what it wrote is gone");
        }
        let run = church.start("well", json!({})).await.expect("started").id;
        assert_eq!(church.run(run).await.status.as_str(), "completed");
        church.assert_consistent().await;
    }
);

const FAULTY: &str = r#"
method: faulty
steps:
  - id: divide
    call: echo
    args: { value: "{{10 / goal.by}}" }
    out: share
success_when: [ "goal.limit + 1 > share" ]
"#;

on_both!(a_faulty_expression_fails_the_run_with_its_place, with probed(&[("faulty", FAULTY)]), async |church: Church| {
    for (goal, step, place) in [
        (json!({ "by": 0, "limit": 20 }), "divide", "`divide`"),
        (json!({ "by": 2, "limit": "x" }), "end", "success_when"),
    ] {
        let run = church.start("faulty", goal).await.expect("started").id;
        let error = church.run(run).await.error.expect("an error");
        assert_eq!((&*error.code, error.step_id.as_str()), ("expression_failed", step));
        let message = error.message.as_str();
        assert!(message.contains(place), "{message}");
    }
    church.assert_consistent().await;
});

const LISTS: &str = r#"
method: lists
steps:
  - id: tens
    call: echo
    foreach: n in goal.numbers
    when: n < 3
    args: { value: "{{n * 10}}" }
    out: tens
  - id: count
    call: echo
    args: { value: "{{len(tens)}}" }
    out: count
  - id: never
    call: echo
    when: count > 100
    args: { value: 1 }
    out: unset
"#;

on_both!(results_of_foreach_keep_the_order_of_its_items, with probed(&[("lists", LISTS)]), async |mut church: Church| {
    for (numbers, tens, calls) in [
        (json!([2, 1, 0]), json!([20, 10, 0]), 4),
        (json!([1, 3, 2]), json!([10, null, 20]), 3),
        (json!([1, 2, 3]), json!([10, 20, null]), 3),
        (json!([3]), json!([null]), 1),
        (json!([]), json!([]), 1),
    ] {
        let run = church.start("lists", json!({ "numbers": numbers })).await.expect("started").id;
        church.crash().await;
        let view = church.run(run).await;
        assert_eq!(view.status.as_str(), "completed", "{view:?}");
        let vars = view.vars.expect("variables");
        assert_eq!(vars["tens"], tens);
        assert_eq!(vars["count"], json!(tens.as_array().map_or(0, Vec::len)));
        assert!(!vars.contains_key("unset"));
        assert_eq!(church.receipts(run).await.len(), calls, "a step that is skipped makes no call");
    }
    church.assert_consistent().await;
});

const LONG: &str = r#"
method: long
steps:
  - call: claims
    args: {}
    out: before
  - call: claims
    args: {}
    out: after
"#;

on_both!(a_run_that_makes_progress_is_not_quarantined, with probed(&[("long", LONG)]), async |church: Church| {
    church.engine().set_tenant_paused("default", true).await.expect("paused");
    let run = church.start("long", json!({})).await.expect("started").id;
    let killed = tx_closure(|tx| Box::pin(async move {
        Ok(tx.execute("UPDATE turn SET claims = 3", &[]).await?)
    }));
    assert_eq!(church.engine().write(killed).await.expect("written"), 1);
    church.engine().set_tenant_paused("default", false).await.expect("resumed");
    let vars = church.run(run).await.vars.expect("variables");
    assert!(vars["before"].as_i64().is_some_and(|claims| claims >= 3), "{vars:?}");
    assert_eq!(vars["after"], json!(0), "it made progress, so its claims do not count");
    church.assert_consistent().await;
});
