//! Keeps the barrier: a deadline does not pass before the messages that were received by then are
//! applied.
//!
//! A tenant's barrier is the earliest `received_at` of its messages that are not applied yet.
//! A deadline at or after the barrier passes only after all messages that were received by that deadline
//! are applied or set aside. The instant of the deadline does not change. The barrier is read in the
//! transaction that would let a deadline pass, after that transaction has taken its locks.

use super::error::StoreError;
use super::inbound::tenants_with_inbound;
use super::refs::RunRef;
use super::rows::Rows;
use super::tx::Tx;
use crate::base::{MessageId, Span, Timestamp};
use crate::params;
use crate::planted::PlantedFault;

/// Maximum number of tries to lock a message. A try fails if another transaction applies the message first.
const LOCK_ATTEMPTS_MAX: u32 = 100;

impl Tx {
    /// Returns the latest instant up to which deadlines of the tenant may pass:
    /// now, or just before the tenant's barrier if the barrier is earlier.
    pub async fn latest_due(&mut self, tenant: &str) -> Result<Timestamp, StoreError> {
        let barrier = self.barrier(tenant).await?;
        let barrier = barrier.filter(|_| !PlantedFault::DeadlineBeforeReply.is_active());
        Ok(barrier.map(before).into_iter().fold(self.now(), Timestamp::min))
    }

    /// Returns when the earliest message of the tenant was received that is not applied yet.
    async fn barrier(&mut self, tenant: &str) -> Result<Option<Timestamp>, StoreError> {
        if let Some(known) = self.reads.as_ref().and_then(|reads| reads.barriers.get(tenant)) {
            return Ok(*known);
        }
        let row = self
            .row(
                "SELECT received_at FROM inbound WHERE tenant = $1 AND applied_at IS NULL
                 ORDER BY received_at, provider_id LIMIT 1",
                &params![tenant],
            )
            .await?;
        let barrier = row.map(|row| row.at("received_at")).transpose()?;
        if let Some(reads) = &mut self.reads {
            reads.barriers.insert(tenant.to_owned(), barrier);
        }
        Ok(barrier)
    }

    /// Returns whether a run's deadline, which has come, must wait because a message that was received by
    /// that deadline is not applied yet. If it must wait, records that the run waits for the message. The
    /// run is woken when the message is applied.
    ///
    /// # Errors
    /// [`StoreError::Repeat`] if other transactions keep applying the messages
    /// that this function tries to lock.
    pub async fn hold_until_applied(
        &mut self,
        run: RunRef<'_>,
        deadline: Timestamp,
    ) -> Result<bool, StoreError> {
        let RunRef { tenant, run } = run;
        for _ in 0..LOCK_ATTEMPTS_MAX {
            if deadline <= self.latest_due(tenant).await? {
                return Ok(false);
            }
            // The shared lock on the message keeps it from being applied before this transaction commits.
            // Of several messages, the run waits for the last one, because it is usually applied last.
            let last = self
                .row(
                    "SELECT id FROM inbound WHERE tenant = $1 AND applied_at IS NULL AND received_at <= $2
                     ORDER BY received_at DESC, provider_id DESC LIMIT 1 {for_share}",
                    &params![tenant, deadline],
                )
                .await?;
            // The query returns no row if the message was applied
            // while this transaction waited for the lock.
            let Some(last) = last else { continue };
            let message: MessageId = last.id("id")?;
            self.execute(
                "INSERT INTO barred (message, run_id) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                &params![message, run],
            )
            .await?;
            return Ok(true);
        }
        Err(StoreError::Repeat("messages are applied faster than a deadline can check them".into()))
    }

    /// Returns, for each tenant with a barrier, the latest
    /// instant up to which the tenant's deadlines may pass.
    pub async fn barriers(&mut self) -> Result<Vec<(String, Timestamp)>, StoreError> {
        if PlantedFault::DeadlineBeforeReply.is_active() {
            return Ok(Vec::new());
        }
        let rows = self
            .rows(
                concat!(
                    tenants_with_inbound!(),
                    "SELECT tenant, (SELECT i.received_at FROM inbound i WHERE i.tenant = t.tenant
                        AND i.applied_at IS NULL ORDER BY i.received_at, i.provider_id LIMIT 1) AS earliest
                     FROM t WHERE tenant IS NOT NULL ORDER BY tenant"
                ),
                &[],
            )
            .await?;
        rows.iter().map(|row| Ok((row.text("tenant")?, before(row.at("earliest")?)))).collect()
    }

    /// Wakes the runs whose deadlines waited for these messages to be applied.
    pub(super) async fn wake_barred(&mut self, messages: &[MessageId]) -> Result<(), StoreError> {
        let rows = Rows::ids(messages);
        if rows.is_empty() {
            return Ok(());
        }
        let sql = "DELETE FROM barred WHERE message IN (SELECT id FROM {rows}) RETURNING run_id";
        let woken = self.bulk(sql, &[], &rows).await?;
        for row in &woken {
            self.wake(row.id("run_id")?);
        }
        Ok(())
    }
}

/// Returns the instant one microsecond before `at`.
fn before(at: Timestamp) -> Timestamp {
    at - Span::from_micros(1)
}
