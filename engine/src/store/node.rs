//! Processes that drive runs on one PostgreSQL: leases by the database's clock.

use super::conn::Conn;
use super::dialect::Dialect;
use super::error::StoreError;
use super::tx::Tx;
use crate::base::{NodeId, Span, Timestamp, limits};
use crate::params;

const DATABASE_NOW: &str = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)";

/// The instant of a server's own clock; none for an embedded file, which has none.
pub(super) async fn server_now(conn: &mut Conn) -> Result<Option<Timestamp>, StoreError> {
    match conn.dialect() {
        Dialect::Sqlite => Ok(None),
        Dialect::Postgres => {
            let rows = conn.rows(DATABASE_NOW, &[]).await?;
            let row = rows.first().ok_or_else(|| StoreError::Corrupt("no answer".into()))?;
            row.at(0).map(Some)
        }
    }
}

/// A process whose lease stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LiveNode {
    /// The node.
    pub id: NodeId,
    /// How far its clock is off, where that is worth a word.
    pub skew: Option<Span>,
}

/// Under which name in `meta` it stands how far a node's clock is off.
fn clock_key(node: NodeId) -> String {
    format!("clock of {node}")
}

impl Tx {
    /// Renews a node's lease (or begins it); false if the node was declared dead.
    pub async fn renew_lease(
        &mut self,
        node: NodeId,
        (name, build): (&str, &str),
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

    /// The database's own instant, the one clock that all its processes share: what they promise each
    /// other goes by it, and their clocks are held against it. One process alone drives an embedded
    /// file: there it is the domain's.
    pub async fn database_now(&mut self) -> Result<Timestamp, StoreError> {
        if let Some(clock) = &self.database_clock {
            return Ok(clock.now());
        }
        let now = server_now(&mut self.conn).await;
        Ok(self.note_failure(now)?.unwrap_or_else(|| self.now()))
    }

    /// Notes for everybody how far a node's clock is off; none forgets it.
    pub async fn note_skew(&mut self, node: NodeId, skew: Option<Span>) -> Result<(), StoreError> {
        let key = clock_key(node);
        match skew {
            Some(skew) => self.set_meta(&key, &skew.micros().to_string()).await,
            None => self.execute("DELETE FROM meta WHERE k = $1", &params![&key]).await.map(drop),
        }
    }

    /// The nodes whose lease stands.
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
            let id = row.id(0)?;
            let noted = self.meta(&clock_key(id)).await?;
            let skew = noted.and_then(|micros| micros.parse().ok()).map(Span::from_micros);
            nodes.push(LiveNode { id, skew });
        }
        Ok(nodes)
    }

    /// Declares the nodes dead whose lease has ended. Death is one-way. One that is being renewed at
    /// this moment is alive, or is looked at the next time.
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
        let dead: Vec<NodeId> = rows.iter().map(|row| row.id(0)).collect::<Result<_, _>>()?;
        for node in &dead {
            self.note_skew(*node, None).await?;
        }
        Ok(dead)
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

    /// Frees some runs that were taken by a process without a lease (a command that drove them
    /// itself) and were due before `lost`: it must have died over them. How many.
    pub async fn free_lost_runs(&mut self, lost: Timestamp) -> Result<u64, StoreError> {
        let (now, limit) = (self.now(), i64::try_from(limits::SWEEP_ROWS_MAX / 2).unwrap_or(1));
        let freed = self
            .execute(
                "WITH c AS MATERIALIZED (SELECT run_id FROM turn
                    WHERE owner IS NOT NULL AND due_at < $3 AND owner NOT IN (SELECT id FROM node)
                    ORDER BY run_id LIMIT $2 {for_update} {skip_locked})
                 UPDATE turn SET owner = NULL, epoch = turn.epoch + 1, due_at = $1
                 FROM c WHERE turn.run_id = c.run_id",
                &params![now, limit, lost],
            )
            .await?;
        if freed > 0 {
            self.note_due();
        }
        Ok(freed)
    }

    /// Ends all leases, where it is known that none of their nodes lives.
    pub async fn end_leases(&mut self) -> Result<(), StoreError> {
        self.execute("UPDATE node SET dead = 1 WHERE dead = 0", &[]).await.map(drop)
    }

    /// Ends a node's lease at a clean stop.
    pub async fn end_lease(&mut self, node: NodeId) -> Result<(), StoreError> {
        self.execute("UPDATE node SET dead = 1 WHERE id = $1", &params![node]).await?;
        self.note_skew(node, None).await
    }
}
