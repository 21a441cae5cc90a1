//! The load: the engine's own work, as fast as 128 concurrent callers ask for it.

use std::collections::BTreeMap;
use std::time::Duration;

use abide_engine::base::{IdSource, Problem, RequestId, RunId, Span};
use abide_engine::clock::{Clock as _, SystemClock};
use abide_engine::store::RunRef;
use serde_json::json;

use super::super::content::{LISTENS, PAUSES, RETRIES, RETRY_PAUSE, SIGNAL, WAITS};
use super::super::engine::{BenchEngine, TENANT, gate_goal, start};
use super::super::figures::{Rate, Stopwatch};
use super::super::raw::{Awaited, RunRange, RunWatch};

/// Number of concurrent callers.
pub(super) const CALLERS: usize = 128;
/// Time over which deadlines and the ends of pauses are spread.
const SPREAD: Duration = Duration::from_secs(1);
/// Shortest time from the first start until the first deadline.
const LEAD_MIN: Duration = Duration::from_secs(2);
/// Timeout longer than any measurement.
const FOREVER: &str = "7days";

/// What a workload has done.
pub(super) struct LoadResult {
    /// Number of runs, and the time until the last of them had what the workload awaits.
    pub(super) rate: Rate,
    /// Latency of each call, or how late each run that was due was acted on; empty if there is neither.
    pub(super) latencies: Vec<Duration>,
    /// The runs of the workload.
    pub(super) runs: Vec<RunId>,
}

/// Starts `n` runs that await a signal. The measurement ends when all of them wait.
///
/// # Errors
/// Any problem that the engine or the database reports.
pub(super) async fn starts(
    engine: &BenchEngine,
    watch: &mut RunWatch,
    n: u64,
) -> Result<LoadResult, Problem> {
    let clock = Stopwatch::started();
    let served = engine.engine.clone();
    let calls = call_all(n, move |_| {
        let engine = served.clone();
        async move { start(&engine, LISTENS, json!({})).await }
    })
    .await?;
    until_all(watch, Awaited::Waiting, &calls.answers).await?;
    let rate = Rate { n, took: clock.elapsed() };
    Ok(LoadResult { rate, latencies: calls.latencies, runs: calls.answers })
}

/// Sends each of `runs` its first signal. The measurement ends when all of them have ended.
///
/// # Errors
/// Any problem that the engine or the database reports.
pub(super) async fn signals(
    engine: &BenchEngine,
    watch: &mut RunWatch,
    runs: Vec<RunId>,
) -> Result<LoadResult, Problem> {
    let n = runs.len() as u64;
    let (served, targets) = (engine.engine.clone(), runs.clone());
    let clock = Stopwatch::started();
    let calls = call_all(n, move |ix| {
        let (engine, run) = (served.clone(), targets[ix as usize]);
        async move { engine.signal(RunRef { tenant: TENANT, run }, SIGNAL, &json!({}), None).await }
    })
    .await?;
    until_all(watch, Awaited::Ended, &runs).await?;
    Ok(LoadResult { rate: Rate { n, took: clock.elapsed() }, latencies: calls.latencies, runs })
}

/// Starts `n` runs that wait at one gate, and opens the gate with one commit. The measurement begins with
/// that commit, and ends when all runs have ended.
///
/// # Errors
/// Any problem that the engine or the database reports.
pub(super) async fn resumes(
    engine: &BenchEngine,
    watch: &mut RunWatch,
    n: u64,
) -> Result<LoadResult, Problem> {
    let gate = closed_gate(engine).await?;
    let served = engine.engine.clone();
    let calls = call_all(n, move |_| {
        let engine = served.clone();
        async move { start(&engine, WAITS, gate_goal(gate, FOREVER)).await }
    })
    .await?;
    until_all(watch, Awaited::Waiting, &calls.answers).await?;
    let clock = Stopwatch::started();
    engine.open_gate(gate).await?;
    until_all(watch, Awaited::Ended, &calls.answers).await?;
    let rate = Rate { n, took: clock.elapsed() };
    Ok(LoadResult { rate, latencies: Vec::new(), runs: calls.answers })
}

/// For what a run waits until a time that is known beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alarm {
    /// The deadline of a wait for people.
    Deadline,
    /// The end of a pause.
    Pause,
    /// The second attempt of a call.
    Retry,
}

/// Starts `n` runs that fall due within about a second. The measurement begins when the first is due, and ends when all runs
/// have ended. `starts` is the rate at which runs can be started. Deadlines and pauses begin to end after all runs wait, and are
/// spread evenly. A retry is due a while after its start, so retries are spread as the starts were, and by their jitter.
///
/// # Errors
/// Any problem that the engine or the database reports.
pub(super) async fn alarms(
    engine: &BenchEngine,
    watch: &mut RunWatch,
    alarm: Alarm,
    n: u64,
    starts: Rate,
) -> Result<LoadResult, Problem> {
    let gate = closed_gate(engine).await?;
    engine.times.take_lateness();
    let lead = match alarm {
        Alarm::Deadline | Alarm::Pause => {
            LEAD_MIN + Duration::from_secs_f64(2.0 * n as f64 / starts.per_s().max(1.0))
        }
        Alarm::Retry => RETRY_PAUSE.to_std(),
    };
    let served = engine.engine.clone();
    let (clock, began) = (Stopwatch::started(), SystemClock.now());
    let calls = call_all(n, move |ix| {
        let engine = served.clone();
        let due = lead + SPREAD * u32::try_from(ix).unwrap_or(0) / u32::try_from(n).unwrap_or(1);
        let (method, goal) = match alarm {
            Alarm::Deadline => {
                let timeout = due.saturating_sub(clock.elapsed()).as_millis();
                (WAITS, gate_goal(gate, &format!("{timeout}ms")))
            }
            Alarm::Pause => {
                let due = Span::from_micros(i64::try_from(due.as_micros()).unwrap_or(0));
                (PAUSES, json!({ "due": (began + due).to_string() }))
            }
            Alarm::Retry => (RETRIES, json!({})),
        };
        async move { start(&engine, method, goal).await }
    })
    .await?;
    until_all(watch, Awaited::Ended, &calls.answers).await?;
    let took = clock.elapsed().saturating_sub(lead);
    let latencies = engine.times.take_lateness();
    Ok(LoadResult { rate: Rate { n, took }, latencies, runs: calls.answers })
}

/// Creates a gate that is closed.
pub(super) async fn closed_gate(engine: &BenchEngine) -> Result<RequestId, Problem> {
    let gate = IdSource::seeded(crate::random::fresh_seed()).mint(SystemClock.now());
    engine.close_gate(gate).await?;
    Ok(gate)
}

/// Waits until all runs have what is awaited.
async fn until_all(watch: &mut RunWatch, awaited: Awaited, runs: &[RunId]) -> Result<(), Problem> {
    match RunRange::of(runs) {
        Some(range) => watch.until_all(awaited, range).await,
        None => Ok(()),
    }
}

/// The answers of calls, in the order of the calls, and the latencies.
struct Calls<T> {
    answers: Vec<T>,
    latencies: Vec<Duration>,
}

/// Makes `n` calls with [`CALLERS`] concurrent callers. The function `call` takes the number of the call.
async fn call_all<T, F, C>(n: u64, call: C) -> Result<Calls<T>, Problem>
where
    T: Send + 'static,
    F: Future<Output = Result<T, Problem>> + Send,
    C: Fn(u64) -> F + Clone + Send + Sync + 'static,
{
    let mut callers = tokio::task::JoinSet::new();
    for caller in 0..CALLERS as u64 {
        let call = call.clone();
        callers.spawn(async move {
            let (mut answers, mut latencies) = (Vec::new(), Vec::new());
            for ix in (caller..n).step_by(CALLERS) {
                let clock = Stopwatch::started();
                answers.push((ix, call(ix).await?));
                latencies.push(clock.elapsed());
            }
            Ok::<_, Problem>((answers, latencies))
        });
    }
    let (mut answers, mut latencies) = (BTreeMap::new(), Vec::new());
    while let Some(done) = callers.join_next().await {
        let calls = done.map_err(|e| Problem::bug(format!("a caller died: {e}")))??;
        answers.extend(calls.0);
        latencies.extend(calls.1);
    }
    Ok(Calls { answers: answers.into_values().collect(), latencies })
}
