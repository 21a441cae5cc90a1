//! The store: an open database. Commits steps and starts runs in lane A.

use std::sync::Arc;

use sqlx::PgPool;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Semaphore, mpsc, oneshot};

use super::commit::{Commit, Committed};
use super::dialect::Dialect;
use super::error::StoreError;
use super::faults::{WorkKind, WorkPermit};
use super::members::{Job, NewStart, QueuedWork};
use super::message_writers::MessageWriters;
use super::migrate::SchemaStatus;
use super::postgres::{self, ListenerId};
use super::received::{NewReceived, ReceivedStored};
use super::run::{DrivenBy, Inserted, NewRun};
use super::signal_batch::{NewSignal, SignalStored};
use super::sqlite::Readers;
use super::tx::Source;
use super::writer::Committer;
use crate::base::{Problem, RunId, TypedId as _};
use crate::transaction;

/// The work of lane A that one writer does on a database server.
#[derive(Debug, Clone, Copy)]
pub(super) enum WriteLane {
    /// All that concerns this run.
    OfRun(RunId),
    /// The messages that gateways deliver.
    OfReceived,
}

#[derive(Clone)]
pub(super) enum Pools {
    Sqlite {
        readers: Readers,
        jobs: mpsc::Sender<Job>,
    },
    /// `room` limits how many writes of lane B may run or wait at the same time, and `at_work` how many of them may run.
    Postgres {
        pool: PgPool,
        listener: ListenerId,
        readers: PgPool,
        committers: Vec<mpsc::Sender<Job>>,
        messages: Arc<MessageWriters>,
        room: Arc<Semaphore>,
        at_work: Arc<Semaphore>,
    },
}

/// What happens to a job for which the store has no room at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WhenFull {
    /// The caller waits until there is room, because nobody would repeat the job after an error.
    Wait,
    /// The caller gets [`StoreError::Overloaded`] at once, and may try again.
    Refuse,
}

/// An open database.
#[derive(Clone)]
pub struct Store {
    /// The number of the newest migration that this program knows.
    pub(super) known: i64,
    pub(super) pools: Pools,
    pub(super) committer: Committer,
    pub(super) source: Source,
}

impl Store {
    /// Reads the schema status of the open database, which another process may have migrated by now.
    pub async fn schema_now(&self) -> Result<SchemaStatus, Problem> {
        let known = self.known;
        let read = transaction!(|tx| {
            let applied = tx.meta("schema").await?;
            let applied = applied.and_then(|text| text.parse().ok()).unwrap_or(known);
            Ok(SchemaStatus { applied, known })
        });
        self.read(read).await
    }

    /// Returns the kind of database.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        match self.pools {
            Pools::Sqlite { .. } => Dialect::Sqlite,
            Pools::Postgres { .. } => Dialect::Postgres,
        }
    }

    /// Calls `heard` whenever another process notifies that work is due. Returns when the connection
    /// is lost, and returns at once on an embedded database, because no other process drives it.
    ///
    /// # Errors
    /// The error of the connection.
    pub async fn listen(&self, heard: impl Fn()) -> Result<(), StoreError> {
        let Pools::Postgres { pool, listener, .. } = &self.pools else { return Ok(()) };
        postgres::listen(pool, listener, heard).await
    }

    /// Fails if this process cannot write any more, because the database
    /// is damaged or a test injected a crash.
    pub fn check(&self) -> Result<(), StoreError> {
        self.committer.health.check()
    }

    /// Commits one step in lane A, in a batch with other waiting jobs.
    ///
    /// After [`StoreError::UnknownCommit`] the caller must discard its copy of the
    /// run and load the run again. The caller must never send the same commit again.
    pub async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let lane = WriteLane::OfRun(commit.run);
        let job = |reply| Job::Commit(QueuedWork::boxed(commit, reply));
        self.result_of(lane, WhenFull::Wait, job).await
    }

    /// Stores a signal from outside and wakes its run, in a batch with other jobs.
    ///
    /// # Errors
    /// [`StoreError::Overloaded`] if the queue of jobs is full, and the error of the database otherwise.
    pub async fn signal(&self, signal: NewSignal) -> Result<SignalStored, StoreError> {
        let lane = WriteLane::OfRun(signal.run);
        let job = |reply| Job::Signal(QueuedWork::boxed(signal, reply));
        self.result_of(lane, WhenFull::Refuse, job).await
    }

    /// Stores a message that a gateway delivers, in a batch with other jobs.
    ///
    /// # Errors
    /// [`StoreError::Overloaded`] if the queue of jobs is full, and the error of the database otherwise.
    pub async fn receive(&self, new: NewReceived) -> Result<ReceivedStored, StoreError> {
        let job = |reply| Job::Receive(QueuedWork::boxed(new, reply));
        self.result_of(WriteLane::OfReceived, WhenFull::Refuse, job).await
    }

    /// Starts a run that works on no request. The run is inserted in lane A, in a batch with other
    /// waiting jobs.
    ///
    /// After [`StoreError::Overloaded`] the run does not exist.
    /// After [`StoreError::UnknownCommit`] the run may or may not exist.
    pub async fn start(&self, new: NewRun, driven_by: DrivenBy) -> Result<Inserted, StoreError> {
        let lane = WriteLane::OfRun(new.id);
        let job = |reply| Job::Start(QueuedWork::boxed(NewStart { new, driven_by }, reply));
        self.result_of(lane, WhenFull::Refuse, job).await
    }

    /// Queues a job, and waits for its result. The caller gets its permit before the queue is looked up, because the first
    /// job of a queue opens its connection. The function `job` gets the channel for the result.
    ///
    /// # Errors
    /// [`StoreError::Overloaded`] if the queue is full and the job may not wait; otherwise the error of the job.
    pub(super) async fn result_of<T, E: From<StoreError>>(
        &self,
        lane: WriteLane,
        when_full: WhenFull,
        job: impl FnOnce(oneshot::Sender<Result<T, E>>) -> Job,
    ) -> Result<T, E> {
        let (reply, answer) = oneshot::channel();
        let permit = self.committer.permit(WorkKind::Write).await;
        self.send(self.queue(lane).await?, job(reply), when_full).await?;
        let _permit = self.permit_after_queueing(permit);
        answer.await.map_err(|_| self.has_stopped())?
    }

    /// Returns the permit that a caller keeps while it waits for the result of its queued job.
    /// On a database server, this is the permit with which the caller queued the job. On an embedded
    /// database, the caller keeps no permit, because the writer waits for permits of its own.
    pub(super) fn permit_after_queueing(&self, permit: Option<WorkPermit>) -> Option<WorkPermit> {
        permit.filter(|_| self.dialect() == Dialect::Postgres)
    }

    /// Returns the queue of the writer that does this work.
    async fn queue(&self, lane: WriteLane) -> Result<&mpsc::Sender<Job>, StoreError> {
        match (&self.pools, lane) {
            (Pools::Sqlite { jobs, .. }, _) => Ok(jobs),
            (Pools::Postgres { committers, .. }, WriteLane::OfRun(run)) => {
                Ok(&committers[usize::from(run.uuid().as_bytes()[15]) % committers.len()])
            }
            (Pools::Postgres { messages, .. }, WriteLane::OfReceived) => messages.receiver().await,
        }
    }

    pub(super) async fn send(
        &self,
        lane: &mpsc::Sender<Job>,
        job: Job,
        when_full: WhenFull,
    ) -> Result<(), StoreError> {
        self.committer.health.check()?;
        match when_full {
            WhenFull::Wait => lane.send(job).await.map_err(|_| self.has_stopped()),
            WhenFull::Refuse => lane.try_send(job).map_err(|error| match error {
                TrySendError::Full(_) => StoreError::Overloaded,
                TrySendError::Closed(_) => self.has_stopped(),
            }),
        }
    }

    /// Returns the error for a caller that gets no result, because the writer has stopped.
    pub(super) fn has_stopped(&self) -> StoreError {
        let stopped = || StoreError::Unavailable("the writer has stopped".into());
        self.committer.health.check().err().unwrap_or_else(stopped)
    }
}
