//! Waits until runs have reached a status, without any call of the engine.

use std::time::Duration;

use abide_engine::base::{Problem, RunId, TypedId as _};
use abide_engine::store::Address;
use tokio::time::MissedTickBehavior;
use uuid::Uuid;

use super::conn::{Conn, with};
use super::failed;
use crate::bench::engine::TENANT;

/// Time between two looks at the runs. A look costs less than a millisecond, because it continues where
/// the previous one stopped. `ended_at + 0` keeps it from the indexes of live runs, which it would read whole.
const LOOK_INTERVAL: Duration = Duration::from_millis(10);

const NOT_WAITING: &str = "SELECT id FROM run WHERE id >= $1 AND id <= $2 AND tenant || '' = $3
    AND status <> 'waiting' ORDER BY id LIMIT 1";
const NOT_ENDED: &str = "SELECT id FROM run WHERE id >= $1 AND id <= $2 AND tenant || '' = $3
    AND ended_at + 0 IS NULL ORDER BY id LIMIT 1";
const COUNT_WAITING: &str = "SELECT COUNT(*) FROM run JOIN turn ON turn.run_id = run.id
    WHERE run.tenant = $1 AND run.status = 'waiting' AND turn.owner IS NULL";

/// What is awaited of each run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::bench) enum Awaited {
    /// The run waits.
    Waiting,
    /// The run has ended.
    Ended,
}

/// The first and the last of some runs, by id. All runs between them are meant, too.
#[derive(Debug, Clone, Copy)]
pub(in crate::bench) struct RunRange {
    first: Uuid,
    last: Uuid,
}

impl RunRange {
    /// Returns the range of all `runs`; `None` without runs.
    pub(in crate::bench) fn of(runs: &[RunId]) -> Option<Self> {
        let (first, last) = (runs.iter().min()?, runs.iter().max()?);
        Some(Self { first: first.uuid(), last: last.uuid() })
    }
}

/// A connection that reads the status of runs.
pub(in crate::bench) struct RunWatch(Conn);

impl RunWatch {
    /// Connects to the database.
    ///
    /// # Errors
    /// `database_unreachable`.
    pub(in crate::bench) async fn connect(address: &Address) -> Result<Self, Problem> {
        Ok(Self(Conn::open(address).await?))
    }

    /// Resolves once all runs of the range have what is awaited. Continues each time at the first run
    /// that did not have it: no run loses it again.
    ///
    /// # Errors
    /// `database_unreachable`.
    pub(in crate::bench) async fn until_all(
        &mut self,
        awaited: Awaited,
        mut range: RunRange,
    ) -> Result<(), Problem> {
        let question = match awaited {
            Awaited::Waiting => NOT_WAITING,
            Awaited::Ended => NOT_ENDED,
        };
        let mut looks = tokio::time::interval(LOOK_INTERVAL);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            looks.tick().await;
            let found: Result<Option<Uuid>, _> = with!(&mut self.0, conn => {
                sqlx::query_scalar(question).bind(range.first).bind(range.last).bind(TENANT)
                    .fetch_optional(conn).await
            });
            match found.map_err(failed("read the status of runs"))? {
                Some(run) => range.first = run,
                None => return Ok(()),
            }
        }
    }

    /// Counts the runs of the engine that wait, and that nobody works on.
    ///
    /// # Errors
    /// `database_unreachable`.
    pub(in crate::bench) async fn count_waiting(&mut self) -> Result<u64, Problem> {
        let found: Result<i64, _> = with!(&mut self.0, conn => {
            sqlx::query_scalar(COUNT_WAITING).bind(TENANT).fetch_one(conn).await
        });
        Ok(u64::try_from(found.map_err(failed("count"))?).unwrap_or(0))
    }
}
