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
use super::load::{self, LoadResult};
use super::raw_rates::{RawLives, RawRates};
use super::report::WaitingResult;

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
        let mut rates = [RawRates::default(); 6];
        rates[0] = self.raw.of_listens(raw_batches).await?;
        let mut starts = load::starts(&self.engine, &mut self.watch, runs).await?;
        let started = std::mem::take(&mut starts.runs);
        rates[1] = self.raw.of_listens(raw_batches).await?;
        let signals = load::signals(&self.engine, &mut self.watch, started).await?;
        rates[2] = self.raw.of_listens(raw_batches).await?;
        rates[3] = self.raw.of_waits(raw_batches).await?;
        let resumes = load::resumes(&self.engine, &mut self.watch, runs).await?;
        rates[4] = self.raw.of_waits(raw_batches).await?;
        let timed = load::timers(&self.engine, &mut self.watch, timers, starts.rate).await?;
        rates[5] = self.raw.of_waits(raw_batches).await?;
        let beside = |before: usize| rates[before].and(rates[before + 1]);
        let row = |workload, load, raw| self.result(workload, load, raw).with_waiting(waiting);
        Ok(vec![
            row(Workload::Starts, starts, beside(0).starts),
            row(Workload::Signals, signals, beside(1).signals),
            row(Workload::Resumes, resumes, beside(3).resumes),
            row(Workload::Timers, timed, beside(4).resumes),
        ])
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
