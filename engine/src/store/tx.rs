//! Runs the statements of a transaction, and records the locks
//! that it has taken and the rows that it must write last.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use uuid::Uuid;

use super::conn::Conn;
use super::dialect::Dialect;
use super::error::StoreError;
use super::faults::{CommitPart, CommitParts};
use super::locked::{LockedPartition, PartitionEvent};
use super::param::Param;
use super::read_step::BatchReads;
use super::row::Row;
use super::rows::Rows;
use crate::base::id::IdSource;
use crate::base::{CorrelationId, RunId, Timestamp, TypedId};
use crate::clock::Clock;

/// The kinds of locks, in the fixed sequence in which a transaction takes them.
/// Taking a lock of a lower rank after a lock of a higher rank could cause a deadlock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LockRank {
    /// The transaction has taken no lock.
    Free,
    /// The locks of requests and of tenants' streams.
    Partition,
    /// The locks of people.
    Person,
    /// The locks of all other rows: the verb's own rows, the outbox, the runs.
    Rows,
}

/// What a transaction needs besides its connection: clocks, ids, and the key for the digests of contacts.
#[derive(Clone)]
pub(super) struct Source {
    pub(super) clock: Arc<dyn Clock>,
    pub(super) database_clock: Option<Arc<dyn Clock>>,
    pub(super) ids: Arc<IdSource>,
    pub(super) contact_key: Arc<str>,
}

/// The wake-ups of all members of a batch, which are carried out at its end.
#[derive(Debug, Default)]
pub(super) struct SharedWakes {
    /// The partitions whose tallies have changed.
    pub(super) tallied: BTreeSet<Uuid>,
    /// The runs to wake.
    pub(super) wakes: BTreeSet<RunId>,
}

/// A database transaction, in which a closure runs. The transaction is committed if the closure returns
/// a value, and rolled back if the closure returns an error.
pub struct Tx {
    pub(super) conn: Conn,
    clock: Arc<dyn Clock>,
    pub(super) database_clock: Option<Arc<dyn Clock>>,
    ids: Arc<IdSource>,
    contact_key: Arc<str>,
    pub(super) rank: LockRank,
    pub(super) partitions: BTreeMap<Uuid, LockedPartition>,
    pub(super) events: Vec<PartitionEvent>,
    pub(super) tallied: BTreeSet<Uuid>,
    pub(super) wakes: BTreeSet<RunId>,
    pub(super) of_batch: SharedWakes,
    /// The turns that this transaction has locked.
    pub(super) turns: BTreeSet<RunId>,
    pub(super) due: WorkDue,
    parts: CommitParts,
    pub(super) roll_back_requested: bool,
    pub(super) failed: Option<StoreError>,
    /// What this transaction works on, for rows that no run explains.
    pub(super) begun: Option<CorrelationId>,
    /// What the steps that only read have read so far, while this transaction takes such steps.
    pub(super) reads: Option<BatchReads>,
}

/// How a member of a batch ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemberEnd {
    /// The member's rows are kept.
    Keep,
    /// The member asked to be rolled back.
    RollBack,
}

/// The kinds of work that a transaction made due.
/// After the commit, the driver wakes those of its parts that do such work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WorkDue {
    /// Runs are due.
    pub runs: bool,
    /// Outbound messages may be sent, or answers of the gateway about sent messages are overdue.
    pub outbox: bool,
    /// Inbound messages must be applied.
    pub inbox: bool,
    /// Schedules, deadlines or jobs were set or changed.
    pub timers: bool,
}

impl WorkDue {
    /// Whether any kind of work is due.
    #[must_use]
    pub fn any(self) -> bool {
        self.runs || self.outbox || self.inbox || self.timers
    }
}

impl Tx {
    pub(super) fn new(conn: Conn, source: Source) -> Self {
        let Source { clock, database_clock, ids, contact_key } = source;
        Self {
            conn,
            clock,
            database_clock,
            ids,
            contact_key,
            rank: LockRank::Free,
            partitions: BTreeMap::new(),
            events: Vec::new(),
            tallied: BTreeSet::new(),
            wakes: BTreeSet::new(),
            of_batch: SharedWakes::default(),
            turns: BTreeSet::new(),
            due: WorkDue::default(),
            parts: CommitParts::default(),
            roll_back_requested: false,
            failed: None,
            begun: None,
            reads: None,
        }
    }

    /// Returns the current instant, by the clock of this node.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Creates an id for the current instant.
    pub fn mint<T: TypedId>(&self) -> T {
        self.ids.mint(self.now())
    }

    /// Sets what this transaction works on: the correlation of the rows that it writes and that no run explains.
    pub fn correlate(&mut self, correlation: CorrelationId) {
        self.begun = Some(correlation);
    }

    /// Returns the correlation of a row that is about `run`, for the statement that writes the row: none where the
    /// run has one, which the statement looks up. A row about no run belongs to what this transaction works on, and
    /// a transaction that was not told begins a correlation of its own.
    pub(super) fn correlation_beside(&mut self, run: Option<RunId>) -> Option<CorrelationId> {
        if run.is_some() {
            return None;
        }
        let correlation = self.begun.unwrap_or_else(|| self.mint());
        self.begun = Some(correlation);
        self.begun
    }

    /// Returns the kind of database.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.conn.dialect()
    }

    /// Runs a statement and returns the number of rows that it changed.
    pub async fn execute(
        &mut self,
        sql: &'static str,
        params: &[Param],
    ) -> Result<u64, StoreError> {
        let result = self.conn.execute(sql, params).await;
        self.note_failure(result)
    }

    /// Runs a statement and returns its rows.
    pub async fn rows(
        &mut self,
        sql: &'static str,
        params: &[Param],
    ) -> Result<Vec<Row>, StoreError> {
        let result = self.conn.rows(sql, params).await;
        self.note_failure(result)
    }

    /// Runs a statement that returns at most one row.
    pub async fn row(
        &mut self,
        sql: &'static str,
        params: &[Param],
    ) -> Result<Option<Row>, StoreError> {
        Ok(self.rows(sql, params).await?.into_iter().next())
    }

    /// Runs a statement over many rows; see [`Rows`].
    /// The placeholders of `params` have lower numbers than those of the rows.
    pub async fn bulk(
        &mut self,
        sql: &'static str,
        params: &[Param],
        rows: &Rows,
    ) -> Result<Vec<Row>, StoreError> {
        let result = self.conn.bulk(sql, params, rows).await;
        self.note_failure(result)
    }

    /// Records a failed statement, so that the transaction is never committed, even if
    /// its closure ignores the error. If COMMIT were sent, PostgreSQL would silently
    /// roll the transaction back, and SQLite would commit the statements that succeeded.
    pub(super) fn note_failure<T>(
        &mut self,
        result: Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if let Err(error) = &result {
            self.failed.get_or_insert_with(|| error.clone());
        }
        result
    }

    /// Runs a statement over many rows, unless there are no rows.
    pub async fn bulk_unless_empty(
        &mut self,
        sql: &'static str,
        rows: &Rows,
    ) -> Result<(), StoreError> {
        if rows.is_empty() {
            return Ok(());
        }
        self.bulk(sql, &[], rows).await.map(drop)
    }

    /// Wakes a run at the end of this transaction.
    pub fn wake(&mut self, run: RunId) {
        self.wakes.insert(run);
    }

    /// Rolls this transaction back although its closure returns a value.
    /// Used for a step that failed after it wrote rows.
    pub fn roll_back(&mut self) {
        self.roll_back_requested = true;
    }

    /// Checks that locks are taken in their fixed sequence, and records the rank. Call this before taking a
    /// lock of the rank `rank`.
    ///
    /// # Errors
    /// [`StoreError::Other`] if this transaction has already taken a lock of a higher rank.
    pub fn lock_at(&mut self, rank: LockRank) -> Result<(), StoreError> {
        if rank < self.rank {
            return Err(StoreError::Other(format!(
                "locks out of order: {rank:?} after {:?}",
                self.rank
            )));
        }
        self.rank = rank;
        Ok(())
    }

    /// Clears the records of locks, pending work and the correlation between two members of one batch.
    /// Returns how to end the member whose work has just run.
    pub(super) fn next_member(&mut self) -> MemberEnd {
        self.rank = LockRank::Free;
        self.failed = None;
        self.partitions.clear();
        self.events.clear();
        self.tallied.clear();
        self.wakes.clear();
        self.turns.clear();
        self.begun = None;
        if std::mem::take(&mut self.roll_back_requested) {
            MemberEnd::RollBack
        } else {
            MemberEnd::Keep
        }
    }

    /// Begins to take steps of these runs that only read: from now on, a statement that changes or locks a row is refused.
    pub(super) fn begin_read_steps(&mut self, runs: impl IntoIterator<Item = RunId>) {
        self.reads = Some(BatchReads::of(runs));
        self.conn.refuse_writes();
    }

    /// Ends one step that only reads. Returns whether it tried to change anything.
    pub(super) fn end_read_step(&mut self) -> bool {
        let plans = !self.events.is_empty() || !self.tallied.is_empty() || !self.wakes.is_empty();
        let writes = self.conn.take_refused_write() || plans || self.roll_back_requested;
        self.next_member();
        writes
    }

    /// Ends the steps that only read.
    pub(super) fn end_read_steps(&mut self) {
        self.reads = None;
        self.conn.allow_writes();
    }

    /// Continues on the connection `conn`. Closes the old connection, because its state is not known.
    pub(super) fn renew(&mut self, conn: Conn) {
        self.conn.close_on_drop();
        self.conn = conn;
    }

    /// Returns and clears the kinds of work that were made due.
    pub(super) fn take_work_due(&mut self) -> WorkDue {
        std::mem::take(&mut self.due)
    }

    /// Records that this transaction contains rows of the kind `part`, for the faults that a test injects.
    pub(super) fn record_part(&mut self, part: CommitPart) {
        self.parts = self.parts.with(part);
    }

    /// Returns and clears the recorded kinds of rows.
    pub(super) fn take_parts(&mut self) -> CommitParts {
        std::mem::take(&mut self.parts)
    }

    pub(super) fn note_outbox(&mut self) {
        self.due.outbox = true;
    }

    pub(super) fn note_inbox(&mut self) {
        self.due.inbox = true;
    }

    /// Records that a deadline was set, so that the process looks when its next work falls due.
    pub fn note_timer(&mut self) {
        self.due.timers = true;
    }

    pub(super) fn note_due(&mut self) {
        self.due.runs = true;
    }

    pub(super) fn contact_key(&self) -> &[u8] {
        self.contact_key.as_bytes()
    }
}
