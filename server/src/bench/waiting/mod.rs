//! `abide bench --waiting N`: what it costs that N runs already wait.
//!
//! The load is measured on the same database while ever more runs wait: at first 1,000, then ten times as many, up to N. The
//! runs that wait are copies of one run that the engine has parked, and the load is the engine's own work
//! at full speed. Each workload is measured beside a raw rate: the bare driver writes the same rows with
//! set-based statements, 128 runs per commit, right before and right after the engine. Then the engine is
//! killed and opened again in a process of its own, in which the first page of each list and an audit are measured.
//!
//! No statistics are collected after the fill: the database plans its statements with those of a small
//! database, as it does in production right after a rush. (A PostgreSQL server may collect some by itself.)

mod child;
mod fill;
mod level;
mod load;
mod plot;
mod raw_rates;
mod reads;
mod report;
mod restart;
mod size;
#[cfg(test)]
mod tests;

use std::time::Duration;

use abide_engine::base::Problem;
use abide_engine::store::Address;

use super::database::BenchDatabase;
use super::machine::Machine;
use super::{MeasuredOn, on_each_database};
pub(crate) use child::reopen;
use fill::Filler;
use level::LoadedEngine;
pub(crate) use report::WaitingReport;
use report::{SecondProcessOf, WaitingResult};
use size::BytesPerRun;

/// Plan of a benchmark with many waiting runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WaitingPlan {
    /// Number of waiting runs.
    waiting: u64,
    /// Number of waiting runs at the first measurement, with which the others are compared.
    baseline: u64,
    /// Number of runs in each of the workloads `starts`, `signals` and `resumes`.
    runs: u64,
    /// Number of runs in each of the workloads `timers`, `pauses` and `retries`, all due within about a second.
    timers: u64,
    /// Number of raw batches before and after each workload.
    raw_batches: u64,
    /// Whether the engine is killed and opened again.
    restart: RestartPlan,
}

/// How many times as many runs wait at each measurement as at the one before it.
const LEVEL_FACTOR: u64 = 10;

/// Whether the engine is killed and opened again.
#[derive(Debug, Clone, Copy)]
pub(super) enum RestartPlan {
    /// A child process is killed and started again, and then watched for the time `idle`.
    Measured { idle: Duration },
    /// There is no restart, because this executable is not `abide`.
    #[cfg(test)]
    Skipped,
}

impl WaitingPlan {
    /// Returns the plan for reliable figures with `waiting` waiting runs.
    pub(crate) fn full(waiting: u64) -> Self {
        let restart = RestartPlan::Measured { idle: Duration::from_secs(10) };
        let (runs, timers) = (20_000, 10_000);
        Self { waiting, baseline: 1_000, runs, timers, raw_batches: 40, restart }
    }

    /// Returns the numbers of waiting runs at which the load is measured, in ascending order.
    fn levels(self) -> Vec<u64> {
        let tenfold =
            std::iter::successors(Some(self.baseline), |level| level.checked_mul(LEVEL_FACTOR));
        let below = tenfold.take_while(|level| *level < self.waiting);
        below.chain(std::iter::once(self.waiting)).collect()
    }

    /// Returns the plan for a first impression.
    pub(crate) fn quick(waiting: u64) -> Self {
        Self { runs: 2_000, timers: 1_000, raw_batches: 8, ..Self::full(waiting) }
    }
}

/// Measures SQLite, and also PostgreSQL if `given` is the address of a server.
///
/// # Errors
/// `not_durable` if a database may lose committed data, or any problem that the engine or its child process
/// reports.
pub(crate) async fn measure_waiting(
    plan: &WaitingPlan,
    given: &Address,
) -> Result<WaitingReport, Problem> {
    let mut report = WaitingReport::new(Machine::current(), plan.waiting);
    let databases =
        on_each_database(given, async |database| measure_database(database, plan).await);
    for MeasuredOn { durability, measured } in databases.await? {
        report.durability.push(durability);
        report.results.extend(measured.results);
        report.sizes.extend(measured.sizes);
        report.processes.extend(measured.process);
    }
    Ok(report)
}

/// What was measured on one database.
struct MeasuredDatabase {
    results: Vec<WaitingResult>,
    sizes: Vec<BytesPerRun>,
    process: Option<SecondProcessOf>,
}

/// Measures the load at each level, then the sizes, a restart, and what people read.
async fn measure_database(
    database: &BenchDatabase,
    plan: &WaitingPlan,
) -> Result<MeasuredDatabase, Problem> {
    let mut loaded = LoadedEngine::open(database, *plan).await?;
    let mut filler = loaded.filler().await?;
    let (mut results, mut sizes) = (Vec::<WaitingResult>::new(), Vec::new());
    for level in plan.levels() {
        let (mut more, larger) = at_level(&mut loaded, &mut filler, level).await?;
        more.iter_mut().for_each(|result| result.compare(&results));
        results.extend(more);
        sizes = larger;
    }
    loaded.close().await;
    let process = match plan.restart {
        RestartPlan::Measured { idle } => {
            let process = restart::measure(&database.address, filler.some_runs(), idle).await?;
            Some(SecondProcessOf { database: database.kind, process })
        }
        #[cfg(test)]
        RestartPlan::Skipped => None,
    };
    Ok(MeasuredDatabase { results, sizes, process })
}

/// Fills the database up to `waiting` waiting runs, and measures the growth of the tables and the load.
async fn at_level(
    loaded: &mut LoadedEngine,
    filler: &mut Filler,
    waiting: u64,
) -> Result<(Vec<WaitingResult>, Vec<BytesPerRun>), Problem> {
    let before = filler.sizes().await?;
    let added = waiting - filler.filled();
    let fill = filler.fill_to(waiting).await?;
    let sizes = size::growth(loaded.kind(), &before, &filler.sizes().await?, added);
    let mut results = vec![WaitingResult::fill(loaded.kind(), fill, waiting)];
    results.extend(loaded.measure(waiting).await?);
    Ok((results, sizes))
}
