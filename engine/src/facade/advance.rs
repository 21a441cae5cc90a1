//! Advances a virtual clock. The clock stops at each time at which something falls due,
//! and moves on when the driver has nothing more to do at that time.

use super::engine::Engine;
use crate::base::{Problem, Timestamp, limits};
use crate::boxed;
use crate::store::{StoreError, Tx};
use crate::transaction;

/// The result of advancing the virtual clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdvanceResult {
    /// Time of the virtual clock after the advance.
    pub now: Timestamp,
    /// Number of deadlines, retries and schedules that fell due during the advance.
    pub fired: u64,
}

/// The key in the table `meta` under which the time of the virtual clock is stored.
const VIRTUAL_NOW: &str = "virtual_now";

impl Engine {
    /// Advances the virtual clock to this time. The clock stops at each time at which something
    /// falls due, so that deadlines, retries and schedules take effect in their proper sequence.
    ///
    /// # Errors
    /// `clock_not_virtual` if the clock is real; `clock_backwards` if the clock already shows
    /// a later time.
    #[boxed]
    pub async fn advance(&self, to: Timestamp) -> Result<AdvanceResult, Problem> {
        let Some(clock) = self.virtual_clock.clone() else {
            return Err(Problem::caller("clock_not_virtual", "this server uses the real clock")
                .with_hint("start it with `--clock virtual`"));
        };
        let _alone = self.advancing.lock().await; // only one caller at a time may set the clock
        if to < self.now() {
            return Err(Problem::caller(
                "clock_backwards",
                "the virtual clock can only move forward",
            ));
        }
        let before = self.fired();
        for _ in 0..limits::SETTLE_ROUNDS_MAX {
            let tick = self.tick().await?;
            let next = tick.next_due.filter(|due| *due <= to && *due > self.now());
            if next.is_none() && self.now() >= to {
                let fired = self.fired() - before;
                return Ok(AdvanceResult { now: self.now(), fired });
            }
            clock.set(next.unwrap_or(to));
            self.store_virtual_now().await?;
        }
        Err(Problem::bug("the virtual clock never arrives: work keeps falling due")
            .with_hint("see `abide run list`"))
    }

    /// Returns the number of deadlines, retries and schedules that have fallen due since the process began.
    #[must_use]
    pub fn fired(&self) -> u64 {
        self.core.fired()
    }

    /// Stores the time of the virtual clock in the database, so that the next process continues from it.
    #[boxed]
    pub async fn store_virtual_now(&self) -> Result<(), Problem> {
        let task = transaction!([now = self.now().micros().to_string()], |tx| {
            Ok(tx.set_meta(VIRTUAL_NOW, &now).await?)
        });
        self.core.store.write(task).await
    }

    /// Returns the stored time of this database's virtual clock;
    /// `None` if the database uses the real clock.
    ///
    /// # Errors
    /// `database_foreign` if the stored value is not a time. After this error, the caller must not use
    /// the real clock instead.
    #[boxed]
    pub async fn stored_virtual_now(&self) -> Result<Option<Timestamp>, Problem> {
        self.core.store.read(transaction!(|tx| virtual_now(tx).await)).await
    }

    /// Whether the clock is virtual.
    #[must_use]
    pub fn is_virtual(&self) -> bool {
        self.virtual_clock.is_some()
    }
}

/// Returns the stored time of a database's virtual clock; `None` if the database uses the real clock.
///
/// # Errors
/// The same errors as [`Engine::stored_virtual_now`].
#[boxed]
pub async fn virtual_now(tx: &mut Tx) -> Result<Option<Timestamp>, Problem> {
    let Some(text) = tx.meta(VIRTUAL_NOW).await? else { return Ok(None) };
    match text.parse() {
        Ok(micros) => Ok(Some(Timestamp::from_micros(micros))),
        Err(_) => Err(StoreError::Foreign(format!("`meta` says {VIRTUAL_NOW} `{text}`")).into()),
    }
}
