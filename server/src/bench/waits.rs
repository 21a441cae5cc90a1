//! The workloads `starts`, `resumes`, `timers` and `recovery`: the cost of waiting runs.

use std::sync::Arc;
use std::time::Duration;

use abide_engine::base::{IdSource, Problem, RequestId, RunId};
use abide_engine::clock::{Clock as _, SystemClock};
use abide_engine::facade::Engine;
use abide_engine::store::Address;

use super::Plan;
use super::content::WAITS;
use super::figures::{Rate, Stopwatch, percentile, rss_mb};
use super::raw::{Limit, Raw};
use super::report::Measured;
use super::rig::{Rig, TENANT, at_gate, start};

/// Number of concurrent starts.
const STARTERS: usize = 128;
/// Time over which the deadlines are spread.
const SPREAD_MS: u64 = 1_000;
/// Time before the first deadline, in which all runs with a deadline are started.
const LEAD_MS: u64 = 2_000;
/// Timeout longer than any measurement.
const FOREVER: &str = "7days";

/// Measures all four workloads. For `recovery` the engine is closed and opened again.
pub(super) async fn measure(
    rig: Rig,
    (address, database): (&Address, &'static str),
    plan: &Plan,
    raw: &mut Raw,
) -> Result<Vec<Measured>, Problem> {
    let gates = IdSource::seeded(crate::fresh_seed());
    let gate = || gates.mint::<RequestId>(SystemClock.now());
    let limit = raw.batches(Limit { time: plan.raw, most: u64::MAX }).await?.per_s();
    let beside = |rate: Rate| Measured {
        database,
        concurrency: STARTERS,
        n: rate.n,
        per_s: rate.per_s(),
        raw_per_s: Some(limit),
        ratio: Some(rate.per_s() / limit),
        rss_mb: rss_mb(),
        ..Measured::default()
    };
    let shared = gate();
    rig.shut(shared).await?;
    let (started, runs) = starts((&rig, raw), shared, plan.waiting).await?;
    let starts = Measured { workload: "starts", ..beside(started) };
    let resumed = resumes(&rig, shared, &runs).await?;
    let resumes = Measured { workload: "resumes", ..beside(resumed) };
    let timers = timers(&rig, (gate(), plan.timers), database).await?;
    let gates = (gate(), gate());
    let recovery = recovery((rig, raw), (address, database), gates, plan.waiting).await?;
    Ok(vec![starts, resumes, timers, recovery])
}

/// Starts `n` runs that wait at `gate`. Returns the rate of the starts, and the runs.
async fn starts(
    (rig, raw): (&Rig, &mut Raw),
    gate: RequestId,
    n: u64,
) -> Result<(Rate, Vec<RunId>), Problem> {
    let clock = Stopwatch::started();
    let runs = start_many(&rig.engine, n, move |_| (gate, FOREVER.to_owned())).await?;
    let took = clock.elapsed();
    raw.until_waiting(n).await?;
    Ok((Rate { n, took }, runs))
}

/// Wakes all runs with one commit, and measures until all have ended.
async fn resumes(rig: &Rig, gate: RequestId, runs: &[RunId]) -> Result<Rate, Problem> {
    let clock = Stopwatch::started();
    rig.unlock(gate).await?;
    for run in runs {
        rig.engine.wait_until_ended(TENANT, *run).await?;
    }
    Ok(Rate { n: runs.len() as u64, took: clock.elapsed() })
}

/// Measures how late each of `n` deadlines, spread over a second, is acted on.
async fn timers(
    rig: &Rig,
    (gate, n): (RequestId, u64),
    database: &'static str,
) -> Result<Measured, Problem> {
    rig.shut(gate).await?;
    rig.seen.take_lateness();
    let clock = Stopwatch::started();
    let runs = start_many(&rig.engine, n, move |ix| {
        (gate, format!("{}ms", LEAD_MS + ix * SPREAD_MS / n.max(1)))
    })
    .await?;
    for run in &runs {
        rig.engine.wait_until_ended(TENANT, *run).await?;
    }
    let rate = Rate { n, took: clock.elapsed().saturating_sub(Duration::from_millis(LEAD_MS)) };
    let mut late = rig.seen.take_lateness();
    Ok(Measured {
        workload: "timers",
        database,
        concurrency: STARTERS,
        n,
        per_s: rate.per_s(),
        p50_ms: percentile(&mut late, 0.5),
        p99_ms: percentile(&mut late, 0.99),
        rss_mb: rss_mb(),
        ..Measured::default()
    })
}

/// Measures the time from opening a database with many waiting runs until the first resumed run has ended.
async fn recovery(
    (rig, raw): (Rig, &mut Raw),
    (address, database): (&Address, &'static str),
    (kept, one): (RequestId, RequestId),
    n: u64,
) -> Result<Measured, Problem> {
    rig.shut(kept).await?;
    rig.shut(one).await?;
    start_many(&rig.engine, n, move |_| (kept, FOREVER.to_owned())).await?;
    let first = rig.start(WAITS, at_gate(one, FOREVER)).await?;
    raw.until_waiting(n + 1).await?;
    rig.close().await;
    let clock = Stopwatch::started();
    Raw::connect(address, 0).await?.turns().await?;
    let raw = Rate { n: 1, took: clock.elapsed() };
    let clock = Stopwatch::started();
    let rig = Rig::open(address).await?;
    rig.unlock(one).await?;
    rig.engine.wait_until_ended(TENANT, first).await?;
    let took = clock.elapsed();
    rig.close().await;
    let ms = Some(took.as_secs_f64() * 1e3);
    let rate = Rate { n: 1, took };
    Ok(Measured {
        workload: "recovery",
        database,
        concurrency: 1,
        n: 1,
        per_s: rate.per_s(),
        raw_per_s: Some(raw.per_s()),
        ratio: Some(raw.per_s() / rate.per_s()),
        p50_ms: ms,
        p99_ms: ms,
        rss_mb: rss_mb(),
        ..Measured::default()
    })
}

/// Starts `n` runs. `of` gives the gate and the timeout for the number of each run.
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
                runs.push(start(&engine, WAITS, at_gate(gate, &timeout)).await?);
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
