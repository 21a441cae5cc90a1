//! Queries the database for the audit:
//! finds rows that break a rule of the store, and reads the end of a hash chain.

use super::error::StoreError;
use super::tx::Tx;
use crate::base::{Digest, RunId, Span, StreamId};
use crate::params;

/// Maximum number of findings listed for one rule.
pub(super) const FINDINGS_MAX: i64 = 20;
/// A run that will be due within this time does not count as asleep. A node may fail to work on a run,
/// for example because the database is unavailable. It then makes the run due again a little later, and
/// such a run has missed no wake-up.
const CLAIM_GRACE: Span = Span::from_secs(300);

impl Tx {
    /// Returns the last hash of a stream's chain, as the row of the run or of the partition records it.
    pub async fn chain_end(&mut self, stream: StreamId) -> Result<Option<Digest>, StoreError> {
        let row = self
            .row(
                "SELECT last_hash FROM run WHERE id = $1
                 UNION ALL SELECT last_hash FROM partition_head WHERE key = $1",
                &params![stream],
            )
            .await?;
        row.map(|row| row.digest("last_hash")).transpose()
    }

    /// Finds inconsistent runs. Returns for each run the name of the broken rule and the run's id.
    ///
    /// The rules find: live runs without a turn; runs that nothing will wake; runs that sleep
    /// although they have an unread order or enough replies; runs held although their tenant is not paused;
    /// turns and waits without a live run; runs that have begun and have no events.
    pub async fn broken_heads(&mut self) -> Result<Vec<(&'static str, String)>, StoreError> {
        let rules: [(&'static str, &'static str); 6] = [
            (
                "run_without_turn",
                "SELECT r.id AS run_id FROM run r LEFT JOIN turn t ON t.run_id = r.id
                 WHERE r.ended_at IS NULL AND t.run_id IS NULL ORDER BY r.id LIMIT $1",
            ),
            (
                "nothing_wakes_run",
                "SELECT r.id AS run_id FROM run r JOIN turn t ON t.run_id = r.id
                 WHERE r.ended_at IS NULL AND r.status <> 'paused' AND t.held = 0
                    AND t.owner IS NULL AND t.due_at IS NULL
                    AND NOT EXISTS (SELECT 1 FROM run c WHERE c.parent = r.id AND c.ended_at IS NULL)
                 ORDER BY r.id LIMIT $1",
            ),
            (
                "held_without_pause",
                "SELECT t.run_id FROM turn t WHERE t.held = 1
                    AND NOT EXISTS (SELECT 1 FROM tenant n WHERE n.id = t.tenant AND n.paused = 1)
                    AND NOT EXISTS (SELECT 1 FROM tenant_job j WHERE j.tenant = t.tenant)
                 ORDER BY t.tenant, t.run_id LIMIT $1",
            ),
            (
                "turn_without_live_run",
                "SELECT t.run_id FROM turn t LEFT JOIN run r ON r.id = t.run_id AND r.ended_at IS NULL
                 WHERE r.id IS NULL ORDER BY t.run_id LIMIT $1",
            ),
            (
                "head_without_events",
                "SELECT r.id AS run_id FROM run r WHERE r.seq > 0 AND r.status <> 'pending'
                    AND NOT EXISTS (SELECT 1 FROM ledger l WHERE l.stream = r.id AND l.seq = 1)
                 ORDER BY r.id LIMIT $1",
            ),
            (
                "orphan_wait",
                "SELECT w.run_id FROM wait w LEFT JOIN run r ON r.id = w.run_id AND r.ended_at IS NULL
                 WHERE r.id IS NULL ORDER BY w.run_id LIMIT $1",
            ),
        ];
        let mut found = Vec::new();
        for (rule, sql) in rules {
            for row in self.rows(sql, &params![FINDINGS_MAX]).await? {
                found.push((rule, row.id::<RunId>("run_id")?.to_string()));
            }
        }
        for row in self.orders_unread().await? {
            found.push(("order_unread", row.to_string()));
        }
        for row in self.replies_unread().await? {
            found.push(("replies_unread", row.to_string()));
        }
        Ok(found)
    }

    /// Finds runs that sleep although enough people have accepted: the last acceptance should have made the
    /// run due. Leaves out runs whose deadline has come but must wait until earlier replies are applied, and runs of
    /// a request on which another run works: while that run decides who keeps a place, enough is not yet enough.
    async fn replies_unread(&mut self) -> Result<Vec<RunId>, StoreError> {
        let latest = self.now() + CLAIM_GRACE;
        let rows = self
            .rows(
                "SELECT DISTINCT w.run_id FROM wait w
                 JOIN tally y ON y.partition_key = w.partition_key AND y.cell = w.yes_cell
                 JOIN turn t ON t.run_id = w.run_id JOIN run r ON r.id = w.run_id
                 WHERE y.yes >= w.need AND r.status <> 'paused' AND t.owner IS NULL AND t.held = 0
                    AND t.stuck_on IS NULL AND (t.due_at IS NULL OR t.due_at > $2)
                    AND NOT EXISTS (SELECT 1 FROM barred b WHERE b.run_id = w.run_id)
                    AND NOT EXISTS (SELECT 1 FROM run o WHERE o.partition_key = w.partition_key
                        AND o.id <> w.run_id AND o.ended_at IS NULL)
                 ORDER BY w.run_id LIMIT $1",
                &params![FINDINGS_MAX, latest],
            )
            .await?;
        rows.iter().map(|row| row.id("run_id")).collect()
    }

    /// Finds runs that sleep although they have an unread order: the order should have made the run due.
    async fn orders_unread(&mut self) -> Result<Vec<RunId>, StoreError> {
        let (now, grace) = (self.now(), CLAIM_GRACE);
        let rows = self
            .rows(
                "SELECT DISTINCT t.run_id FROM signal s JOIN turn t ON t.run_id = s.run_id
                 WHERE s.consumed_seq IS NULL AND s.name IS NULL AND t.owner IS NULL AND t.held = 0
                    AND t.stuck_on IS NULL AND (t.due_at IS NULL
                        OR (t.due_at > s.at + $2 AND t.due_at > $3 + $2))
                 ORDER BY t.run_id LIMIT $1",
                &params![FINDINGS_MAX, grace.micros(), now],
            )
            .await?;
        rows.iter().map(|row| row.id("run_id")).collect()
    }
}
