//! The members of a batch: starts, commits, steps that only read, signals, received messages and writes of lane B that one
//! transaction writes, each with the channel through which its caller gets the result.

use std::collections::{BTreeMap, BTreeSet};

use tokio::sync::oneshot;

use super::commit::{Commit, Committed};
use super::error::StoreError;
use super::member::Member;
use super::read_step::{ReadResult, ReadStepJob};
use super::received::{NewReceived, ReceivedStored};
use super::run::{DrivenBy, Inserted, NewRun};
use super::signal_batch::{NewSignal, SignalStored};
use crate::base::RunId;

/// Work for lane A, and the channel through which its caller gets the result.
pub(super) struct QueuedWork<W, R> {
    pub(super) work: W,
    reply: oneshot::Sender<Result<R, StoreError>>,
}

impl<W, R> QueuedWork<W, R> {
    /// Boxes the work, because jobs of all kinds share a queue.
    pub(super) fn boxed(work: W, reply: oneshot::Sender<Result<R, StoreError>>) -> Box<Self> {
        Box::new(Self { work, reply })
    }

    fn answer(self, result: Result<R, StoreError>) {
        // The caller may have gone.
        let _ = self.reply.send(result);
    }
}

/// A run to start.
pub(super) struct NewStart {
    pub(super) new: NewRun,
    pub(super) driven_by: DrivenBy,
}

pub(super) type StartJob = QueuedWork<NewStart, Inserted>;
pub(super) type CommitJob = QueuedWork<Commit, Committed>;
pub(super) type SignalJob = QueuedWork<NewSignal, SignalStored>;
pub(super) type ReceiveJob = QueuedWork<NewReceived, ReceivedStored>;

/// A job for the writer.
pub(super) enum Job {
    Start(Box<StartJob>),
    Commit(Box<CommitJob>),
    Read(Box<ReadStepJob>),
    Signal(Box<SignalJob>),
    Receive(Box<ReceiveJob>),
    Work { priority: Priority, member: Member },
}

/// Whether a write of lane B runs before or after the other lane B writes of its batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Priority {
    /// Runs before the normal writes.
    Urgent,
    /// Runs after the urgent writes.
    Normal,
}

/// The members of one batch.
#[derive(Default)]
pub(super) struct Members {
    pub(super) starts: Vec<StartJob>,
    pub(super) commits: Vec<CommitJob>,
    pub(super) reads: Vec<ReadStepJob>,
    pub(super) signals: Vec<SignalJob>,
    pub(super) received: Vec<ReceiveJob>,
    pub(super) work: Vec<Member>,
}

/// A batch that was rolled back as a whole, and the reason.
pub(super) struct RolledBackBatch {
    pub(super) members: Members,
    pub(super) error: StoreError,
}

/// The result of each member before the batch is committed.
pub(super) struct Written {
    pub(super) starts: BTreeMap<RunId, Inserted>,
    pub(super) commits: Vec<Committed>,
    /// The result of each step that only reads, with the result of its commit.
    pub(super) reads: Vec<(ReadResult, Option<Committed>)>,
    pub(super) signals: Vec<SignalStored>,
    pub(super) received: Vec<ReceivedStored>,
    /// The result of each write of lane B; a failed write was rolled back to its savepoint.
    pub(super) work: Vec<Result<(), StoreError>>,
}

impl Members {
    /// Sorts jobs by kind. The urgent writes of lane B come before the normal writes of lane B.
    pub(super) fn sorted(batch: impl Iterator<Item = Job>) -> Self {
        let (mut sorted, mut later) = (Self::default(), Vec::new());
        for job in batch {
            match job {
                Job::Start(job) => sorted.starts.push(*job),
                Job::Commit(job) => sorted.commits.push(*job),
                Job::Read(job) => sorted.reads.push(*job),
                Job::Signal(job) => sorted.signals.push(*job),
                Job::Receive(job) => sorted.received.push(*job),
                Job::Work { priority: Priority::Urgent, member } => sorted.work.push(member),
                Job::Work { priority: Priority::Normal, member } => later.push(member),
            }
        }
        sorted.work.append(&mut later);
        sorted
    }

    /// Removes and returns the members of the next transaction: all of them, but only the first step of each run,
    /// because a later step must see the rows of the earlier one. On a database server (`is_served`), signals have a
    /// transaction of their own: it locks turns in ascending order, and the commits of other members have locked some.
    /// So do the writes of lane B of each partition: they lock the partition before people and turns, as all do.
    /// On an embedded database, so do received messages: gateways wait for them, and writes of lane B take longer.
    pub(super) fn take_batch(&mut self, is_served: bool) -> Self {
        if !is_served && !self.received.is_empty() && !self.work.is_empty() {
            return Self { received: std::mem::take(&mut self.received), ..Self::default() };
        }
        if is_served && !self.signals.is_empty() {
            return Self { signals: std::mem::take(&mut self.signals), ..Self::default() };
        }
        if is_served && let Some(partition) = self.work.first().map(|member| member.partition) {
            let (work, later) =
                self.work.drain(..).partition(|member| member.partition == partition);
            self.work = later;
            return Self { work, ..Self::default() };
        }
        let mut runs = BTreeSet::new();
        let (first, again) =
            self.commits.drain(..).partition(|job: &CommitJob| runs.insert(job.work.run));
        let (read_first, read_again) =
            self.reads.drain(..).partition(|job: &ReadStepJob| runs.insert(job.run));
        let later = Self { commits: again, reads: read_again, ..Self::default() };
        Self { commits: first, reads: read_first, ..std::mem::replace(self, later) }
    }

    pub(super) fn len(&self) -> usize {
        let steps = self.commits.len() + self.reads.len();
        self.starts.len() + steps + self.signals.len() + self.received.len() + self.work.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Splits the batch into batches of one member each.
    pub(super) fn singles(self) -> impl Iterator<Item = Self> {
        let starts = each(self.starts, |starts| Self { starts, ..Self::default() });
        let commits = each(self.commits, |commits| Self { commits, ..Self::default() });
        let reads = each(self.reads, |reads| Self { reads, ..Self::default() });
        let signals = each(self.signals, |signals| Self { signals, ..Self::default() });
        let received = each(self.received, |received| Self { received, ..Self::default() });
        let work = each(self.work, |work| Self { work, ..Self::default() });
        starts.chain(commits).chain(reads).chain(signals).chain(received).chain(work)
    }

    /// Gives each caller the result of its member.
    pub(super) fn answer(self, written: Written) {
        for job in self.starts {
            let inserted = written.starts.get(&job.work.new.id).copied();
            job.answer(Ok(inserted.unwrap_or(Inserted::LeftOut)));
        }
        answer_all(self.commits, written.commits);
        for (job, (result, committed)) in self.reads.into_iter().zip(written.reads) {
            job.settle(result, committed);
        }
        answer_all(self.signals, written.signals);
        answer_all(self.received, written.received);
        for (member, result) in self.work.into_iter().zip(written.work) {
            member.settle(result);
        }
    }

    /// Tells each caller that nothing was committed, and why.
    pub(super) fn refuse(self, error: &StoreError) {
        refuse_all(self.starts, error);
        refuse_all(self.commits, error);
        self.reads.into_iter().for_each(|job| job.refuse(error));
        refuse_all(self.signals, error);
        refuse_all(self.received, error);
        self.work.into_iter().for_each(|member| member.settle(Err(error.clone())));
    }
}

fn each<T>(members: Vec<T>, batch: impl Fn(Vec<T>) -> Members) -> impl Iterator<Item = Members> {
    members.into_iter().map(move |member| batch(vec![member]))
}

fn answer_all<W, R>(jobs: Vec<QueuedWork<W, R>>, results: Vec<R>) {
    for (job, result) in jobs.into_iter().zip(results) {
        job.answer(Ok(result));
    }
}

fn refuse_all<W, R>(jobs: Vec<QueuedWork<W, R>>, error: &StoreError) {
    jobs.into_iter().for_each(|job| job.answer(Err(error.clone())));
}
