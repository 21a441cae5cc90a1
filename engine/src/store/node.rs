//! Stores the leases of nodes. A node is a process that drives runs on a PostgreSQL server.
//! Leases expire by the database's clock.

use uuid::Uuid;

use super::conn::Conn;
use super::dialect::Dialect;
use super::error::StoreError;
use super::tx::Tx;
use crate::base::{NodeId, Span, Timestamp, limits};
use crate::params;

const DATABASE_NOW: &str =
    "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT) AS micros";

/// Reads the server's own clock. Returns `None` for an embedded file, which has no clock.
pub(super) async fn server_now(conn: &mut Conn) -> Result<Option<Timestamp>, StoreError> {
    match conn.dialect() {
        Dialect::Sqlite => Ok(None),
        Dialect::Postgres => {
            let rows = conn.rows(DATABASE_NOW, &[]).await?;
            let row = rows
                .first()
                .ok_or_else(|| StoreError::Corrupt("the query returned no row".into()))?;
            row.at("micros").map(Some)
        }
    }
}

/// A node with a valid lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LiveNode {
    /// The id of the node.
    pub id: NodeId,
    /// How far the node's clock is behind the database's clock; `None` if the difference is negligible.
    pub skew: Option<Span>,
}

/// Returns the key of the table `meta` under which the skew of a node's clock is stored.
fn clock_key(node: NodeId) -> String {
    format!("clock of {node}")
}

impl Tx {
    /// Renews a node's lease, or begins it if the node has none.
    /// Returns `false` if the node has been declared dead.
    pub async fn renew_lease(
        &mut self,
        node: NodeId,
        name: &str,
        build: &str,
        lease: Span,
    ) -> Result<bool, StoreError> {
        let until = self.database_now().await? + lease;
        let renewed = self
            .rows(
                "INSERT INTO node (id, name, build, lease_until, dead) VALUES ($1, $2, $3, $4, 0)
                 ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until WHERE node.dead = 0
                 RETURNING id",
                &params![node, name, build, until],
            )
            .await?;
        Ok(!renewed.is_empty())
    }

    /// Reads the database's own clock, which all processes on the database share. Processes use this clock
    /// for leases and for the deadlines of attempts to send messages, and compare their own clocks with it.
    /// For an embedded file, which only one process drives, returns the time by the clock of that process.
    pub async fn database_now(&mut self) -> Result<Timestamp, StoreError> {
        if let Some(clock) = &self.database_clock {
            return Ok(clock.now());
        }
        let now = server_now(&mut self.conn).await;
        Ok(self.note_failure(now)?.unwrap_or_else(|| self.now()))
    }

    /// Records how far a node's clock is behind the database's clock, for other processes to read.
    /// If `skew` is `None`, deletes the record.
    pub async fn note_skew(&mut self, node: NodeId, skew: Option<Span>) -> Result<(), StoreError> {
        let key = clock_key(node);
        match skew {
            Some(skew) => self.set_meta(&key, &skew.micros().to_string()).await,
            None => self.execute("DELETE FROM meta WHERE k = $1", &params![&key]).await.map(drop),
        }
    }

    /// Returns the nodes with a valid lease.
    pub async fn live_nodes(&mut self) -> Result<Vec<LiveNode>, StoreError> {
        let now = self.database_now().await?;
        let rows = self
            .rows(
                "SELECT id FROM node WHERE dead = 0 AND lease_until >= $1 ORDER BY id",
                &params![now],
            )
            .await?;
        let mut nodes = Vec::with_capacity(rows.len());
        for row in &rows {
            let id = row.id("id")?;
            let noted = self.meta(&clock_key(id)).await?;
            let skew = noted.and_then(|micros| micros.parse().ok()).map(Span::from_micros);
            nodes.push(LiveNode { id, skew });
        }
        Ok(nodes)
    }

    /// Marks the nodes whose lease has ended as dead, and returns them. A dead node never becomes alive
    /// again. A node whose lease is being renewed at this moment is skipped, and checked the next time.
    pub async fn declare_dead(&mut self) -> Result<Vec<NodeId>, StoreError> {
        let now = self.database_now().await?;
        let rows = self
            .rows(
                "WITH c AS MATERIALIZED (SELECT id FROM node WHERE dead = 0 AND lease_until < $1
                    ORDER BY id {for_update} {skip_locked})
                 UPDATE node SET dead = 1 FROM c WHERE node.id = c.id RETURNING node.id",
                &params![now],
            )
            .await?;
        let dead: Vec<NodeId> = rows.iter().map(|row| row.id("id")).collect::<Result<_, _>>()?;
        for node in &dead {
            self.note_skew(*node, None).await?;
        }
        Ok(dead)
    }

    /// Releases a limited number of runs that dead nodes own: increments the epoch of each run
    /// and makes the run due now. Returns how many runs were released.
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

    /// Releases a limited number of runs that were due before `lost` and that a process without a lease
    /// has claimed. Only commands that drive runs themselves claim runs without a lease. `lost` must be
    /// so long ago that a command must have crashed if it still owns a run that was due before `lost`.
    /// Returns how many runs were released. Each step of the recursion reads one owner, however many runs it owns.
    pub async fn free_lost_runs(&mut self, lost: Timestamp) -> Result<u64, StoreError> {
        let (now, limit) = (self.now(), i64::try_from(limits::SWEEP_ROWS_MAX / 2).unwrap_or(1));
        let freed = self
            .execute(
                "WITH RECURSIVE o (owner) AS (
                    SELECT (SELECT t.owner FROM turn t WHERE t.owner > $4 ORDER BY t.owner LIMIT 1)
                    UNION ALL
                    SELECT (SELECT t.owner FROM turn t WHERE t.owner > o.owner ORDER BY t.owner LIMIT 1)
                    FROM o WHERE o.owner IS NOT NULL),
                 c AS MATERIALIZED (SELECT run_id FROM turn
                    WHERE owner {in} SELECT o.owner FROM o WHERE o.owner NOT IN (SELECT id FROM node) {end} AND due_at < $3
                    ORDER BY {run_id} LIMIT $2 {for_update} {skip_locked})
                 UPDATE turn SET owner = NULL, epoch = turn.epoch + 1, due_at = $1
                 FROM c WHERE turn.run_id = c.run_id",
                &params![now, limit, lost, Uuid::nil()],
            )
            .await?;
        if freed > 0 {
            self.note_due();
        }
        Ok(freed)
    }

    /// Ends all leases. The caller must be certain that no node is alive.
    pub async fn end_leases(&mut self) -> Result<(), StoreError> {
        self.execute("UPDATE node SET dead = 1 WHERE dead = 0", &[]).await.map(drop)
    }

    /// Ends the lease of a node that stops in an orderly way, and deletes the record of its clock's skew.
    pub async fn end_lease(&mut self, node: NodeId) -> Result<(), StoreError> {
        self.execute("UPDATE node SET dead = 1 WHERE id = $1", &params![node]).await?;
        self.note_skew(node, None).await
    }
}
