//! Group commit: one task owns a connection. While it flushes one batch, new jobs arrive,
//! and it commits all of them together as the next batch.
//!
//! *Lane A* consists of [`Commit`]s whose rows are all known beforehand, so a few statements write a whole
//! batch. Steps that only read get their commits inside the batch (see `read_step.rs`). *Lane B* consists of closures that
//! run statements of their own. On SQLite, each closure of lane B runs in a savepoint of the batch. On PostgreSQL, messages
//! from people do so too (see `message_writers.rs`); each other closure runs in a transaction of its own (see
//! `postgres.rs`), and the server groups the flushes of these transactions.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sqlx::PgPool;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::commit::{Commit, Committed};
use super::conn::Conn;
use super::error::{StoreError, of_problem};
use super::faults::{CommitParts, CommitPoint, FaultAction, WorkKind, WorkPermit};
use super::hooks::FaultHooks;
use super::member::Member;
use super::members::{
    CommitJob, Job, Members, ReceiveJob, RolledBackBatch, SignalJob, StartJob, Written,
};
use super::postgres;
use super::read_step::{ReadResult, ReadStepJob};
use super::received::{NewReceived, ReceivedStored};
use super::run::{DrivenBy, Inserted, NewRun};
use super::signal_batch::{NewSignal, SignalStored};
use super::sqlite;
use super::tx::{MemberEnd, SharedWakes, Tx, WorkDue};
use super::wal::LogWatch;
use crate::base::problem::BY_REQUEST;
use crate::base::{RunId, limits};

/// Whether this process can still write. Shared by all parts of the store.
#[derive(Default)]
pub(super) struct Health {
    /// Set by a crash that a test injected: from then on, every use of the store fails.
    pub(super) crashed: AtomicBool,
    /// Set when the disk or the file has failed: the process must be restarted before it can write again.
    pub(super) broken: AtomicBool,
}

impl Health {
    pub(super) fn check(&self) -> Result<(), StoreError> {
        if self.crashed.load(Ordering::SeqCst) {
            return Err(StoreError::Crashed);
        }
        if self.broken.load(Ordering::SeqCst) {
            return Err(StoreError::Broken("an earlier write failed; restart the process".into()));
        }
        Ok(())
    }

    pub(super) fn note_error(&self, error: &StoreError) {
        match error {
            StoreError::Crashed => self.crashed.store(true, Ordering::SeqCst),
            StoreError::Broken(_) => self.broken.store(true, Ordering::SeqCst),
            _ => {}
        }
    }
}

/// A callback that runs after each commit that made work due.
pub(super) type OnWorkDue = Arc<dyn Fn(WorkDue) + Send + Sync>;

/// Commits transactions and injects faults for tests. Shared by all writers of a store.
#[derive(Clone)]
pub(super) struct Committer {
    pub(super) faults: Arc<dyn FaultHooks>,
    pub(super) health: Arc<Health>,
    /// Called after each commit that made work due.
    pub(super) on_work_due: OnWorkDue,
    /// Watches the write-ahead log of an embedded file.
    pub(super) log: Option<Arc<LogWatch>>,
}

impl Committer {
    /// Waits for the permit to do database work of this kind, if a test decides the sequence of such work.
    pub(super) async fn permit(&self, work: WorkKind) -> Option<WorkPermit> {
        match self.faults.permit(work) {
            Some(permit) => Some(permit.await),
            None => None,
        }
    }

    /// Returns the hooks through which a test injects faults.
    pub(super) fn faults(&self) -> Arc<dyn FaultHooks> {
        Arc::clone(&self.faults)
    }

    /// Runs COMMIT. A test can inject a fault before COMMIT and another one after it.
    pub(super) async fn commit(&self, tx: &mut Tx) -> Result<(), StoreError> {
        self.health.check()?;
        let parts = tx.take_parts();
        self.faults.inspect(tx).await;
        self.fault(CommitPoint::Before, parts)?;
        let flushed = tx.conn.batch("COMMIT").await;
        if let Err(error) = flushed {
            return Err(match error {
                StoreError::Unavailable(text) => StoreError::UnknownCommit(text),
                other => other,
            });
        }
        self.fault(CommitPoint::After, parts)?;
        if let Some(log) = &self.log {
            log.check_size();
        }
        let due = tx.take_work_due();
        if due.any() {
            (self.on_work_due)(due);
        }
        Ok(())
    }

    fn has_crashed(&self) -> bool {
        self.health.crashed.load(Ordering::SeqCst)
    }

    fn fault(&self, point: CommitPoint, parts: CommitParts) -> Result<(), StoreError> {
        match self.faults.at_commit(point, parts) {
            FaultAction::Go => Ok(()),
            FaultAction::Refuse => Err(StoreError::Repeat(BY_REQUEST.to_owned())),
            FaultAction::Lose => Err(StoreError::UnknownCommit(BY_REQUEST.to_owned())),
            FaultAction::Crash => {
                self.health.crashed.store(true, Ordering::SeqCst);
                Err(StoreError::Crashed)
            }
        }
    }
}

/// A task that owns one connection and commits batches until its queue is closed.
pub(super) struct Writer {
    tx: Tx,
    jobs: mpsc::Receiver<Job>,
    committer: Committer,
    begin: &'static str,
    /// The pool from which a lost connection is replaced; `None` for an embedded database,
    /// whose connection cannot be lost.
    pool: Option<PgPool>,
}

impl Writer {
    /// Starts a writer of a file, or of the server to which `pool` connects. Returns its queue.
    pub(super) fn begin_with(
        tx: Tx,
        committer: &Committer,
        queue_max: usize,
        pool: Option<PgPool>,
    ) -> mpsc::Sender<Job> {
        let begin = if pool.is_some() { postgres::BEGIN } else { "BEGIN IMMEDIATE" };
        let (sender, jobs) = mpsc::channel(queue_max);
        Self { tx, jobs, committer: committer.clone(), begin, pool }.spawn();
        sender
    }

    /// Starts the writer. The writer of an embedded database gets a thread of its own, which its statements and its
    /// flushes block, unless the runtime has only one thread. It is a thread of the runtime, which waits for it when it is
    /// dropped: the connection is then closed, and the log of the database copied back.
    fn spawn(self) {
        let runtime = Handle::current();
        if self.pool.is_some() || !sqlite::has_threads() {
            runtime.spawn(self.run());
            return;
        }
        runtime.clone().spawn_blocking(move || runtime.block_on(self.run()));
    }

    async fn run(mut self) {
        let mut batch = Vec::with_capacity(limits::BATCH_MEMBERS_MAX);
        while self.jobs.recv_many(&mut batch, limits::BATCH_MEMBERS_MAX).await > 0 {
            self.gather(&mut batch).await;
            let mut members = Members::sorted(batch.drain(..));
            while !members.is_empty() {
                let batch = members.take_batch(self.pool.is_some());
                self.write(batch).await;
            }
            if self.committer.has_crashed() {
                // A crashed process must keep no connection and no lock.
                return self.tx.conn.close_on_drop();
            }
        }
    }

    /// Takes the jobs that arrived while this writer waited for its permit.
    async fn gather(&mut self, batch: &mut Vec<Job>) {
        let Some(_permit) = self.permit(WorkKind::Gather).await else { return };
        while batch.len() < limits::BATCH_MEMBERS_MAX
            && let Ok(job) = self.jobs.try_recv()
        {
            batch.push(job);
        }
    }

    /// Waits for a permit on an embedded database.
    /// On a database server, the callers wait for permits instead.
    async fn permit(&mut self, work: WorkKind) -> Option<WorkPermit> {
        if self.pool.is_some() { None } else { self.committer.permit(work).await }
    }

    /// Writes a batch. If the batch is rolled back as a whole, writes each member alone.
    async fn write(&mut self, members: Members) {
        let Err(rolled_back) = self.try_batch(members).await else { return };
        if rolled_back.members.len() == 1 && !rolled_back.error.may_repeat() {
            return rolled_back.members.refuse(&rolled_back.error);
        }
        for member in rolled_back.members.singles() {
            self.write_alone(member).await;
        }
    }

    async fn write_alone(&mut self, mut member: Members) {
        let mut attempt = 1;
        while let Err(RolledBackBatch { members, error }) = self.try_batch(member).await {
            if !error.may_repeat() || attempt == limits::TX_ATTEMPTS_MAX {
                return members.refuse(&error);
            }
            (member, attempt) = (members, attempt + 1);
        }
    }

    /// Tries to commit a batch in one transaction. `Ok` means that every caller has its result.
    /// `Err` means that nothing was committed, and that the members may be tried again.
    async fn try_batch(&mut self, mut members: Members) -> Result<(), RolledBackBatch> {
        let _permit = self.permit(WorkKind::Batch).await;
        let begun = match self.committer.health.check() {
            Ok(()) => self.begin().await,
            refused => refused,
        };
        if let Err(error) = begun {
            self.committer.health.note_error(&error);
            members.refuse(&error);
            return Ok(());
        }
        let written = match self.write_members(&mut members).await {
            Ok(written) => written,
            Err(error) => {
                self.committer.health.note_error(&error);
                self.roll_back().await;
                return Err(RolledBackBatch { members, error });
            }
        };
        match self.committer.commit(&mut self.tx).await {
            Ok(()) => members.answer(written),
            Err(StoreError::Crashed) => members.refuse(&StoreError::Crashed),
            Err(error) => {
                self.committer.health.note_error(&error);
                self.roll_back().await;
                if !matches!(error, StoreError::UnknownCommit(_)) {
                    return Err(RolledBackBatch { members, error });
                }
                members.refuse(&error);
            }
        }
        Ok(())
    }

    /// Begins a transaction, on a new connection if the old one is lost.
    async fn begin(&mut self) -> Result<(), StoreError> {
        let begun = self.tx.conn.batch(self.begin).await;
        if begun.is_ok() || !self.replace().await {
            return begun;
        }
        self.tx.conn.batch(self.begin).await
    }

    /// Replaces the connection by another one from the pool. Returns `false` if that is not possible.
    async fn replace(&mut self) -> bool {
        let Some(pool) = &self.pool else { return false };
        match pool.acquire().await {
            Ok(conn) => {
                self.tx.renew(Conn::from(conn).with_faults(self.committer.faults()));
                true
            }
            Err(error) => {
                tracing::warn!("cannot replace the connection of a committer: {error}");
                false
            }
        }
    }

    /// Rolls the batch back.
    async fn roll_back(&mut self) {
        let rolled_back = self.tx.conn.batch("ROLLBACK").await;
        self.tx.end_read_steps();
        self.tx.next_member();
        self.tx.of_batch = SharedWakes::default();
        self.tx.take_work_due();
        self.tx.take_parts();
        if rolled_back.is_err() {
            // On an embedded database, SQLite has already rolled back by itself, and nothing is left to do.
            // On a server, the state of the connection is not known, so the connection is replaced.
            self.replace().await;
        }
    }

    /// Writes all members without committing. An error fails the whole batch.
    async fn write_members(&mut self, members: &mut Members) -> Result<Written, StoreError> {
        let starts = self.insert_starts(&members.starts).await?;
        let read = self.take_read_steps(&mut members.reads).await?;
        let (commits, reads) = self.apply(&members.commits, read).await?;
        let signals = self.store_signals(&members.signals).await?;
        let received = self.receive(&members.received).await?;
        let mut work = Vec::with_capacity(members.work.len());
        let is_alone = members.len() == 1;
        for (nth, member) in members.work.iter_mut().enumerate() {
            let place = match (is_alone, nth) {
                (true, _) => MemberPlace::Alone,
                (false, 0) => MemberPlace::First,
                (false, _) => MemberPlace::Later,
            };
            work.push(self.run_member(member, place).await?);
        }
        self.tx.wake_batch().await?;
        Ok(Written { starts, commits, reads, signals, received, work })
    }

    /// Takes the steps that only read, before this transaction changes any row that they may read.
    async fn take_read_steps(
        &mut self,
        steps: &mut [ReadStepJob],
    ) -> Result<Vec<ReadResult>, StoreError> {
        let mut read = Vec::with_capacity(steps.len());
        if steps.is_empty() {
            return Ok(read);
        }
        self.tx.begin_read_steps(steps.iter().map(|step| step.run));
        for step in steps {
            read.push(step.take(&mut self.tx).await?);
        }
        self.tx.end_read_steps();
        Ok(read)
    }

    /// Writes the commits of the batch and those of the steps that only read.
    async fn apply(
        &mut self,
        jobs: &[CommitJob],
        read: Vec<ReadResult>,
    ) -> Result<(Vec<Committed>, Vec<(ReadResult, Option<Committed>)>), StoreError> {
        let of_reads = read.iter().filter_map(|result| match result {
            ReadResult::Commit(commit) => Some(&**commit),
            _ => None,
        });
        let all: Vec<&Commit> = jobs.iter().map(|job| &job.work).chain(of_reads).collect();
        let mut commits = if all.is_empty() { Vec::new() } else { self.tx.apply(&all).await? };
        let mut later = commits.split_off(jobs.len()).into_iter();
        let mut committed = |result: &ReadResult| match result {
            ReadResult::Commit(_) => later.next(),
            _ => None,
        };
        let reads = read.into_iter().map(|result| {
            let end = committed(&result);
            (result, end)
        });
        Ok((commits, reads.collect()))
    }

    /// Inserts the runs to start, sorted by their start keys, before all other work of the transaction. A
    /// batch that waits for a start key of another batch has so far locked only lower start keys.
    /// So two batches never wait for each other.
    async fn insert_starts(
        &mut self,
        starts: &[StartJob],
    ) -> Result<BTreeMap<RunId, Inserted>, StoreError> {
        if starts.is_empty() {
            return Ok(BTreeMap::new());
        }
        let mut runs: Vec<&NewRun> = starts.iter().map(|job| &job.work.new).collect();
        runs.sort_unstable_by_key(|new| (&new.tenant, &new.start_key, new.id));
        if starts.iter().any(|job| job.work.driven_by == DrivenBy::AnyClaimer) {
            self.tx.note_due();
        }
        let inserted = self.tx.insert_quietly(&runs).await?;
        Ok(runs.iter().map(|new| new.id).zip(inserted).collect())
    }

    /// Stores the signals after the commits of the batch, so that a signal also wakes a run which the batch parks.
    async fn store_signals(
        &mut self,
        signals: &[SignalJob],
    ) -> Result<Vec<SignalStored>, StoreError> {
        if signals.is_empty() {
            return Ok(Vec::new());
        }
        let new: Vec<&NewSignal> = signals.iter().map(|job| &job.work).collect();
        let stored = self.tx.store_signals(&new).await?;
        self.tx.finish_member().await?;
        self.tx.next_member();
        Ok(stored)
    }

    async fn receive(&mut self, jobs: &[ReceiveJob]) -> Result<Vec<ReceivedStored>, StoreError> {
        if jobs.is_empty() {
            return Ok(Vec::new());
        }
        let new: Vec<&NewReceived> = jobs.iter().map(|job| &job.work).collect();
        let stored = self.tx.receive(&new).await?;
        self.tx.next_member();
        Ok(stored)
    }

    /// Runs one write of lane B, in a savepoint unless it is the only member of the batch. If it cannot be rolled
    /// back alone, the whole batch fails. Each member is then written alone, so that a member gets only the errors
    /// that it causes itself.
    async fn run_member(
        &mut self,
        member: &mut Member,
        place: MemberPlace,
    ) -> Result<Result<(), StoreError>, StoreError> {
        let is_alone = place == MemberPlace::Alone;
        match place {
            MemberPlace::Alone => {}
            MemberPlace::First => self.tx.conn.batch("SAVEPOINT member").await?,
            MemberPlace::Later => {
                self.tx.conn.batch("RELEASE member; SAVEPOINT member").await?;
            }
        }
        let written = match member.run(&mut self.tx).await {
            Ok(()) => self.tx.finish_member().await,
            Err(problem) => Err(of_problem(&problem)),
        };
        let end = self.tx.next_member();
        if written.is_err() || end == MemberEnd::RollBack {
            if is_alone {
                // The rollback fails if SQLite has already rolled back by itself, which does no harm.
                let _ = self.tx.conn.batch("ROLLBACK").await;
                self.tx.conn.batch(self.begin).await?;
            } else {
                // It fails if an error has ended the whole transaction. The whole batch then fails.
                self.tx.conn.batch("ROLLBACK TO member").await?;
            }
        }
        match written {
            // Another transaction was in the way: of which member, only a transaction of its own tells.
            Err(error) if error.may_repeat() && !is_alone => Err(error),
            Err(error) => {
                self.committer.health.note_error(&error);
                Ok(Err(error))
            }
            Ok(()) => Ok(Ok(())),
        }
    }
}

/// The place of a write of lane B among those of its batch. It decides where the savepoint of the write before ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MemberPlace {
    /// The batch has no other member.
    Alone,
    /// The first of several.
    First,
    /// After another one.
    Later,
}
