//! Frees runs that are claimed by processes that no longer exist, so that other processes can claim them.

use super::owned::Claims;
use crate::base::{Problem, Span, Timestamp};
use crate::store::Dialect;
use crate::transaction;

impl Claims {
    /// Frees all runs that dead nodes or crashed commands have claimed. A command that drives runs has no
    /// lease that could expire. Such a command counts as crashed if it still owns a run that fell due
    /// before the instant `lost`. Each transaction frees a limited number of runs.
    pub(in crate::driver) async fn free(&self, lost: Timestamp) -> Result<(), Problem> {
        loop {
            let task =
                transaction!(|tx| Ok(tx.free_dead_runs().await? + tx.free_lost_runs(lost).await?));
            if self.store.write(task).await? == 0 {
                return Ok(());
            }
            self.bells.runs.ring();
        }
    }

    /// Ends all leases and frees all claimed runs. Use this only if no other process uses the database: the
    /// processes that claimed these runs must have ended. Does nothing on SQLite, where claims are not
    /// stored.
    pub(crate) async fn take_over(&self) -> Result<(), Problem> {
        match self.store.dialect() {
            Dialect::Sqlite => Ok(()),
            Dialect::Postgres => {
                let task = transaction!(|tx| Ok(tx.end_leases().await?));
                self.store.write(task).await?;
                self.free(self.clock.now() + Span::from_micros(1)).await
            }
        }
    }
}
