//! Frees the runs claimed by processes that no longer run.

use super::owned::Claims;
use crate::base::{Problem, Span, Timestamp};
use crate::store::Dialect;
use crate::transaction;

impl Claims {
    /// Frees the runs of dead nodes. Also frees the runs of crashed commands:
    /// runs that were due before `lost` and whose owner never had a lease.
    /// Each transaction frees at most `SWEEP_ROWS_MAX` runs in total.
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

    /// Releases the runs that a crashed command left claimed.
    /// Call this only if no other process uses the database.
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
