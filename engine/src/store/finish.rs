//! Writes the rows that a transaction must write last.

use super::error::StoreError;
use super::tx::{SharedWakes, Tx};

impl Tx {
    /// Writes the rows that must come last: the events of locked partitions, and the wake-ups.
    pub(super) async fn finish(&mut self) -> Result<(), StoreError> {
        self.finish_member().await?;
        self.wake_batch().await
    }

    /// Writes the rows of one member of a batch that must come last, but for the wake-ups, which the members of the batch
    /// share.
    pub(super) async fn finish_member(&mut self) -> Result<(), StoreError> {
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
        self.of_batch.tallied.append(&mut self.tallied);
        self.of_batch.wakes.append(&mut self.wakes);
        Ok(())
    }

    /// Wakes the runs that the members of the batch wake, and those whose waits are over by what the members counted.
    /// All turns are locked here, in ascending order, so that two batches never wait for each other.
    pub(super) async fn wake_batch(&mut self) -> Result<(), StoreError> {
        let SharedWakes { tallied, mut wakes } = std::mem::take(&mut self.of_batch);
        for partition in tallied {
            wakes.extend(super::wait::satisfied(self, partition).await?);
        }
        self.due.runs |= !wakes.is_empty();
        super::turn::wake(self, wakes.into_iter().collect()).await
    }
}
