//! Locks partitions. Each request, and each tenant's own event stream, is a
//! partition with a row that transactions lock. The row stores the number of
//! the next reply, the end of the hash chain and the number of campaigns.

use uuid::Uuid;

use super::error::StoreError;
use super::ledger::LedgerRow;
use super::locked::{LockedPartition, PartitionEvent};
use super::param::{ColumnType, Param};
use super::refs::About;
use super::rows::Rows;
use super::tx::{LockRank, Tx};
use crate::base::{Digest, RequestId, StreamId, TypedId, Value};
use crate::ledger::KindName;
use crate::params;
use crate::planted::PlantedFault;

/// Reads and locks the rows of some partitions, in ascending order of their keys.
/// Transactions cannot deadlock, because all of them lock partitions in this order.
const LOCK_HEADS: &str =
    "SELECT key, tenant, next_ord, campaigns, seq, last_hash FROM partition_head
    WHERE key IN (SELECT key FROM {rows}) ORDER BY key {for_update}";
/// Replaces `LOCK_HEADS` if a test has planted [`PlantedFault::HeadNotLocked`]:
/// reads the rows without locking them.
const READ_HEADS: &str =
    "SELECT key, tenant, next_ord, campaigns, seq, last_hash FROM partition_head
    WHERE key IN (SELECT key FROM {rows}) ORDER BY key";

impl Tx {
    /// Locks a request for the rest of this transaction.
    /// Creates the row of the partition if the request is new.
    ///
    /// Take this lock before any other kind of lock.
    /// To lock several requests, use [`Tx::lock_partitions`] once for all of them.
    pub async fn lock_request(
        &mut self,
        tenant: &str,
        request: RequestId,
    ) -> Result<(), StoreError> {
        self.lock_partitions(tenant, &[request.uuid()]).await
    }

    /// Locks several partitions, in ascending order of their keys.
    /// Fails if this transaction already has a lock that must be taken after these locks.
    pub async fn lock_partitions(&mut self, tenant: &str, keys: &[Uuid]) -> Result<(), StoreError> {
        let mut missing: Vec<Uuid> =
            keys.iter().copied().filter(|key| !self.partitions.contains_key(key)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        if !self.partitions.is_empty() && self.rank > LockRank::Free {
            let highest = self.partitions.keys().next_back().copied();
            if missing.iter().any(|key| Some(*key) < highest) {
                self.lock_at(LockRank::Free)?;
            }
        }
        self.lock_at(LockRank::Partition)?;
        missing.sort_unstable();
        missing.dedup();
        let mut rows = Rows::new(&[("key", ColumnType::Id)]);
        for key in &missing {
            rows.push([Param::Id(Some(*key))]);
        }
        self.bulk(
            "INSERT INTO partition_head (key, tenant, next_ord, campaigns, seq, last_hash)
             SELECT key, $1, 1, 0, 0, $2 FROM {rows} WHERE true ON CONFLICT (key) DO NOTHING",
            &params![tenant, Digest::ZERO],
            &rows,
        )
        .await?;
        let sql = if PlantedFault::HeadNotLocked.is_active() { READ_HEADS } else { LOCK_HEADS };
        let found = self.bulk(sql, &[], &rows).await?;
        for row in &found {
            let key: StreamId = row.id("key")?;
            let partition = LockedPartition {
                tenant: row.text("tenant")?,
                next_ord: row.int("next_ord")?,
                campaigns: row.int("campaigns")?,
                seq: row.int("seq")?,
                last_hash: row.digest("last_hash")?,
                changed: false,
            };
            self.partitions.insert(key.uuid(), partition);
        }
        Ok(())
    }

    /// Creates and locks the row of a request that this transaction creates.
    /// This function may be called after any other lock was taken:
    /// no other transaction knows the request yet, so none can wait for its lock.
    pub async fn lock_new_request(
        &mut self,
        tenant: &str,
        request: RequestId,
    ) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO partition_head (key, tenant, next_ord, campaigns, seq, last_hash)
             VALUES ($1, $2, 1, 0, 0, $3)",
            &params![request, tenant, Digest::ZERO],
        )
        .await?;
        let partition = LockedPartition {
            tenant: tenant.to_owned(),
            next_ord: 1,
            campaigns: 0,
            seq: 0,
            last_hash: Digest::ZERO,
            changed: true,
        };
        self.partitions.insert(request.uuid(), partition);
        self.rank = self.rank.max(LockRank::Partition);
        Ok(())
    }

    fn locked(&mut self, key: Uuid) -> Result<&mut LockedPartition, StoreError> {
        if !self.partitions.contains_key(&key) {
            self.conn.note_refused_write(); // a step that only reads takes no locks
        }
        self.partitions
            .get_mut(&key)
            .ok_or_else(|| StoreError::Other(format!("partition {key} is not locked")))
    }

    /// Returns the number for a new reply to a locked partition. Each call returns a higher number.
    /// The numbers decide which of several replies came first.
    pub fn next_ord(&mut self, key: Uuid) -> Result<i64, StoreError> {
        let partition = self.locked(key)?;
        let ord = partition.next_ord;
        partition.next_ord += 1;
        partition.changed = true;
        Ok(ord)
    }

    /// Counts a new campaign on a locked request, and returns the number of this campaign, from 1.
    pub fn next_campaign(&mut self, request: RequestId) -> Result<i64, StoreError> {
        let partition = self.locked(request.uuid())?;
        partition.campaigns += 1;
        partition.changed = true;
        Ok(partition.campaigns)
    }

    /// Collects an event of a locked partition. At the end of this transaction, the event is appended to
    /// the partition's stream.
    pub fn log(
        &mut self,
        stream: impl Into<StreamId>,
        kind: impl Into<KindName>,
        about: About,
        body: Value,
    ) -> Result<(), StoreError> {
        let key = stream.into().uuid();
        self.locked(key)?.changed = true;
        let About { run, call } = about;
        self.events.push(PartitionEvent { key, kind: kind.into(), run, call, body });
        Ok(())
    }

    pub(super) fn note_tally_change(&mut self, request: RequestId) -> Result<(), StoreError> {
        self.locked(request.uuid())?;
        self.tallied.insert(request.uuid());
        Ok(())
    }

    /// Adds the collected events to their hash chains, writes them,
    /// and updates the rows of the changed partitions.
    pub(super) async fn append_partition_events(&mut self) -> Result<(), StoreError> {
        let mut chained = Vec::with_capacity(self.events.len());
        for event in std::mem::take(&mut self.events) {
            let (id, at) = (self.mint(), self.now());
            let correlation = self.correlation_beside(event.run);
            let partition = self.locked(event.key)?;
            partition.seq += 1;
            let mut row = LedgerRow {
                id,
                stream: StreamId::from_uuid(event.key),
                seq: partition.seq,
                tenant: partition.tenant.clone(),
                kind: event.kind,
                at,
                run: event.run,
                call: event.call,
                tool: None,
                status: None,
                body: event.body,
                hash: Digest::ZERO,
                correlation,
            };
            partition.last_hash = row.link(partition.last_hash);
            chained.push(row);
        }
        super::ledger::insert(self, chained.iter()).await?;
        let mut heads = Rows::new(&[
            ("key", ColumnType::Id),
            ("ord", ColumnType::Int),
            ("campaigns", ColumnType::Int),
            ("seq", ColumnType::Int),
            ("hash", ColumnType::Bytes),
        ]);
        for (key, partition) in self.partitions.iter().filter(|(_, p)| p.changed) {
            heads.push([
                Param::Id(Some(*key)),
                partition.next_ord.into(),
                partition.campaigns.into(),
                partition.seq.into(),
                partition.last_hash.into(),
            ]);
        }
        self.bulk_unless_empty(
            "UPDATE partition_head SET next_ord = v.ord, campaigns = v.campaigns, seq = v.seq, last_hash = v.hash
             FROM {rows} WHERE partition_head.key = v.key",
            &heads,
        )
        .await
    }
}
