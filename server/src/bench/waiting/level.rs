//! Measures the load beside the raw limit, at one number of waiting runs.

use abide_engine::base::Problem;
use abide_engine::store::{Address, RunRef};
use serde_json::json;

use super::super::content::{LISTENS, SIGNAL, WAITS};
use super::super::database::BenchDatabase;
use super::super::engine::{BenchEngine, TENANT, gate_goal};
use super::super::figures::{Rate, percentile, rss_mb};
use super::super::raw::{Awaited, RunRange, RunWatch, SampleRuns};
use super::super::report::{DatabaseKind, Measurement, Workload};
use super::WaitingPlan;
use super::fill::Filler;
use super::load::{self, Alarm, LoadResult};
use super::raw_rates::RawLives;
use super::report::WaitingResult;

/// The workloads whose runs fall due. The rows that a wait writes at its deadline are the raw rate of all of them: those of a
/// pause are as many, and those of a retry more.
const ALARMS: [(Workload, Alarm); 3] = [
    (Workload::Timers, Alarm::Deadline),
    (Workload::Pauses, Alarm::Pause),
    (Workload::Retries, Alarm::Retry),
];

/// An engine under load, with what is needed to measure it.
pub(super) struct LoadedEngine {
    engine: BenchEngine,
    kind: DatabaseKind,
    address: Address,
    watch: RunWatch,
    raw: RawLives,
    listens: SampleRuns,
    plan: WaitingPlan,
}

impl LoadedEngine {
    /// Opens the engine, and lets it park and end the runs that serve as samples.
    ///
    /// # Errors
    /// Any problem that the engine or the database reports.
    pub(super) async fn open(database: &BenchDatabase, plan: WaitingPlan) -> Result<Self, Problem> {
        let address = database.address.clone();
        let engine = BenchEngine::open(&address).await?;
        let mut watch = RunWatch::connect(&address).await?;
        let listens = sample_listens(&engine, &mut watch).await?;
        let waits = sample_waits(&engine, &mut watch).await?;
        let raw = RawLives::new(&address, listens.clone(), waits).await?;
        Ok(Self { engine, kind: database.kind, address, watch, raw, listens, plan })
    }

    /// Creates the filler of the database.
    ///
    /// # Errors
    /// `database_unreachable`.
    pub(super) async fn filler(&self) -> Result<Filler, Problem> {
        Filler::new(&self.address, self.listens.clone()).await
    }

    /// Returns the kind of the database.
    pub(super) fn kind(&self) -> DatabaseKind {
        self.kind
    }

    /// Returns the engine.
    #[cfg(test)]
    pub(super) fn engine(&self) -> &BenchEngine {
        &self.engine
    }

    /// Closes the engine.
    pub(super) async fn close(self) {
        self.engine.close().await;
    }

    /// Counts the runs that wait.
    ///
    /// # Errors
    /// `database_unreachable`.
    pub(super) async fn count_waiting(&mut self) -> Result<u64, Problem> {
        self.watch.count_waiting().await
    }

    /// Measures all workloads while `waiting` runs wait. The runs of the load have ended afterwards.
    ///
    /// # Errors
    /// Any problem that the engine or the database reports; a bug if fewer runs wait.
    pub(super) async fn measure(&mut self, waiting: u64) -> Result<Vec<WaitingResult>, Problem> {
        let found = self.count_waiting().await?;
        if found < waiting {
            return Err(Problem::bug(format!("only {found} of {waiting} copied runs wait")));
        }
        let WaitingPlan { runs, timers, raw_batches, .. } = self.plan;
        let before = self.raw.of_listens(raw_batches).await?;
        let mut starts = load::starts(&self.engine, &mut self.watch, runs).await?;
        let (started, starts_rate) = (std::mem::take(&mut starts.runs), starts.rate);
        let between = self.raw.of_listens(raw_batches).await?;
        let signals = load::signals(&self.engine, &mut self.watch, started).await?;
        let after = self.raw.of_listens(raw_batches).await?;
        let mut results = vec![
            self.result(Workload::Starts, starts, before.and(between).starts),
            self.result(Workload::Signals, signals, between.and(after).signals),
        ];
        let before = self.raw.of_waits(raw_batches).await?;
        let resumes = load::resumes(&self.engine, &mut self.watch, runs).await?;
        let mut between = self.raw.of_waits(raw_batches).await?;
        results.push(self.result(Workload::Resumes, resumes, before.and(between).resumes));
        for (workload, alarm) in ALARMS {
            let watch = &mut self.watch;
            let rung = load::alarms(&self.engine, watch, alarm, timers, starts_rate).await?;
            let after = self.raw.of_waits(raw_batches).await?;
            results.push(self.result(workload, rung, between.and(after).resumes));
            between = after;
        }
        Ok(results.into_iter().map(|one| one.with_waiting(waiting)).collect())
    }

    /// Returns the result of a workload. `raw` is the rate of the raw writer around it.
    fn result(&self, workload: Workload, mut load: LoadResult, raw: Rate) -> WaitingResult {
        let (per_s, limit) = (load.rate.per_s(), raw.per_s());
        WaitingResult::of(Measurement {
            workload,
            database: self.kind,
            concurrency: load::CALLERS,
            n: load.rate.n,
            per_s,
            raw_per_s: Some(limit),
            ratio: (limit > 0.0).then(|| per_s / limit),
            p50_ms: percentile(&mut load.latencies, 0.5),
            p99_ms: percentile(&mut load.latencies, 0.99),
            rss_mb: rss_mb(),
            ..Measurement::default()
        })
    }
}

/// Starts two runs that await a signal, and ends one of them.
async fn sample_listens(engine: &BenchEngine, watch: &mut RunWatch) -> Result<SampleRuns, Problem> {
    let parked = engine.start(LISTENS, json!({})).await?;
    let ended = engine.start(LISTENS, json!({})).await?;
    if let Some(range) = RunRange::of(&[parked, ended]) {
        watch.until_all(Awaited::Waiting, range).await?;
    }
    let target = RunRef { tenant: TENANT, run: ended };
    engine.engine.signal(target, SIGNAL, &json!({}), None).await?;
    engine.engine.wait_until_ended(TENANT, ended).await?;
    SampleRuns::read(&engine.engine, parked, ended).await
}

/// Starts two runs that wait at gates, and ends one of them.
async fn sample_waits(engine: &BenchEngine, watch: &mut RunWatch) -> Result<SampleRuns, Problem> {
    let (closed, opened) = (load::closed_gate(engine).await?, load::closed_gate(engine).await?);
    let parked = engine.start(WAITS, gate_goal(closed, "7days")).await?;
    let ended = engine.start(WAITS, gate_goal(opened, "7days")).await?;
    if let Some(range) = RunRange::of(&[parked, ended]) {
        watch.until_all(Awaited::Waiting, range).await?;
    }
    engine.open_gate(opened).await?;
    engine.engine.wait_until_ended(TENANT, ended).await?;
    SampleRuns::read(&engine.engine, parked, ended).await
}
