//! The workload `steps`: runs of ten steps that do nothing, each committed before the next begins, in a
//! closed loop.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use abide_engine::base::Problem;
use abide_engine::facade::Engine;
use abide_engine::store::Address;
use serde_json::json;

use super::Plan;
use super::content::{NOOPS, STEPS};
use super::figures::{Rate, Stopwatch, mean, percentile, rss_mb};
use super::raw::{Gauge, Limit, Raw, Written};
use super::report::Measured;
use super::rig::{Rig, TENANT, start};

/// Numbers of concurrent callers.
const CONCURRENCY: [usize; 3] = [1, 16, 128];
/// Number of runs that warm up the caches and give the raw writer a sample row.
const WARM_UP: u64 = 64;
/// Number of runs whose write-ahead log is measured; an eighth of it at concurrency 1.
const WEIGHED: u64 = 256;

/// Result of a closed loop: the rate of runs, and the latency of each.
struct Looped {
    runs: Rate,
    latencies: Vec<Duration>,
}

/// Measures steps at each level of concurrency, with the raw limit before and after each.
pub(super) async fn measure(
    rig: &Rig,
    (address, database): (&Address, &'static str),
    plan: &Plan,
) -> Result<(Vec<Measured>, Raw), Problem> {
    let mut raw = Raw::connect(address, crate::fresh_seed()).await?;
    closed_loop(rig, 8, Limit { time: plan.each, most: WARM_UP }).await?;
    raw.like_the_engine().await?;
    raw.batches(Limit { time: plan.raw, most: 1_024 }).await?;
    let mut measured = Vec::new();
    for concurrency in CONCURRENCY {
        measured.push(one(rig, (address, database), (concurrency, plan), &mut raw).await?);
    }
    raw.count().await?;
    Ok((measured, raw))
}

async fn one(
    rig: &Rig,
    (address, database): (&Address, &'static str),
    (concurrency, plan): (usize, &Plan),
    raw: &mut Raw,
) -> Result<Measured, Problem> {
    let before = raw_limit(raw, concurrency, plan).await?;
    rig.seen.take_steps();
    let receipts = raw.receipts().await?;
    let limit = Limit { time: plan.each, most: plan.runs };
    let Looped { runs, mut latencies } = closed_loop(rig, concurrency, limit).await?;
    let written = raw.receipts().await? - receipts;
    if written != runs.n * STEPS as u64 {
        return Err(Problem::bug("not every step is in the database").with_detail(format!(
            "{} runs of {STEPS} steps, {written} receipts read back",
            runs.n
        )));
    }
    let mut steps = rig.seen.take_steps();
    let after = raw_limit(raw, concurrency, plan).await?;
    let rate = Rate { n: runs.n * STEPS as u64, took: runs.took };
    let limit = before.and(after).per_s();
    let ratio = if concurrency == 1 {
        mean(&steps).map(|step| step.as_secs_f64() * limit)
    } else {
        Some(rate.per_s() / limit)
    };
    let (log, raw_log) = weigh(rig, address, concurrency, raw).await?;
    Ok(Measured {
        workload: "steps",
        database,
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
        wal_bytes_per_step: Some(log.bytes),
        pages_per_step: log.pages,
        raw_wal_bytes_per_step: Some(raw_log.bytes),
    })
}

async fn raw_limit(raw: &mut Raw, concurrency: usize, plan: &Plan) -> Result<Rate, Problem> {
    let limit = Limit { time: plan.raw, most: u64::MAX };
    if concurrency == 1 { raw.singles(limit).await } else { raw.batches(limit).await }
}

/// Runs `concurrency` callers, each of which starts a run when its previous one has ended.
async fn closed_loop(rig: &Rig, concurrency: usize, limit: Limit) -> Result<Looped, Problem> {
    let clock = Stopwatch::started();
    let begun = Arc::new(AtomicU64::new(0));
    let mut callers = tokio::task::JoinSet::new();
    for _ in 0..concurrency {
        callers.spawn(caller(rig.engine.clone(), Arc::clone(&begun), (limit, clock)));
    }
    let mut latencies = Vec::new();
    while let Some(done) = callers.join_next().await {
        latencies.extend(done.map_err(|e| Problem::bug(format!("a caller died: {e}")))??);
    }
    let took = clock.elapsed();
    Ok(Looped { runs: Rate { n: latencies.len() as u64, took }, latencies })
}

async fn caller(
    engine: Engine,
    begun: Arc<AtomicU64>,
    (limit, clock): (Limit, Stopwatch),
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

/// Measures the write-ahead log per step, of the engine and of the raw writer.
async fn weigh(
    rig: &Rig,
    address: &Address,
    concurrency: usize,
    raw: &mut Raw,
) -> Result<(Written, Written), Problem> {
    let runs = if concurrency == 1 { WEIGHED / 8 } else { WEIGHED };
    let limit = Limit { time: Duration::from_secs(5), most: runs };
    let gauge = Gauge::begin(address).await?;
    let looped = closed_loop(rig, concurrency, limit).await?;
    let engine = gauge.end().await?.per(looped.runs.n * STEPS as u64);
    let gauge = Gauge::begin(address).await?;
    let limit = Limit { most: runs * STEPS as u64, ..limit };
    let rate =
        if concurrency == 1 { raw.singles(limit).await? } else { raw.batches(limit).await? };
    Ok((engine, gauge.end().await?.per(rate.n)))
}
