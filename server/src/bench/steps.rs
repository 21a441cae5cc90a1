//! The workload `steps`: runs of ten steps that do nothing. Each step is committed before the next begins.
//! The workload is a closed loop: each caller starts a run when its previous run has ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use abide_engine::base::Problem;
use abide_engine::facade::Engine;
use serde_json::json;

use super::Plan;
use super::content::{NOOPS, STEPS};
use super::database::BenchDatabase;
use super::engine::{BenchEngine, TENANT, start};
use super::figures::{Rate, Stopwatch, mean, percentile, rss_mb};
use super::raw::{LogMeter, LogVolume, MeasureLimit, RawWriter};
use super::report::{Measurement, Workload};

/// Numbers of concurrent callers to measure, one after the other.
const CONCURRENCY: [usize; 3] = [1, 16, 128];
/// Number of runs that warm up the caches and give the raw writer a sample row.
const WARM_UP: u64 = 64;
/// Number of runs whose write-ahead log is measured.
/// At concurrency 1, the log of only an eighth as many runs is measured.
const LOG_RUNS: u64 = 256;

/// Result of a closed loop: the rate of runs, and the latency of each run.
struct LoopResult {
    runs: Rate,
    latencies: Vec<Duration>,
}

/// Measures steps at each level of concurrency, and the raw limit before and after each level.
pub(super) async fn measure(
    engine: &BenchEngine,
    database: &BenchDatabase,
    plan: &Plan,
) -> Result<(Vec<Measurement>, RawWriter), Problem> {
    let mut raw = RawWriter::connect(&database.address, crate::random::fresh_seed()).await?;
    closed_loop(engine, 8, MeasureLimit { time: plan.level_time, count: WARM_UP }).await?;
    raw.sample_engine_step().await?;
    raw.write_batches(MeasureLimit { time: plan.raw_time, count: 1_024 }).await?;
    let mut measured = Vec::new();
    for concurrency in CONCURRENCY {
        measured.push(measure_level(engine, database, plan, concurrency, &mut raw).await?);
    }
    raw.verify_rows().await?;
    Ok((measured, raw))
}

/// Measures steps at one level of concurrency.
async fn measure_level(
    engine: &BenchEngine,
    database: &BenchDatabase,
    plan: &Plan,
    concurrency: usize,
    raw: &mut RawWriter,
) -> Result<Measurement, Problem> {
    let before = raw_limit(raw, concurrency, plan).await?;
    engine.times.take_steps();
    let receipts = raw.count_receipts().await?;
    let limit = MeasureLimit { time: plan.level_time, count: plan.runs_max };
    let LoopResult { runs, mut latencies } = closed_loop(engine, concurrency, limit).await?;
    let written = raw.count_receipts().await? - receipts;
    if written != runs.n * STEPS as u64 {
        return Err(Problem::bug("not every step is in the database").with_detail(format!(
            "{} runs of {STEPS} steps, {written} receipts read back",
            runs.n
        )));
    }
    let mut steps = engine.times.take_steps();
    let after = raw_limit(raw, concurrency, plan).await?;
    let rate = Rate { n: runs.n * STEPS as u64, took: runs.took };
    let limit = before.and(after).per_s();
    let ratio = if concurrency == 1 {
        mean(&steps).map(|step| step.as_secs_f64() * limit)
    } else {
        Some(rate.per_s() / limit)
    };
    let log = measure_log(engine, database, concurrency, raw).await?;
    Ok(Measurement {
        workload: Workload::Steps,
        database: database.kind,
        concurrency,
        n: rate.n,
        per_s: rate.per_s(),
        raw_per_s: Some(limit),
        ratio,
        p50_ms: percentile(&mut steps, 0.5),
        p99_ms: percentile(&mut steps, 0.99),
        run_p50_ms: percentile(&mut latencies, 0.5),
        run_p99_ms: percentile(&mut latencies, 0.99),
        rss_mb: rss_mb(),
        wal_bytes_per_step: Some(log.engine.bytes),
        pages_per_step: log.engine.pages,
        raw_wal_bytes_per_step: Some(log.raw.bytes),
    })
}

async fn raw_limit(raw: &mut RawWriter, concurrency: usize, plan: &Plan) -> Result<Rate, Problem> {
    let limit = MeasureLimit { time: plan.raw_time, count: u64::MAX };
    write_raw(raw, concurrency, limit).await
}

/// Writes raw steps: one step per commit at concurrency 1, otherwise many steps per commit.
async fn write_raw(
    raw: &mut RawWriter,
    concurrency: usize,
    limit: MeasureLimit,
) -> Result<Rate, Problem> {
    if concurrency == 1 { raw.write_singles(limit).await } else { raw.write_batches(limit).await }
}

/// Runs `concurrency` callers. Each caller starts a run when its previous run has ended.
async fn closed_loop(
    engine: &BenchEngine,
    concurrency: usize,
    limit: MeasureLimit,
) -> Result<LoopResult, Problem> {
    let clock = Stopwatch::started();
    let begun = Arc::new(AtomicU64::new(0));
    let mut callers = tokio::task::JoinSet::new();
    for _ in 0..concurrency {
        callers.spawn(caller(engine.engine.clone(), Arc::clone(&begun), limit, clock));
    }
    let mut latencies = Vec::new();
    while let Some(done) = callers.join_next().await {
        latencies.extend(done.map_err(|e| Problem::bug(format!("a caller died: {e}")))??);
    }
    let took = clock.elapsed();
    Ok(LoopResult { runs: Rate { n: latencies.len() as u64, took }, latencies })
}

async fn caller(
    engine: Engine,
    begun: Arc<AtomicU64>,
    limit: MeasureLimit,
    clock: Stopwatch,
) -> Result<Vec<Duration>, Problem> {
    let mut latencies = Vec::new();
    let begin = || Rate { n: begun.fetch_add(1, Ordering::Relaxed), took: clock.elapsed() };
    while limit.allows(begin()) {
        let one = Stopwatch::started();
        let run = start(&engine, NOOPS, json!({})).await?;
        engine.wait_until_ended(TENANT, run).await?;
        latencies.push(one.elapsed());
    }
    Ok(latencies)
}

/// Amount of data that one step writes to the write-ahead log.
struct LogPerStep {
    /// Amount that a step of the engine writes.
    engine: LogVolume,
    /// Amount that a raw step writes.
    raw: LogVolume,
}

/// Measures how much write-ahead log the engine and the raw writer write per step.
async fn measure_log(
    engine: &BenchEngine,
    database: &BenchDatabase,
    concurrency: usize,
    raw: &mut RawWriter,
) -> Result<LogPerStep, Problem> {
    let runs = if concurrency == 1 { LOG_RUNS / 8 } else { LOG_RUNS };
    let limit = MeasureLimit { time: Duration::from_secs(5), count: runs };
    let meter = LogMeter::begin(&database.address).await?;
    let result = closed_loop(engine, concurrency, limit).await?;
    let engine = meter.end().await?.per(result.runs.n * STEPS as u64);
    let meter = LogMeter::begin(&database.address).await?;
    let limit = MeasureLimit { count: runs * STEPS as u64, ..limit };
    let rate = write_raw(raw, concurrency, limit).await?;
    let raw = meter.end().await?.per(rate.n);
    Ok(LogPerStep { engine, raw })
}
