//! Processes that drive runs on one PostgreSQL: leases by the database's clock.

use super::error::StoreError;
use super::tx::Tx;
use crate::base::{NodeId, Span, limits};
use crate::params;

/// Which parts of the driver have something to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Due {
    /// A run is due that nobody works on.
    pub runs: bool,
    /// An inbound message is not applied.
    pub inbox: bool,
    /// A message may leave, or an answer is overdue.
    pub outbox: bool,
}

impl Tx {
    /// Whether anything is due, in one query: the slow poll behind the notifications.
    pub async fn anything_due(&mut self) -> Result<Due, StoreError> {
        let now = self.now();
        let rows = self
            .rows(
                "SELECT
                    (SELECT COUNT(*) FROM (SELECT run_id FROM turn WHERE owner IS NULL AND held = 0
                        AND due_at IS NOT NULL AND due_at <= $1 LIMIT 1) r),
                    (SELECT COUNT(*) FROM (SELECT id FROM inbound WHERE applied_at IS NULL LIMIT 1) i),
                    (SELECT COUNT(*) FROM (SELECT id FROM outbox WHERE state = 'queued'
                        AND not_before <= $1 LIMIT 1) q)
                    + (SELECT COUNT(*) FROM (SELECT id FROM outbox WHERE state = 'sending'
                        AND deadline <= $1 LIMIT 1) s)",
                &params![now],
            )
            .await?;
        let row = rows.first().ok_or_else(|| StoreError::Corrupt("no answer".into()))?;
        Ok(Due { runs: row.flag(0)?, inbox: row.flag(1)?, outbox: row.flag(2)? })
    }

    /// Renews a node's lease (or begins it); false if the node was declared dead.
    pub async fn renew_lease(
        &mut self,
        node: NodeId,
        (name, build): (&str, &str),
        lease: Span,
    ) -> Result<bool, StoreError> {
        let renewed = self
            .rows(
                "INSERT INTO node (id, name, build, lease_until, dead)
                 VALUES ($1, $2, $3, CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT) + $4, 0)
                 ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until WHERE node.dead = 0
                 RETURNING id",
                &params![node, name, build, lease],
            )
            .await?;
        Ok(!renewed.is_empty())
    }

    /// Declares the nodes dead whose lease has ended. Death is one-way.
    pub async fn declare_dead(&mut self) -> Result<Vec<NodeId>, StoreError> {
        let rows = self
            .rows(
                "UPDATE node SET dead = 1 WHERE dead = 0
                 AND lease_until < CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)
                 RETURNING id",
                &[],
            )
            .await?;
        rows.iter().map(|row| row.id(0)).collect()
    }

    /// Frees some runs of dead nodes, one epoch on; how many.
    pub async fn free_dead_runs(&mut self) -> Result<u64, StoreError> {
        let (now, limit) = (self.now(), i64::try_from(limits::SWEEP_ROWS_MAX / 2).unwrap_or(1));
        let freed = self
            .execute(
                "WITH c AS MATERIALIZED (SELECT run_id FROM turn
                    WHERE owner IN (SELECT id FROM node WHERE dead = 1)
                    ORDER BY run_id LIMIT $2 {for_update} {skip_locked})
                 UPDATE turn SET owner = NULL, epoch = turn.epoch + 1, due_at = $1
                 FROM c WHERE turn.run_id = c.run_id",
                &params![now, limit],
            )
            .await?;
        if freed > 0 {
            self.note_due();
        }
        Ok(freed)
    }

    /// Ends a node's lease at a clean stop.
    pub async fn end_lease(&mut self, node: NodeId) -> Result<(), StoreError> {
        self.execute("UPDATE node SET dead = 1 WHERE id = $1", &params![node]).await.map(drop)
    }
}
