//! `abide bench`: compares the engine with the raw limit of the same database, in the same process.
//!
//! The workloads run on a new database that is removed afterwards. For steps, the raw limit is measured right
//! before and right after the engine, so that a busy machine slows both. The rows that the engine and the raw
//! writer report are read back and counted.

mod content;
mod domain;
mod figures;
mod machine;
mod place;
mod raw;
mod report;
mod rig;
mod steps;
#[cfg(test)]
mod tests;
mod verbs;
mod waits;

use std::time::Duration;

use abide_engine::base::Problem;
use abide_engine::store::Address;

use machine::Machine;
use place::Place;
pub(crate) use report::{Measured, Report};
use rig::Rig;

/// How long and how much to measure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    /// Time per level of concurrency.
    each: Duration,
    /// Time for the raw limit, before each level and after it.
    raw: Duration,
    /// Maximum number of runs per level of concurrency.
    runs: u64,
    /// Number of waiting runs.
    waiting: u64,
    /// Number of deadlines within one second.
    timers: u64,
}

impl Plan {
    /// Plan for reliable figures: about two minutes per database.
    pub(crate) fn full() -> Self {
        let (each, raw) = (Duration::from_secs(15), Duration::from_secs(4));
        Self { each, raw, runs: 100_000, waiting: 10_000, timers: 1_000 }
    }

    /// Plan for a first impression: under half a minute per database.
    pub(crate) fn quick() -> Self {
        let (each, raw) = (Duration::from_secs(2), Duration::from_millis(500));
        Self { each, raw, runs: 10_000, waiting: 1_000, timers: 200 }
    }
}

/// Measures SQLite, and also PostgreSQL if `given` is the address of a server.
///
/// # Errors
/// `not_durable` if a database may lose committed data; any problem of the engine.
pub(crate) async fn measure(plan: &Plan, given: &Address) -> Result<Report, Problem> {
    let mut report =
        Report { machine: Machine::here(), durability: Vec::new(), results: Vec::new() };
    let postgres = match given {
        Address::Postgres(url) => Some(Place::postgres(url).await?),
        Address::Sqlite(_) => None,
    };
    let sqlite = Place::sqlite().await?;
    for place in [Some(sqlite), postgres].into_iter().flatten() {
        report.durability.push((place.database, place.durability.clone()));
        let measured = on(&place, plan).await;
        place.leave().await?;
        report.results.extend(measured?);
    }
    Ok(report)
}

async fn on(place: &Place, plan: &Plan) -> Result<Vec<Measured>, Problem> {
    let at = (&place.address, place.database);
    let rig = Rig::open(&place.address).await?;
    let (mut measured, mut raw) = steps::measure(&rig, at, plan).await?;
    measured.extend(waits::measure(rig, at, plan, &mut raw).await?);
    Ok(measured)
}
