//! `abide bench`: the engine beside the raw limit of the same database, in the same process.
//!
//! Each workload runs on a database of its own that is gone afterwards. The raw limit is measured
//! right before and right after, so that a busy machine slows both; everything that either of them
//! says it wrote is read back and counted.

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

/// How much is measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    /// For each concurrency.
    each: Duration,
    /// For the raw limit, before and after each.
    raw: Duration,
    /// Runs of a concurrency at most.
    runs: u64,
    /// Runs that wait.
    waiting: u64,
    /// Deadlines within one second.
    timers: u64,
}

impl Plan {
    /// Figures to rely on: two minutes or so a database.
    pub(crate) fn full() -> Self {
        let (each, raw) = (Duration::from_secs(15), Duration::from_secs(4));
        Self { each, raw, runs: 100_000, waiting: 10_000, timers: 1_000 }
    }

    /// A first impression: under half a minute a database.
    pub(crate) fn quick() -> Self {
        let (each, raw) = (Duration::from_secs(2), Duration::from_millis(500));
        Self { each, raw, runs: 10_000, waiting: 1_000, timers: 200 }
    }
}

/// Measures SQLite, and PostgreSQL where a server is given.
///
/// # Errors
/// `not_durable` for a database that may lose what it confirmed; what stops the engine.
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
