//! A transaction in hand: statements, the locks it holds, and what it writes last.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use uuid::Uuid;

use super::commit::{Commit, Committed, apply};
use super::conn::Conn;
use super::dialect::Dialect;
use super::error::StoreError;
use super::faults::{Holding, Part};
use super::param::Param;
use super::partition::{Partition, PartitionEvent};
use super::row::Row;
use super::rows::Rows;
use crate::base::id::IdSource;
use crate::base::{RunId, Timestamp, TypedId};
use crate::clock::Clock;

/// The fixed order in which locks are taken; a lower one after a higher one could deadlock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// Nothing is locked.
    Free,
    /// Requests, and streams of tenants.
    Partition,
    /// People.
    Person,
    /// The verb's own rows, the outbox, the runs.
    Rows,
}

/// Where a transaction's instants, ids and digests come from.
#[derive(Clone)]
pub(super) struct Source {
    pub(super) clock: Arc<dyn Clock>,
    pub(super) database_clock: Option<Arc<dyn Clock>>,
    pub(super) ids: Arc<IdSource>,
    pub(super) contact_key: Arc<str>,
}

/// A transaction. It ends with its closure: committed if that returned a value, else rolled back.
pub struct Tx {
    pub(super) conn: Conn,
    clock: Arc<dyn Clock>,
    pub(super) database_clock: Option<Arc<dyn Clock>>,
    ids: Arc<IdSource>,
    contact_key: Arc<str>,
    pub(super) rank: Rank,
    pub(super) partitions: BTreeMap<Uuid, Partition>,
    pub(super) events: Vec<PartitionEvent>,
    pub(super) tallied: BTreeSet<Uuid>,
    pub(super) wakes: BTreeSet<RunId>,
    /// The turns that it has locked.
    pub(super) turns: BTreeSet<RunId>,
    stirred: Stirred,
    holding: Holding,
    doomed: bool,
    failed: Option<StoreError>,
}

/// How a member of a batch wants to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MemberEnd {
    /// Its rows are to stay.
    Keep,
    /// It asked to be rolled back.
    RollBack,
}

/// What a transaction made due: which parts of the driver should look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stirred {
    /// Runs.
    pub runs: bool,
    /// Outbound messages.
    pub outbox: bool,
    /// Inbound messages.
    pub inbox: bool,
    /// What falls due by itself.
    pub timers: bool,
}

impl Stirred {
    /// True if anything is due.
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
            rank: Rank::Free,
            partitions: BTreeMap::new(),
            events: Vec::new(),
            tallied: BTreeSet::new(),
            wakes: BTreeSet::new(),
            turns: BTreeSet::new(),
            stirred: Stirred::default(),
            holding: Holding::default(),
            doomed: false,
            failed: None,
        }
    }

    /// The present instant of the domain's clock.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// A new id at the present instant.
    pub fn mint<T: TypedId>(&self) -> T {
        self.ids.mint(self.now())
    }

    /// Which database this is.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.conn.dialect()
    }

    /// Runs a statement; how many rows it changed.
    pub async fn execute(
        &mut self,
        sql: &'static str,
        params: &[Param],
    ) -> Result<u64, StoreError> {
        let result = self.conn.execute(sql, params).await;
        self.note_failure(result)
    }

    /// Runs a statement; the rows it gave.
    pub async fn rows(
        &mut self,
        sql: &'static str,
        params: &[Param],
    ) -> Result<Vec<Row>, StoreError> {
        let result = self.conn.rows(sql, params).await;
        self.note_failure(result)
    }

    /// Runs a statement that gives at most one row.
    pub async fn row(
        &mut self,
        sql: &'static str,
        params: &[Param],
    ) -> Result<Option<Row>, StoreError> {
        Ok(self.rows(sql, params).await?.into_iter().next())
    }

    /// Runs a statement over many rows; see [`Rows`]. Parameters come before the rows.
    pub async fn bulk(
        &mut self,
        sql: &'static str,
        params: &[Param],
        rows: &Rows,
    ) -> Result<Vec<Row>, StoreError> {
        let result = self.conn.bulk(sql, params, rows).await;
        self.note_failure(result)
    }

    /// A transaction with a failed statement is never committed, whatever its closure makes of the
    /// error: PostgreSQL answers COMMIT then with a silent ROLLBACK, and SQLite would keep half.
    pub(super) fn note_failure<T>(
        &mut self,
        result: Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if let Err(error) = &result {
            self.failed.get_or_insert_with(|| error.clone());
        }
        result
    }

    /// The same where no rows mean nothing to do.
    pub async fn bulk_unless_empty(
        &mut self,
        sql: &'static str,
        rows: &Rows,
    ) -> Result<(), StoreError> {
        if rows.is_empty() {
            return Ok(());
        }
        let result = self.conn.bulk_soon(sql, rows).await;
        self.note_failure(result)
    }

    /// Wakes a run at the end of this transaction.
    pub fn wake(&mut self, run: RunId) {
        self.wakes.insert(run);
    }

    /// Rolls this transaction back although its closure gives a value: for a step that failed
    /// after it wrote something.
    pub fn roll_back(&mut self) {
        self.doomed = true;
    }

    /// Writes the commit of a run's step inside this transaction. The turns of the run and of those that
    /// it wakes are locked together: whom else it is to wake must be known by now.
    pub async fn commit_step(&mut self, commit: Commit) -> Result<Committed, StoreError> {
        super::turn::lock_with_woken(self, &commit).await?;
        let outcome = apply(self, &[&commit]).await?;
        Ok(outcome.into_iter().next().unwrap_or(Committed::Stale))
    }

    pub(super) async fn apply(
        &mut self,
        commits: &[&Commit],
    ) -> Result<Vec<Committed>, StoreError> {
        apply(self, commits).await
    }

    /// Asserts the fixed order of locks; called before rows of that rank are locked.
    ///
    /// # Errors
    /// Where a higher rank is locked already.
    pub fn lock_at(&mut self, rank: Rank) -> Result<(), StoreError> {
        if rank < self.rank {
            return Err(StoreError::Other(format!(
                "locks out of order: {rank:?} after {:?}",
                self.rank
            )));
        }
        self.rank = rank;
        Ok(())
    }

    /// Writes what must come last: events of locked partitions, wake-ups.
    pub(super) async fn finish(&mut self) -> Result<(), StoreError> {
        if self.doomed {
            return Ok(());
        }
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        // What befell a request may have set or ended something that falls due by itself.
        self.stirred.timers |= !self.events.is_empty();
        self.append_partition_events().await?;
        for partition in std::mem::take(&mut self.tallied) {
            for run in super::wait::satisfied(self, partition).await? {
                self.wakes.insert(run);
            }
        }
        let wakes: Vec<RunId> = std::mem::take(&mut self.wakes).into_iter().collect();
        self.stirred.runs |= !wakes.is_empty();
        super::turn::wake(self, wakes).await
    }

    /// Forgets locks and pending work between two members of one batch; how the one that just ended
    /// wants to end.
    pub(super) fn next_member(&mut self) -> MemberEnd {
        self.rank = Rank::Free;
        self.failed = None;
        self.partitions.clear();
        self.events.clear();
        self.tallied.clear();
        self.wakes.clear();
        self.turns.clear();
        if std::mem::take(&mut self.doomed) { MemberEnd::RollBack } else { MemberEnd::Keep }
    }

    /// Goes on with another connection; the old one is closed, its state is not known.
    pub(super) fn renew(&mut self, conn: Conn) {
        self.conn.forget();
        self.conn = conn;
    }

    /// What was made due since the last call.
    pub(super) fn take_stirred(&mut self) -> Stirred {
        std::mem::take(&mut self.stirred)
    }

    /// Notes what this transaction holds, for whoever decides over crashes.
    pub(super) fn holds(&mut self, part: Part) {
        self.holding = self.holding.with(part);
    }

    /// What it holds since the last call.
    pub(super) fn take_holding(&mut self) -> Holding {
        std::mem::take(&mut self.holding)
    }

    pub(super) fn note_outbox(&mut self) {
        self.stirred.outbox = true;
    }

    pub(super) fn note_inbox(&mut self) {
        self.stirred.inbox = true;
    }

    pub(super) fn note_timer(&mut self) {
        self.stirred.timers = true;
    }

    pub(super) fn note_due(&mut self) {
        self.stirred.runs = true;
    }

    pub(super) fn contact_key(&self) -> &[u8] {
        self.contact_key.as_bytes()
    }
}
