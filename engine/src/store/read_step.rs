//! Steps that only read. Such a step is taken inside the transaction of a batch, before the batch has changed anything, and
//! its commit is written together with the other commits of the batch.
//!
//! On an embedded database nothing can change between what the step reads and its commit. On a database server, another
//! transaction can change what the step has read; whatever may end a wait wakes the run, so the commit is stale if the run
//! was woken in between ([`Unwoken`](super::commit::Unwoken)).
//!
//! A step that tries to write, to lock a row or to wake a run is refused: the caller takes it again in lane B.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;
use tokio::sync::oneshot;
use uuid::Uuid;

use super::commit::{Commit, Committed};
use super::erased::{ErasedWork, erase};
use super::error::StoreError;
use super::member::run_guarded;
use super::members::Job;
use super::rows::Rows;
use super::store::{Store, WhenFull, WriteLane};
use super::tally::Tally;
use super::tx::Tx;
use crate::base::{Problem, RunId, Timestamp};

/// A step that only reads, and the channel through which its caller gets the result.
pub(super) struct ReadStepJob {
    /// The run whose step it is.
    pub(super) run: RunId,
    work: ErasedWork,
    commit: Arc<Mutex<Option<Commit>>>,
    reply: oneshot::Sender<Result<ReadStep<()>, Problem>>,
}

/// What became known of a step that only reads.
#[derive(Debug)]
pub enum ReadStep<T> {
    /// The step is taken. It has this value, and its commit this result.
    Taken(T, Committed),
    /// Nothing is committed, because the step must write more than its commit.
    Writes,
    /// The database did not confirm the commit, for this reason. The caller must load the run again.
    Unconfirmed(String),
}

/// What a read step has to commit.
pub(super) enum ReadResult {
    Commit(Box<Commit>),
    Writes,
    Failed(Problem),
}

/// What the read steps of one batch have read, because many of them read the same.
#[derive(Default)]
pub(super) struct BatchReads {
    /// The runs of the steps.
    runs: BTreeSet<RunId>,
    /// Those of `runs` that have messages; `None` until a step asks.
    with_messages: Option<BTreeSet<RunId>>,
    pub(super) tallies: BTreeMap<Uuid, BTreeMap<String, Tally>>,
    pub(super) barriers: BTreeMap<String, Option<Timestamp>>,
}

impl BatchReads {
    /// Creates the reads of the steps of these runs, before the first of them.
    pub(super) fn of(runs: impl IntoIterator<Item = RunId>) -> Self {
        Self { runs: runs.into_iter().collect(), ..Self::default() }
    }
}

impl Tx {
    /// Whether a run may have messages. While this transaction takes steps that only read, it asks once for all their runs.
    ///
    /// # Errors
    /// The error of the database.
    pub(super) async fn may_have_messages(&mut self, run: RunId) -> Result<bool, StoreError> {
        let Some(reads) = self.reads.as_ref().filter(|reads| reads.runs.contains(&run)) else {
            return Ok(true);
        };
        if let Some(with_messages) = &reads.with_messages {
            return Ok(with_messages.contains(&run));
        }
        let rows = Rows::ids(&reads.runs);
        let sql =
            "SELECT v.id FROM {rows} WHERE EXISTS (SELECT 1 FROM outbox o WHERE o.run_id = v.id)";
        let found = self.bulk(sql, &[], &rows).await?;
        let found = found.iter().map(|row| row.id("id")).collect::<Result<BTreeSet<_>, _>>()?;
        let has_messages = found.contains(&run);
        if let Some(reads) = &mut self.reads {
            reads.with_messages = Some(found);
        }
        Ok(has_messages)
    }
}

impl Store {
    /// Takes a step of `run` that only reads, and commits it in a batch with other jobs. The function `step` returns the commit
    /// and a value for the caller, or `None` if the step must write more than its commit.
    ///
    /// # Errors
    /// The problem that `step` returns, or the error of the database.
    pub async fn commit_read_step<T, W>(
        &self,
        run: RunId,
        mut step: W,
    ) -> Result<ReadStep<T>, Problem>
    where
        T: Send + 'static,
        W: for<'a> FnMut(&'a mut Tx) -> BoxFuture<'a, Result<Option<(Commit, T)>, Problem>>
            + Send
            + 'static,
    {
        let commit = Arc::new(Mutex::new(None));
        let filled = Arc::clone(&commit);
        let (work, slot) = erase(super::erased::tx_closure(move |tx: &mut Tx| {
            let (filled, running) = (Arc::clone(&filled), step(tx));
            Box::pin(async move {
                let (commit, value) = running.await?.unzip();
                *filled.lock().unwrap_or_else(PoisonError::into_inner) = commit;
                Ok(value)
            })
        }));
        let job = |reply| Job::Read(Box::new(ReadStepJob { run, work, commit, reply }));
        match self.result_of::<_, Problem>(WriteLane::OfRun(run), WhenFull::Wait, job).await? {
            ReadStep::Writes => Ok(ReadStep::Writes),
            ReadStep::Unconfirmed(why) => Ok(ReadStep::Unconfirmed(why)),
            ReadStep::Taken((), committed) => match slot.take()? {
                Some(value) => Ok(ReadStep::Taken(value, committed)),
                None => Ok(ReadStep::Writes),
            },
        }
    }
}

impl ReadStepJob {
    /// Takes the step inside the transaction `tx`.
    ///
    /// # Errors
    /// The error of a statement, after which the transaction cannot be used any more.
    pub(super) async fn take(&mut self, tx: &mut Tx) -> Result<ReadResult, StoreError> {
        let result = run_guarded(&mut self.work, tx).await;
        let failed = tx.failed.clone();
        if tx.end_read_step() {
            return Ok(ReadResult::Writes);
        }
        if let Some(error) = failed {
            return Err(error);
        }
        if let Err(problem) = result {
            return Ok(ReadResult::Failed(problem));
        }
        let commit = self.commit.lock().unwrap_or_else(PoisonError::into_inner).take();
        Ok(commit.map_or(ReadResult::Writes, |commit| ReadResult::Commit(Box::new(commit))))
    }

    /// Sends the caller the result. `committed` is the result of the commit, if the step had one.
    pub(super) fn settle(self, result: ReadResult, committed: Option<Committed>) {
        let answer = match (result, committed) {
            (ReadResult::Failed(problem), _) => Err(problem),
            (ReadResult::Writes, _) => Ok(ReadStep::Writes),
            (ReadResult::Commit(_), committed) => {
                Ok(ReadStep::Taken((), committed.unwrap_or(Committed::Stale)))
            }
        };
        let _ = self.reply.send(answer);
    }

    /// Tells the caller that the batch was not committed.
    pub(super) fn refuse(self, error: &StoreError) {
        let _ = self.reply.send(match error {
            StoreError::UnknownCommit(why) => Ok(ReadStep::Unconfirmed(why.clone())),
            other => Err(other.clone().into()),
        });
    }
}
