//! Measures the cost of waiting runs with the workloads `starts`, `resumes`, `timers` and `recovery`.

use std::sync::Arc;
use std::time::Duration;

use abide_engine::base::{IdSource, Problem, RequestId, RunId};
use abide_engine::clock::{Clock as _, SystemClock};
use abide_engine::facade::Engine;

use super::Plan;
use super::content::WAITS;
use super::database::BenchDatabase;
use super::engine::{BenchEngine, TENANT, gate_goal, start};
use super::figures::{Rate, Stopwatch, percentile, rss_mb};
use super::raw::{MeasureLimit, RawWriter};
use super::report::{DatabaseKind, Measurement, Workload};

/// Number of tasks that start runs concurrently.
const STARTERS: usize = 128;
/// Time over which the deadlines are spread, in milliseconds.
const SPREAD_MS: u64 = 1_000;
/// Time before the first deadline, in milliseconds. All runs with a deadline are started in that time.
const LEAD_MS: u64 = 2_000;
/// Timeout longer than any measurement.
const FOREVER: &str = "7days";

/// Measures all four workloads. For `recovery` the engine is closed and opened again.
pub(super) async fn measure(
    engine: BenchEngine,
    database: &BenchDatabase,
    plan: &Plan,
    raw: &mut RawWriter,
) -> Result<Vec<Measurement>, Problem> {
    let ids = IdSource::seeded(crate::random::fresh_seed());
    let new_gate = || ids.mint::<RequestId>(SystemClock.now());
    let limit = MeasureLimit { time: plan.raw_time, count: u64::MAX };
    let limit = raw.write_batches(limit).await?.per_s();
    let against_raw = |workload: Workload, rate: Rate| Measurement {
        workload,
        database: database.kind,
        concurrency: STARTERS,
        n: rate.n,
        per_s: rate.per_s(),
        raw_per_s: Some(limit),
        ratio: Some(rate.per_s() / limit),
        rss_mb: rss_mb(),
        ..Measurement::default()
    };
    let gate = new_gate();
    engine.close_gate(gate).await?;
    let (started, runs) = starts(&engine, raw, gate, plan.waiting).await?;
    let starts = against_raw(Workload::Starts, started);
    let resumes = against_raw(Workload::Resumes, resumes(&engine, gate, &runs).await?);
    let timers = timers(&engine, database.kind, new_gate(), plan.timers).await?;
    let gates = RecoveryGates { stays_closed: new_gate(), opens: new_gate() };
    let recovery = recovery(engine, raw, database, gates, plan.waiting).await?;
    Ok(vec![starts, resumes, timers, recovery])
}

/// Starts `n` runs that wait for `gate`. Returns the rate at which they were started, and their ids.
async fn starts(
    engine: &BenchEngine,
    raw: &mut RawWriter,
    gate: RequestId,
    n: u64,
) -> Result<(Rate, Vec<RunId>), Problem> {
    let clock = Stopwatch::started();
    let runs = start_many(&engine.engine, n, move |_| (gate, FOREVER.to_owned())).await?;
    let took = clock.elapsed();
    raw.until_waiting(n).await?;
    Ok((Rate { n, took }, runs))
}

/// Wakes all runs with one commit, and measures the time until all runs have ended.
async fn resumes(engine: &BenchEngine, gate: RequestId, runs: &[RunId]) -> Result<Rate, Problem> {
    let clock = Stopwatch::started();
    engine.open_gate(gate).await?;
    for run in runs {
        engine.engine.wait_until_ended(TENANT, *run).await?;
    }
    Ok(Rate { n: runs.len() as u64, took: clock.elapsed() })
}

/// Measures how late the engine acts on each of `n` deadlines, which are spread over one second.
async fn timers(
    engine: &BenchEngine,
    database: DatabaseKind,
    gate: RequestId,
    n: u64,
) -> Result<Measurement, Problem> {
    engine.close_gate(gate).await?;
    engine.times.take_lateness();
    let clock = Stopwatch::started();
    let runs = start_many(&engine.engine, n, move |ix| {
        (gate, format!("{}ms", LEAD_MS + ix * SPREAD_MS / n.max(1)))
    })
    .await?;
    for run in &runs {
        engine.engine.wait_until_ended(TENANT, *run).await?;
    }
    let rate = Rate { n, took: clock.elapsed().saturating_sub(Duration::from_millis(LEAD_MS)) };
    let mut late = engine.times.take_lateness();
    Ok(Measurement {
        workload: Workload::Timers,
        database,
        concurrency: STARTERS,
        n,
        per_s: rate.per_s(),
        p50_ms: percentile(&mut late, 0.5),
        p99_ms: percentile(&mut late, 0.99),
        rss_mb: rss_mb(),
        ..Measurement::default()
    })
}

/// The gates of the workload `recovery`.
struct RecoveryGates {
    /// Gate at which all runs except one wait until the measurement ends.
    stays_closed: RequestId,
    /// Gate of the run that is resumed.
    opens: RequestId,
}

/// Measures the time from opening a database with many waiting runs until the first resumed run has ended.
async fn recovery(
    engine: BenchEngine,
    raw: &mut RawWriter,
    database: &BenchDatabase,
    gates: RecoveryGates,
    n: u64,
) -> Result<Measurement, Problem> {
    let RecoveryGates { stays_closed, opens } = gates;
    engine.close_gate(stays_closed).await?;
    engine.close_gate(opens).await?;
    start_many(&engine.engine, n, move |_| (stays_closed, FOREVER.to_owned())).await?;
    let first = engine.start(WAITS, gate_goal(opens, FOREVER)).await?;
    raw.until_waiting(n + 1).await?;
    engine.close().await;
    let clock = Stopwatch::started();
    RawWriter::connect(&database.address, 0).await?.count_turns().await?;
    let raw = Rate { n: 1, took: clock.elapsed() };
    let clock = Stopwatch::started();
    let engine = BenchEngine::open(&database.address).await?;
    engine.open_gate(opens).await?;
    engine.engine.wait_until_ended(TENANT, first).await?;
    let took = clock.elapsed();
    engine.close().await;
    let ms = Some(took.as_secs_f64() * 1e3);
    let rate = Rate { n: 1, took };
    Ok(Measurement {
        workload: Workload::Recovery,
        database: database.kind,
        concurrency: 1,
        n: 1,
        per_s: rate.per_s(),
        raw_per_s: Some(raw.per_s()),
        ratio: Some(raw.per_s() / rate.per_s()),
        p50_ms: ms,
        p99_ms: ms,
        rss_mb: rss_mb(),
        ..Measurement::default()
    })
}

/// Starts `n` runs. The function `of` takes the number of a run and returns its gate and timeout.
async fn start_many(
    engine: &Engine,
    n: u64,
    of: impl Fn(u64) -> (RequestId, String) + Send + Sync + 'static,
) -> Result<Vec<RunId>, Problem> {
    let of = Arc::new(of);
    let mut starters = tokio::task::JoinSet::new();
    for starter in 0..STARTERS as u64 {
        let (engine, of) = (engine.clone(), Arc::clone(&of));
        starters.spawn(async move {
            let mut runs = Vec::new();
            for ix in (starter..n).step_by(STARTERS) {
                let (gate, timeout) = of(ix);
                runs.push(start(&engine, WAITS, gate_goal(gate, &timeout)).await?);
            }
            Ok::<_, Problem>(runs)
        });
    }
    let mut runs = Vec::new();
    while let Some(done) = starters.join_next().await {
        runs.extend(done.map_err(|e| Problem::bug(format!("a starter died: {e}")))??);
    }
    Ok(runs)
}
