//! Tests of the benchmark with many waiting runs, with few of them.

use abide_engine::store::RunRef;
use serde_json::json;
use tokio::sync::mpsc;

use super::super::content::SIGNAL;
use super::super::database::BenchDatabase;
use super::super::engine::TENANT;
use super::super::machine::Machine;
use super::super::report::Workload;
use super::child::{ENDED, SEND};
use super::level::LoadedEngine;
use super::{RestartPlan, WaitingPlan, WaitingReport, child, measure_database};

const PLAN: WaitingPlan = WaitingPlan {
    waiting: 300,
    baseline: 100,
    runs: 100,
    timers: 50,
    raw_batches: 1,
    restart: RestartPlan::Skipped,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_load_is_measured_at_both_numbers_of_waiting_runs() {
    let database = BenchDatabase::sqlite().await.expect("a database");
    let measured = measure_database(&database, &PLAN).await.expect("measured");
    database.remove().await.expect("removed");
    let shown: Vec<_> = measured
        .results
        .iter()
        .map(|one| (one.measurement.workload.as_str(), one.waiting, one.measurement.n))
        .collect();
    let at = |waiting, filled| {
        let load = ["starts", "signals", "resumes"].map(|workload| (workload, 100));
        let alarms = ["timers", "pauses", "retries"].map(|workload| (workload, 50));
        let fill = std::iter::once(("fill", filled));
        fill.chain(load).chain(alarms).map(move |(workload, n)| (workload, waiting, n))
    };
    assert_eq!(shown, at(100, 100).chain(at(300, 200)).collect::<Vec<_>>());
    for one in &measured.results {
        let is_load = one.measurement.workload != Workload::Fill;
        assert!(one.measurement.per_s > 0.0, "{one:?}");
        assert_eq!(one.measurement.raw_per_s.is_some_and(|raw| raw > 0.0), is_load, "{one:?}");
        assert_eq!(one.cost_ratio.is_some(), is_load && one.waiting == 300, "{one:?}");
        let has_latency = is_load && one.measurement.workload != Workload::Resumes;
        assert_eq!(one.measurement.p99_ms.is_some(), has_latency, "{one:?}");
    }
    let total = measured.sizes.last().expect("a total");
    let sum: f64 = measured.sizes.iter().rev().skip(1).map(|one| one.bytes_per_run).sum();
    assert!(total.table == "total" && (total.bytes_per_run - sum).abs() < 0.01 && sum > 100.0);
    let mut report = WaitingReport::new(Machine::default(), PLAN.waiting);
    report.results = measured.results;
    report.sizes = measured.sizes;
    let json = report.json();
    for member in ["workload", "per_s", "raw_per_s", "ratio", "p50_ms", "waiting", "cost_ratio"] {
        assert!(json["results"][0].get(member).is_some(), "{member}");
    }
    assert!(report.text().contains("COST RATIO"), "{}", report.text());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn copied_runs_wait_like_those_of_the_engine() {
    let database = BenchDatabase::sqlite().await.expect("a database");
    let mut loaded = LoadedEngine::open(&database, PLAN).await.expect("an engine");
    let mut filler = loaded.filler().await.expect("a filler");
    let before = loaded.count_waiting().await.expect("counted");
    filler.fill_to(PLAN.waiting).await.expect("filled");
    assert_eq!(loaded.count_waiting().await.expect("counted"), before + PLAN.waiting);
    let loads = loaded.measure(PLAN.waiting).await.expect("measured");
    assert_eq!(loads.len(), 6);
    assert_eq!(loaded.count_waiting().await.expect("counted"), before + PLAN.waiting);
    let engine = &loaded.engine().engine;
    let audit = engine.audit().await.expect("audited");
    assert!(audit.is_clean(), "{:?}", audit.breaches);
    assert!(audit.streams > PLAN.waiting);
    let run = filler.some_runs()[7];
    let target = RunRef { tenant: TENANT, run };
    assert!(engine.signal(target, SIGNAL, &json!({}), None).await.expect("sent").is_new);
    engine.wait_until_ended(TENANT, run).await.expect("over");
    assert_eq!(engine.run(TENANT, run).await.expect("a run").status.as_str(), "completed");
    let audit = engine.audit().await.expect("audited");
    assert!(audit.is_clean(), "{:?}", audit.breaches);
    loaded.close().await;
    database.remove().await.expect("removed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_child_answers_each_signal_when_its_run_has_ended() {
    let database = BenchDatabase::sqlite().await.expect("a database");
    let loaded = LoadedEngine::open(&database, PLAN).await.expect("an engine");
    let mut filler = loaded.filler().await.expect("a filler");
    filler.fill_to(5).await.expect("filled");
    let (sender, lines) = mpsc::unbounded_channel();
    for run in filler.some_runs() {
        sender.send(format!("{SEND}{run}")).expect("sent");
    }
    drop(sender);
    let mut answers = Vec::new();
    let served = child::serve(&loaded.engine().engine, lines, |answer| answers.push(answer)).await;
    served.expect("served");
    answers.sort();
    let expected: Vec<_> = filler.some_runs().iter().map(|run| format!("{ENDED}{run}")).collect();
    assert_eq!(answers, expected);
    let (sender, lines) = mpsc::unbounded_channel();
    sender.send("stop".to_owned()).expect("sent");
    let served = child::serve(&loaded.engine().engine, lines, |_| ()).await;
    let problem = served.expect_err("is refused");
    assert_eq!(problem.detail.as_deref(), Some("not a command: stop"));
    loaded.close().await;
    database.remove().await.expect("removed");
}
