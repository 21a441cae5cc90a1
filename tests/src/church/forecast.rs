//! A forecast of a live run comes true, and making the forecast changes nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use abide_engine::base::{MessageId, RunId, Span};
use abide_engine::clock::SystemClock;
use abide_engine::facade::MessageFilter;
use abide_engine::library::Sources;
use abide_engine::policy::Settings;
use abide_engine::run::{Control, RunOutcome};
use abide_engine::store::Store;
use abide_simulator::crowd::CrowdModel;
use abide_simulator::forecast::{Forecast, ForecastText, RunSnapshot, forecast};
use abide_simulator::play;
use abide_simulator::report::LineKind;
use serde_json::json;

use super::demo_church::{DemoChurch, NINE_AM, on_both, on_both_with};
use crate::engines::store_options;

const TENANT: &str = "default";

/// Opens the store of the database as another process would.
async fn open_store(church: &DemoChurch) -> Store {
    church.engine.store_virtual_now().await.expect("is kept");
    let options = store_options(church.db.url(), Arc::new(SystemClock), 99);
    Store::open(options, Arc::new(|_| {})).await.expect("opens")
}

/// Copies the run in its current state, as the input of a forecast.
async fn copy_run(church: &DemoChurch, run: RunId) -> RunSnapshot {
    let store = open_store(church).await;
    RunSnapshot::copy(&store, TENANT, run, Settings::default()).await.expect("is copied")
}

/// Forecasts a run with a model of people.
async fn forecast_with(
    snapshot: &RunSnapshot,
    methods: &[(&str, &str)],
    people: &str,
    seed: u64,
) -> Forecast {
    let mut sources = Sources::builtin();
    let own = methods.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    sources.methods.extend(own);
    let options = play::PlayOptions {
        sources: Some(sources),
        crowd: CrowdModel::shipped(people),
        ..play::PlayOptions::default()
    };
    let scenario = snapshot.scenario(Span::from_secs(7 * 86_400), seed);
    forecast(snapshot, &scenario, &options).await.expect("is played")
}

/// Returns the messages that the provider received after the first
/// `known` messages, in the form that a forecast uses.
async fn sent_since(church: &DemoChurch, known: usize) -> Vec<ForecastText> {
    let filter = MessageFilter { limit: 500, ..MessageFilter::default() };
    let messages = church.engine.messages(TENANT, &filter).await.expect("messages").items;
    let kinds: BTreeMap<MessageId, String> =
        messages.into_iter().filter_map(|message| Some((message.id, message.kind?))).collect();
    let sent = church.provider.sent_since(known).into_iter();
    sent.map(|message| ForecastText {
        at: message.at,
        to: message.to,
        kind: kinds[&message.id].clone(),
        body: message.body,
    })
    .collect()
}

/// Forecasts a run with silent people, and compares the forecast with the live run.
/// Nobody replies to the live run either.
async fn compare_with_live_run(
    church: &DemoChurch,
    methods: &[(&str, &str)],
    run: RunId,
) -> Forecast {
    let known = church.provider.sent_count();
    let snapshot = copy_run(church, run).await;
    let rows = church.db.rows().await;
    assert!(rows.len() > 100, "{}: {} rows", church.db, rows.len());
    let forecast = forecast_with(&snapshot, methods, "silent", 1).await;
    assert_eq!(church.db.rows().await, rows, "{}: the live database is unchanged", church.db);
    assert_eq!(church.provider.sent_count(), known, "{}: nobody was texted", church.db);

    church.engine.advance(forecast.report.ended_at).await.expect("advances");
    let in_order = |mut texts: Vec<ForecastText>| {
        texts.sort_by_key(|text| (text.at, text.to.clone(), text.kind.clone()));
        texts
    };
    let sent = in_order(sent_since(church, known).await);
    assert_eq!(in_order(forecast.texts.clone()), sent, "{}", church.db);
    let view = church.run(run).await;
    assert_eq!(
        forecast.report.measure.outcome.as_deref(),
        view.outcome.map(RunOutcome::as_str),
        "{}: {view:?}",
        church.db
    );
    church.assert_consistent().await;
    forecast
}

#[test]
fn a_forecast_with_silent_people_matches_the_live_run() {
    on_both(|church| async move {
        let run = church.fill("nursery", 5).await;
        church.advance_to("12:00").await;
        let forecast = compare_with_live_run(&church, &[], run.id).await;
        assert_eq!(forecast.report.measure.outcome.as_deref(), Some("fell_short"));
        let kinds: Vec<&str> = forecast.texts.iter().map(|text| text.kind.as_str()).collect();
        assert_eq!(kinds.iter().filter(|kind| **kind == "last_call").count(), 12, "{kinds:?}");
    });
}

#[test]
fn earlier_answers_count_in_a_forecast() {
    on_both(|church| async move {
        let run = church.fill("nursery", 4).await;
        church.advance_to("11:00").await;
        church.each_says(&["Ana", "Ben", "Carla"], "yes").await;
        church.say("Dana", "no").await;
        let forecast = compare_with_live_run(&church, &[], run.id).await;
        let to_ana = forecast.texts.iter().filter(|text| text.to.ends_with("0101")).count();
        assert_eq!(to_ana, 0, "a person with a place is not asked again");
        assert_eq!(forecast.report.measure.outcome.as_deref(), Some("fell_short"));
    });
}

#[test]
fn a_last_call_and_a_night_are_forecast() {
    on_both(|church| async move {
        church.advance_to("12:30").await;
        let first = church.fill("nursery", 5).await;
        church.advance_to("19:00").await;
        assert_eq!(church.kinds_to("Ana").await.last().map(String::as_str), Some("last_call"));
        compare_with_live_run(&church, &[], first.id).await;
        // The run starts in quiet hours, so its messages are sent the next morning.
        church.advance_to("2025-09-30T21:30:00-05:00").await;
        let second =
            church.try_fill("greeters", super::demo_church::ELEVEN_AM, 2).await.expect("starts");
        let forecast = compare_with_live_run(&church, &[], second.id).await;
        assert!(!forecast.texts.is_empty());
        let morning = super::demo_church::at("2025-10-01T08:00:00-05:00");
        assert!(forecast.texts.iter().all(|text| text.at >= morning), "{:?}", forecast.texts);
    });
}

#[test]
fn a_rebalance_in_progress_is_forecast() {
    on_both(|church| async move {
        let run = church.fill("nursery", 3).await;
        church.each_says(&["Ana", "Ben", "Carla"], "yes").await;
        assert_eq!(church.run(run.id).await.outcome, Some(RunOutcome::Succeeded));
        let goal = json!({
            "kind": "RebalanceTargets", "time": NINE_AM, "targets": {"nursery": 2, "greeters": 3}
        });
        let rebalance = church.start("rebalance_roles", goal).await;
        assert_eq!(church.run(rebalance.id).await.status.as_str(), "waiting", "{}", church.db);
        let forecast = compare_with_live_run(&church, &[], rebalance.id).await;
        assert!(forecast.report.measure.outcome.is_some());
    });
}

/// Methods with branches, rounds, a call of another method, and waits.
const FAMILY: &[(&str, &str)] = &[
    (
        "busy.yaml",
        "
method: busy
applicable_if: goal.kind == 'Busy'
steps:
  - parallel:
      - - await: { timeout: 5h }
        - call: notify
          args: { targets: [staff], template: filled_n_of_m, vars: { n: 1, m: 2 } }
      - - call: patient
          with: { goal: { kind: Patient } }
    join: all
  - foreach: round in [1, 2]
    concurrency: 2
    steps:
      - await: { timeout: 2h }
  - call: notify
    occasion: last
    args: { targets: [staff], template: filled_n_of_m, vars: { n: 2, m: 2 } }
success_when: true
",
    ),
    (
        "patient.yaml",
        "
method: patient
applicable_if: goal.kind == 'Patient'
steps:
  - await: { timeout: 7h }
success_when: true
",
    ),
];

#[test]
fn branches_children_and_rounds_are_forecast() {
    on_both_with(FAMILY, |church| async move {
        let run = church.start("busy", json!({"kind": "Busy"})).await;
        church.advance_to("11:00").await;
        let forecast = compare_with_live_run(&church, FAMILY, run.id).await;
        assert_eq!(forecast.report.measure.outcome.as_deref(), Some("succeeded"));
        assert_eq!(forecast.texts.len(), 2);
    });
}

/// Restores the state after a crash between sending a message and recording the provider's response.
/// In this state, the engine does not know whether the message was sent.
const IN_DOUBT: &str = "UPDATE outbox SET state = 'sending', sent_at = NULL, provider_ref = NULL,
    start_by = created_at, deadline = created_at + 1000000 WHERE kind = 'invite'";

#[test]
fn a_text_that_may_have_been_sent_is_not_sent_again() {
    on_both(|church| async move {
        let run = church.fill("nursery", 5).await;
        church.advance_to("12:00").await;
        church.db.execute(IN_DOUBT).await;
        let forecast = compare_with_live_run(&church, &[], run.id).await;
        let again = forecast.texts.iter().filter(|text| text.kind == "invite").count();
        assert_eq!((again, forecast.texts.len()), (0, 14), "{}", church.db);
    });
}

#[test]
fn with_the_kill_switch_on_nothing_is_sent_and_people_may_answer() {
    on_both(|church| async move {
        let run = church.fill("nursery", 5).await;
        church.advance_to("10:30").await;
        church.engine.set_tenant_paused(TENANT, true).await.expect("is paused");
        let snapshot = copy_run(&church, run.id).await;
        assert!(snapshot.tenant_paused);
        let forecast = forecast_with(&snapshot, &[], "eager", 1).await;
        assert_eq!((forecast.texts.len(), &forecast.report.measure.outcome), (0, &None));
        assert!(forecast.report.measure.writers > 0);
    });
}

#[test]
fn a_paused_run_stays_where_it_is() {
    on_both(|church| async move {
        let run = church.fill("nursery", 5).await;
        church.advance_to("12:00").await;
        church.engine.control(TENANT, run.id, Control::Pause).await.expect("is paused");
        church.engine.tick().await.expect("ticks");
        let snapshot = copy_run(&church, run.id).await;
        assert_eq!(snapshot.status.as_str(), "paused");
        let forecast = forecast_with(&snapshot, &[], "silent", 1).await;
        assert_eq!((forecast.texts.len(), &forecast.report.measure.outcome), (0, &None));
    });
}

#[test]
fn open_asks_are_answered_from_now_on_and_answered_ones_not_again() {
    on_both(|church| async move {
        let run = church.fill("nursery", 5).await;
        church.each_says(&["Ana"], "yes").await;
        church.advance_to("13:00").await;
        let snapshot = copy_run(&church, run.id).await;
        let mut answers = 0;
        for seed in 1..=6 {
            let forecast = forecast_with(&snapshot, &[], "typical", seed).await;
            // Nobody is asked again before the messages `last_call` are sent.
            let calls = forecast.texts.iter().filter(|text| text.kind == "last_call");
            let asked_again = calls.map(|text| text.at).min().unwrap_or(forecast.report.ended_at);
            for line in forecast.report.story.iter().filter(|line| line.kind == LineKind::Inbound) {
                assert!(line.at > snapshot.at, "{line}");
                if line.at < asked_again {
                    assert!(!line.text.starts_with("Ana →"), "she has answered: {line}");
                    answers += 1;
                }
            }
        }
        assert!(answers > 0, "{}: at least one of them answers", church.db);
    });
}

#[test]
fn an_ended_run_and_an_unknown_run_are_told_apart() {
    on_both(|church| async move {
        let run = church.fill("nursery", 1).await;
        church.each_says(&["Ana"], "yes").await;
        let store = open_store(&church).await;
        let copy = |tenant, run| RunSnapshot::copy(&store, tenant, run, Settings::default());
        let ended = copy(TENANT, run.id).await.expect_err("it has ended");
        assert_eq!(
            (ended.code.as_ref(), ended.message.contains("succeeded")),
            ("wrong_state", true)
        );
        assert_eq!(copy("another", run.id).await.expect_err("no such run").code, "unknown_run");
    });
}
