//! Writes the rows that a transaction must write last.

use crate::base::RunId;

use super::error::StoreError;
use super::tx::Tx;

impl Tx {
    /// Writes the rows that must come last: the events of locked partitions, and the wake-ups.
    pub(super) async fn finish(&mut self) -> Result<(), StoreError> {
        if self.roll_back_requested {
            return Ok(());
        }
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        // An event of a request may mean that a deadline was set or changed,
        // so this transaction counts as one that changed a deadline.
        self.due.timers |= !self.events.is_empty();
        self.append_partition_events().await?;
        for partition in std::mem::take(&mut self.tallied) {
            for run in super::wait::satisfied(self, partition).await? {
                self.wakes.insert(run);
            }
        }
        let wakes: Vec<RunId> = std::mem::take(&mut self.wakes).into_iter().collect();
        self.due.runs |= !wakes.is_empty();
        super::turn::wake(self, wakes).await
    }
}
