//! `abide bench`: compares the engine with the raw limit, which is the speed of the bare database driver.
//!
//! The engine and the raw limit are measured in the same process, on the same new database, which is
//! deleted afterwards. For the workload `steps`, the raw limit is measured right before and right after
//! the engine, so that a busy machine slows the engine and the raw limit alike. The engine and the raw
//! writer, which uses only the database driver, report how many rows they have written. These numbers are
//! compared with the numbers of rows in the database.

mod content;
mod database;
mod domain;
mod engine;
mod figures;
mod machine;
mod over_http;
mod quiet;
mod raw;
mod report;
mod steps;
#[cfg(test)]
mod tests;
mod verbs;
mod waiting;
mod waits;

use std::time::Duration;

use abide_engine::base::Problem;
use abide_engine::store::Address;

use database::BenchDatabase;
use engine::BenchEngine;
use machine::Machine;
pub(crate) use over_http::{HttpPlan, measure_over_http};
use report::DatabaseDurability;
pub(crate) use report::{Measurement, Report};
pub(crate) use waiting::{WaitingPlan, measure_waiting, reopen};

/// Plan of a benchmark: how long each measurement takes, and how many runs it uses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    /// Time to measure the engine at one level of concurrency.
    level_time: Duration,
    /// Time to measure the raw limit, once before and once after each level of concurrency.
    raw_time: Duration,
    /// Maximum number of runs per level of concurrency.
    runs_max: u64,
    /// Number of waiting runs in the workloads `starts`, `resumes` and `recovery`.
    waiting: u64,
    /// Number of deadlines in the workload `timers`, all within one second.
    timers: u64,
}

impl Plan {
    /// Returns the plan for reliable figures, which takes about two minutes per database.
    pub(crate) fn full() -> Self {
        let (level_time, raw_time) = (Duration::from_secs(15), Duration::from_secs(4));
        Self { level_time, raw_time, runs_max: 100_000, waiting: 10_000, timers: 1_000 }
    }

    /// Returns the plan for a first impression, which takes less than half a minute per database.
    pub(crate) fn quick() -> Self {
        let (level_time, raw_time) = (Duration::from_secs(2), Duration::from_millis(500));
        Self { level_time, raw_time, runs_max: 10_000, waiting: 1_000, timers: 200 }
    }
}

/// Measures SQLite, and also PostgreSQL if `given` is the address of a server.
///
/// # Errors
/// `not_durable` if a database may lose committed data, or any problem that the engine reports.
pub(crate) async fn measure(plan: &Plan, given: &Address) -> Result<Report, Problem> {
    let measured = on_each_database(given, async |database| measure_on(database, plan).await);
    Ok(Report::of(measured.await?))
}

/// What was measured on one database, with the settings that decide whether it can lose committed data.
struct MeasuredOn<T> {
    durability: DatabaseDurability,
    measured: T,
}

impl Report {
    /// Joins what was measured on each database.
    fn of(databases: Vec<MeasuredOn<Vec<Measurement>>>) -> Self {
        let (mut durability, mut results) = (Vec::new(), Vec::new());
        for database in databases {
            durability.push(database.durability);
            results.extend(database.measured);
        }
        Self { machine: Machine::current(), durability, results }
    }
}

/// Creates one database after another, measures it, and deletes it whether or not it could be measured.
async fn on_each_database<T>(
    given: &Address,
    measure: impl AsyncFn(&BenchDatabase) -> Result<T, Problem>,
) -> Result<Vec<MeasuredOn<T>>, Problem> {
    let mut all = Vec::new();
    for database in databases(given).await? {
        let durability =
            DatabaseDurability { database: database.kind, settings: database.durability.clone() };
        let measured = measure(&database).await;
        database.remove().await?;
        all.push(MeasuredOn { durability, measured: measured? });
    }
    Ok(all)
}

/// Creates the databases to measure: SQLite, and also PostgreSQL if `given` is the address of a server.
///
/// # Errors
/// `not_durable` if a database may lose committed data, or any problem of creating one.
async fn databases(given: &Address) -> Result<Vec<BenchDatabase>, Problem> {
    let postgres = match given {
        Address::Postgres(url) => Some(BenchDatabase::postgres(url).await?),
        Address::Sqlite(_) => None,
    };
    Ok([Some(BenchDatabase::sqlite().await?), postgres].into_iter().flatten().collect())
}

async fn measure_on(database: &BenchDatabase, plan: &Plan) -> Result<Vec<Measurement>, Problem> {
    let engine = BenchEngine::open(&database.address).await?;
    let (mut measured, mut raw) = steps::measure(&engine, database, plan).await?;
    measured.extend(waits::measure(engine, database, plan, &mut raw).await?);
    Ok(measured)
}
