//! Upper bounds on what the benchmark measures: pages of log per step, and no statement while idle.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use abide_engine::base::IdSource;
use abide_engine::clock::{Clock as _, SystemClock};
use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit};
use serde_json::json;

use super::content::{NOOPS, WAITS};
use super::place::Place;
use super::raw::{Gauge as Log, Limit, Raw};
use super::rig::{Rig, TENANT, at_gate};

/// Maximum number of log pages per step that has a commit of its own: the head, the end of the ledger and the
/// ends of the ledger's indexes, and a tenth of the start and of the end of a run.
const PAGES_A_STEP_MAX: f64 = 9.0;

#[tokio::test]
async fn a_lone_step_costs_a_bounded_number_of_pages() {
    let place = Place::sqlite().await.expect("a place");
    let rig = Rig::open(&place.address).await.expect("an engine");
    ten_steps(&rig).await;
    let log = Log::begin(&place.address).await.expect("a gauge");
    for _ in 0..5 {
        ten_steps(&rig).await;
    }
    let step = log.end().await.expect("a length").per(50);
    let pages = step.pages.expect("SQLite counts pages");
    assert!((3.0..PAGES_A_STEP_MAX).contains(&pages), "{pages} pages a step");
    rig.close().await;
    place.leave().await.expect("left");
}

#[tokio::test]
async fn the_raw_side_writes_the_tables_of_today() {
    let place = Place::sqlite().await.expect("a place");
    let rig = Rig::open(&place.address).await.expect("an engine");
    ten_steps(&rig).await;
    rig.close().await;
    let mut raw = Raw::connect(&place.address, 1).await.expect("connected");
    raw.like_the_engine().await.expect("a step to copy");
    let limit = Limit { time: Duration::from_secs(60), most: 10 };
    assert!(raw.singles(limit).await.expect("one by one").n >= 10);
    assert!(raw.batches(limit).await.expect("in batches").n >= 10);
    raw.count().await.expect("read back");
    place.leave().await.expect("left");
}

/// Counts the round trips to the database that this thread makes.
#[derive(Default)]
struct Trips(Arc<AtomicU64>);

impl Recorder for Trips {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        match key.name() {
            "abide_database_trips_total" => Counter::from_arc(Arc::clone(&self.0)),
            _ => Counter::noop(),
        }
    }
    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }
    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}

/// Maximum number of round trips for a run of ten steps: two per step (the statements whose answers the step
/// needs, and the rest with its COMMIT), the start of the run, and the polls of the driver.
const TRIPS_A_RUN_MAX: u64 = 30;

#[test]
fn a_step_on_an_embedded_file_is_two_trips() {
    counting(async |sent| {
        let place = Place::sqlite().await.expect("a place");
        let rig = Rig::open(&place.address).await.expect("an engine");
        ten_steps(&rig).await;
        let before = sent.load(Ordering::Relaxed);
        ten_steps(&rig).await;
        let trips = sent.load(Ordering::Relaxed) - before;
        assert!((20..=TRIPS_A_RUN_MAX).contains(&trips), "{trips} trips for ten steps");
        rig.close().await;
        place.leave().await.expect("left");
    });
}

#[test]
fn an_idle_engine_on_an_embedded_file_asks_nothing() {
    counting(idle);
}

/// Runs a test on this thread only, with a counter of its round trips to the database.
fn counting(story: impl AsyncFnOnce(&AtomicU64)) {
    let recorder = Trips::default();
    let sent = Arc::clone(&recorder.0);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    metrics::with_local_recorder(&recorder, || {
        runtime.expect("a runtime").block_on(story(&sent));
    });
}

/// Nothing is due for days: one run waits, one has ended, and the engine keeps running.
async fn idle(sent: &AtomicU64) {
    let place = Place::sqlite().await.expect("a place");
    let rig = Rig::open(&place.address).await.expect("an engine");
    ten_steps(&rig).await;
    let gate = IdSource::seeded(1).mint(SystemClock.now());
    rig.shut(gate).await.expect("shut");
    let waiting = rig.start(WAITS, at_gate(gate, "7days")).await.expect("started");
    let until_idle = async {
        let mut before = 0;
        while before != sent.load(Ordering::Relaxed) {
            before = sent.load(Ordering::Relaxed);
            serve_for(Duration::from_millis(200)).await;
        }
    };
    until_idle.await;
    let before = sent.load(Ordering::Relaxed);
    assert!(before > 0, "the statements of the runs were counted");
    serve_for(Duration::from_millis(500)).await;
    assert_eq!(sent.load(Ordering::Relaxed), before, "statements of an idle engine");
    let status = rig.engine.run(TENANT, waiting).await.expect("a run").status;
    assert_eq!(status.as_str(), "waiting");
    rig.close().await;
    place.leave().await.expect("left");
}

/// Lets the other tasks of this thread run for a while.
async fn serve_for(time: Duration) {
    let _ = tokio::time::timeout(time, std::future::pending::<()>()).await;
}

async fn ten_steps(rig: &Rig) {
    let run = rig.start(NOOPS, json!({})).await.expect("started");
    rig.engine.wait_until_ended(TENANT, run).await.expect("over");
}
