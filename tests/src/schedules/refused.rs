//! Schedules that are rejected, and schedules whose method cannot be started when they fire.

use abide_engine::facade::remove_schedule;
use abide_engine::store::tx_closure;
use serde_json::{Value, json};

use super::{QUICK, add, event_bodies, schedules, times};
use crate::campaign::church::{Church, Setup, on_both};
use crate::campaign::probe::probed;

const STRICT: &str = r#"
method: strict
inputs: { type: object, required: [n], properties: { n: { type: integer } } }
steps: [ { call: echo, args: { value: "{{goal.n}}" } } ]
"#;

on_both!(
    a_schedule_that_could_never_start_is_refused_when_it_is_added,
    with probed(&[("strict", STRICT), ("quick", QUICK)]),
    async |church: Church| {
        let table: [(&str, Value, &str); 9] = [
            ("strict", json!({ "cron": "0 9 * * *" }), "goal_invalid"),
            ("nothing", json!({ "cron": "0 9 * * *" }), "unknown_method"),
            ("quick", json!({ "cron": "0 9 * *" }), "cron_invalid"),
            ("quick", json!({ "cron": "0 9 30 2 *" }), "schedule_invalid"),
            ("quick", json!({ "cron": "0 9 * * *", "tz": "Mars/Olympus" }), "schedule_invalid"),
            ("quick", json!({ "at": "tomorrow" }), "schedule_invalid"),
            ("quick", json!({ "at": "2025-10-01T12:00:00Z", "cron": "0 9 * * *" }), "schedule_invalid"),
            ("quick", json!({ "at": "2025-10-01T12:00:00Z", "catch_up": "all" }), "schedule_invalid"),
            ("quick", json!({}), "schedule_invalid"),
        ];
        for (method, how, code) in table {
            let refused = add(&church, method, how.clone()).await.expect_err("is refused");
            assert_eq!(refused.code, code, "{method} {how}");
            assert!(refused.hint.is_some(), "{refused}");
        }
        assert_eq!(schedules(&church).await, []);
        let id = "tmr_00000000000000000000000000000000".parse().expect("an id");
        let remove = tx_closure(move |tx| Box::pin(remove_schedule(tx, "default", id)));
        let refused = church.engine().write(remove).await.expect_err("is refused");
        assert_eq!(refused.code, "schedule_unknown");
    }
);

on_both!(
    a_schedule_of_a_removed_method_reports_an_error_and_continues,
    with probed(&[("quick", QUICK)]),
    async |mut church: Church| {
        add(&church, "quick", json!({ "cron": "0 9 * * *" })).await.expect("is added");
        add(&church, "quick", json!({ "at": "2025-10-01T09:00:00-05:00" })).await.expect("is added");
        church.reopen_with(|setup| drop(setup.sources.methods.remove("quick.yaml"))).await;
        church.advance("1day").await;
        let listed = schedules(&church).await;
        let codes: Vec<_> = listed
            .iter()
            .map(|one| one.last_error.as_ref().expect("an error")["code"].clone())
            .collect();
        assert_eq!(codes, ["unknown_method", "unknown_method"]);
        assert_eq!(listed[0].next_at.as_deref(), Some("2025-10-02T09:00:00-05:00"));
        assert_eq!(listed[1].next_at, None, "it fired once, and stays listed with its error");
        assert_eq!(event_bodies(&church, "schedule.failed").await.len(), 2);
        church.assert_consistent().await;
        let back = |setup: &mut Setup| {
            setup.sources.methods.insert("quick.yaml".to_owned(), QUICK.to_owned());
        };
        church.reopen_with(back).await;
        church.advance("1day").await;
        assert_eq!(schedules(&church).await[0].last_error, None);
        assert_eq!(times(&church, "quick").await, ["2025-10-02T09:00:00-05:00"]);
        church.assert_consistent().await;
    }
);

/// Wrong arguments of `schedule` that the checker cannot find,
/// each with the error code that the call returns.
const CALLS: [(&str, &str); 6] = [
    ("at: AT, payload: 1, cron: '0 9 * * *', method: strict, goal: { n: 1 }", "invalid_args"),
    ("cron: '0 9 * * *', method: strict, goal: {}", "goal_invalid"),
    ("cron: '0 9 * *', method: strict, goal: { n: 1 }", "cron_invalid"),
    ("cron: '0 9 30 2 *', method: strict, goal: { n: 1 }", "invalid_args"),
    ("at: AT, payload: { method: nothing, goal: {} }", "unknown_method"),
    ("at: AT, payload: 1, tz: Mars/Olympus", "schedule_invalid"),
];

/// Builds a method that calls `schedule` with these arguments.
fn calls(args: &str) -> String {
    let args = args.replace("AT", "'2025-10-01T09:00:00-05:00'");
    format!("method: calls\nsteps: [ {{ call: schedule, args: {{ {args} }} }} ]\n")
}

#[tokio::test]
async fn an_invalid_call_of_schedule_fails_with_the_reason() {
    for database in crate::postgres::databases() {
        let setup = probed(&[("strict", STRICT), ("calls", &calls(CALLS[0].0))]);
        let mut church = Church::with(database, setup).await;
        for (args, code) in CALLS {
            let text = calls(args);
            let publish = |setup: &mut Setup| {
                setup.sources.methods.insert("calls.yaml".to_owned(), text);
            };
            church.reopen_with(publish).await;
            let run = church.start("calls", json!({})).await.expect("starts").id;
            let error = church.run(run).await.error.expect("it failed");
            assert_eq!(error.code, code, "{args}: {error:?}");
        }
        assert_eq!(church.number("SELECT COUNT(*) FROM schedule").await, 0);
        church.assert_consistent().await;
    }
}

#[test]
fn an_incomplete_call_of_schedule_is_found_by_the_checker() {
    for args in ["at: AT, tz: UTC", "cron: '0 9 * * *', method: strict", "payload: 1, tz: UTC"] {
        let mut sources = abide_engine::library::Sources::builtin();
        sources.methods.insert("calls.yaml".to_owned(), calls(args));
        let library = abide_engine::library::Library::compile(sources);
        let codes: Vec<_> = library.findings().iter().map(|found| found.code).collect();
        assert_eq!(codes, ["bad-argument"], "{args}");
    }
}
