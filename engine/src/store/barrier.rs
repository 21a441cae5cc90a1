//! The barrier of time: no deadline overtakes a message that was received before it.
//!
//! A tenant's barrier is the earliest `received_at` of its messages that are not applied yet. What falls
//! due at it or behind it keeps its own instant and waits until these messages are applied or set aside. It is
//! looked at in the transaction that would let something fall due, after its lock.

use super::error::StoreError;
use super::tx::Tx;
use crate::base::{MessageId, RunId, Span, Timestamp};
use crate::params;
use crate::planted::Planted;

/// How often a run looks for the message that it is to wait for, while others apply those that it finds.
const LOOKS_MAX: u32 = 100;

impl Tx {
    /// Deadlines of the tenant up to this instant may fall due: up to now, or short of its barrier where that
    /// is earlier.
    pub async fn due_by(&mut self, tenant: &str) -> Result<Timestamp, StoreError> {
        let row = self
            .row(
                "SELECT received_at FROM inbound WHERE tenant = $1 AND applied_at IS NULL
                 ORDER BY received_at, provider_id LIMIT 1",
                &params![tenant],
            )
            .await?;
        let barrier = row.map(|row| row.at(0)).transpose()?;
        let barrier = barrier.filter(|_| !Planted::DeadlineBeforeReply.is_in());
        Ok(barrier.map(before).into_iter().fold(self.now(), Timestamp::min))
    }

    /// True where a deadline of a run, which has come, must wait: a message received by then is not
    /// applied yet. Whoever applies the last such message wakes the run.
    ///
    /// # Errors
    /// A transient one where others apply message after message while it looks.
    pub async fn bar_run(
        &mut self,
        run: RunId,
        (tenant, deadline): (&str, Timestamp),
    ) -> Result<bool, StoreError> {
        for _ in 0..LOOKS_MAX {
            if deadline <= self.due_by(tenant).await? {
                return Ok(false);
            }
            // Shared, so that it cannot be applied before this transaction has committed. The last of
            // them, since the others are applied by then, as a rule.
            let last = self
                .row(
                    "SELECT id FROM inbound WHERE tenant = $1 AND applied_at IS NULL AND received_at <= $2
                     ORDER BY received_at DESC, provider_id DESC LIMIT 1 {for_share}",
                    &params![tenant, deadline],
                )
                .await?;
            let Some(last) = last else { continue }; // it was applied while we waited for its lock
            let message: MessageId = last.id(0)?;
            self.execute(
                "INSERT INTO barred (message, run_id) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                &params![message, run],
            )
            .await?;
            return Ok(true);
        }
        Err(StoreError::Repeat("messages are applied faster than a deadline can look".into()))
    }

    /// Of each tenant with a barrier, up to when its deadlines may fall due.
    pub async fn barriers(&mut self) -> Result<Vec<(String, Timestamp)>, StoreError> {
        if Planted::DeadlineBeforeReply.is_in() {
            return Ok(Vec::new());
        }
        let rows = self
            .rows(
                "SELECT tenant, MIN(received_at) FROM inbound WHERE applied_at IS NULL
                 GROUP BY tenant ORDER BY tenant",
                &[],
            )
            .await?;
        rows.iter().map(|row| Ok((row.text(0)?, before(row.at(1)?)))).collect()
    }

    /// Wakes the runs whose deadline waited for a message that is no longer in its way.
    pub(super) async fn wake_barred(&mut self, message: MessageId) -> Result<(), StoreError> {
        let sql = "DELETE FROM barred WHERE message = $1 RETURNING run_id";
        let woken = self.rows(sql, &params![message]).await?;
        for row in &woken {
            self.wake(row.id(0)?);
        }
        Ok(())
    }
}

/// The last instant before this one.
fn before(at: Timestamp) -> Timestamp {
    at - Span::from_micros(1)
}
