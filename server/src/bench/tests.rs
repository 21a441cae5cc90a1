//! Tests of upper bounds on the engine's work: the log pages and the statements of a step.
//! An idle engine must send no statement at all.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use abide_engine::base::IdSource;
use abide_engine::clock::{Clock as _, SystemClock};
use metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit};
use serde_json::json;

use super::content::{NOOPS, WAITS};
use super::database::BenchDatabase;
use super::engine::{BenchEngine, TENANT, gate_goal};
use super::raw::{LogMeter, MeasureLimit, RawWriter};

/// Maximum number of log pages for a step with its own commit. A step writes the page of the run's head,
/// the last page of the ledger and the last pages of the ledger's indexes. A tenth of the pages
/// for starting and ending the run is added, because a run has ten steps.
const PAGES_PER_STEP_MAX: f64 = 9.0;

#[tokio::test]
async fn a_step_with_its_own_commit_writes_a_bounded_number_of_pages() {
    let database = BenchDatabase::sqlite().await.expect("a database");
    let engine = BenchEngine::open(&database.address).await.expect("an engine");
    ten_steps(&engine).await;
    let log = LogMeter::begin(&database.address).await.expect("a meter");
    for _ in 0..5 {
        ten_steps(&engine).await;
    }
    let step = log.end().await.expect("a length").per(50);
    let pages = step.pages.expect("SQLite counts pages");
    assert!((3.0..PAGES_PER_STEP_MAX).contains(&pages), "{pages} pages a step");
    engine.close().await;
    database.remove().await.expect("removed");
}

#[tokio::test]
async fn the_raw_writer_fits_the_current_tables() {
    let database = BenchDatabase::sqlite().await.expect("a database");
    let engine = BenchEngine::open(&database.address).await.expect("an engine");
    ten_steps(&engine).await;
    engine.close().await;
    let mut raw = RawWriter::connect(&database.address, 1).await.expect("connected");
    raw.sample_engine_step().await.expect("a step to copy");
    let limit = MeasureLimit { time: Duration::from_secs(60), count: 10 };
    assert!(raw.write_singles(limit).await.expect("one by one").n >= 10);
    assert!(raw.write_batches(limit).await.expect("in batches").n >= 10);
    raw.verify_rows().await.expect("read back");
    database.remove().await.expect("removed");
}

/// Counts the statements that this thread sends.
#[derive(Default)]
struct StatementCounter(Arc<AtomicU64>);

impl Recorder for StatementCounter {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        match key.name() {
            "abide_database_statements_total" => Counter::from_arc(Arc::clone(&self.0)),
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

/// Maximum number of statements for a run of ten steps. Each step takes four: it moves the head and inserts the receipt
/// between BEGIN and COMMIT. The remaining statements are for the start of the run and for the polls of the driver.
const STATEMENTS_PER_RUN_MAX: u64 = 55;

#[test]
fn a_step_on_an_embedded_file_takes_four_statements() {
    count_statements(async |sent| {
        let database = BenchDatabase::sqlite().await.expect("a database");
        let engine = BenchEngine::open(&database.address).await.expect("an engine");
        ten_steps(&engine).await;
        let before = sent.load(Ordering::Relaxed);
        ten_steps(&engine).await;
        let statements = sent.load(Ordering::Relaxed) - before;
        assert!(
            (40..=STATEMENTS_PER_RUN_MAX).contains(&statements),
            "{statements} statements for ten steps"
        );
        engine.close().await;
        database.remove().await.expect("removed");
    });
}

#[test]
fn an_idle_engine_on_an_embedded_file_sends_no_statement() {
    count_statements(idle);
}

/// Runs a test on the current thread, with a counter of the test's statements.
fn count_statements(test: impl AsyncFnOnce(&AtomicU64)) {
    let recorder = StatementCounter::default();
    let sent = Arc::clone(&recorder.0);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    metrics::with_local_recorder(&recorder, || {
        runtime.expect("a runtime").block_on(test(&sent));
    });
}

/// Checks that the engine sends no statement while nothing is due.
/// One run has ended, and another run waits for days.
async fn idle(sent: &AtomicU64) {
    let database = BenchDatabase::sqlite().await.expect("a database");
    let engine = BenchEngine::open(&database.address).await.expect("an engine");
    ten_steps(&engine).await;
    let gate = IdSource::seeded(1).mint(SystemClock.now());
    engine.close_gate(gate).await.expect("closed");
    let waiting = engine.start(WAITS, gate_goal(gate, "7days")).await.expect("started");
    let until_idle = async {
        let mut before = 0;
        while before != sent.load(Ordering::Relaxed) {
            before = sent.load(Ordering::Relaxed);
            yield_for(Duration::from_millis(200)).await;
        }
    };
    until_idle.await;
    let before = sent.load(Ordering::Relaxed);
    assert!(before > 0, "the statements of the runs were counted");
    yield_for(Duration::from_millis(500)).await;
    assert_eq!(sent.load(Ordering::Relaxed), before, "statements of an idle engine");
    let status = engine.engine.run(TENANT, waiting).await.expect("a run").status;
    assert_eq!(status.as_str(), "waiting");
    engine.close().await;
    database.remove().await.expect("removed");
}

/// Lets the other tasks of this thread run for a while.
async fn yield_for(time: Duration) {
    let _ = tokio::time::timeout(time, std::future::pending::<()>()).await;
}

async fn ten_steps(engine: &BenchEngine) {
    let run = engine.start(NOOPS, json!({})).await.expect("started");
    engine.engine.wait_until_ended(TENANT, run).await.expect("over");
}
