//! Defines what a transaction remembers about the partitions that it has locked.

use uuid::Uuid;

use crate::base::{CallId, Digest, RunId, Value};
use crate::ledger::KindName;

/// A locked partition: the content of its row, with the changes of this transaction.
#[derive(Debug, Clone)]
pub(super) struct LockedPartition {
    /// The tenant that owns the partition.
    pub(super) tenant: String,
    /// The number that the next reply gets. Earlier replies have lower numbers.
    pub(super) next_ord: i64,
    /// The number of campaigns so far.
    pub(super) campaigns: i64,
    /// The sequence number of the latest event in the partition's hash chain.
    pub(super) seq: i64,
    /// The hash of the latest event in the partition's hash chain.
    pub(super) last_hash: Digest,
    /// Whether the row of the partition must be updated at the end of the transaction.
    pub(super) changed: bool,
}

/// An event of a partition. It is written at the end of the transaction.
#[derive(Debug, Clone)]
pub(super) struct PartitionEvent {
    pub(super) key: Uuid,
    pub(super) kind: KindName,
    pub(super) run: Option<RunId>,
    pub(super) call: Option<CallId>,
    pub(super) body: Value,
}
