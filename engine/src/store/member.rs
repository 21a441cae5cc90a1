//! A write of lane B: the work to run in a transaction, and
//! the channel through which its caller gets the result.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use tokio::sync::oneshot;
use uuid::Uuid;

use super::erased::ErasedWork;
use super::error::StoreError;
use super::tx::Tx;
use crate::base::Problem;

/// A write of lane B. Its work may run several times.
/// At the end, its caller learns whether the transaction was committed.
pub(super) struct Member {
    /// The partition that the work locks first, if it shares a commit on a database server.
    pub(super) partition: Option<Uuid>,
    work: ErasedWork,
    result: Option<Result<(), Problem>>,
    reply: oneshot::Sender<Result<(), Problem>>,
}

impl Member {
    /// Creates a member. The receiver gets the result after the commit or the failure.
    pub(super) fn new(
        work: ErasedWork,
        partition: Option<Uuid>,
    ) -> (Self, oneshot::Receiver<Result<(), Problem>>) {
        let (reply, answer) = oneshot::channel();
        (Self { partition, work, result: None, reply }, answer)
    }

    /// Runs the work inside the transaction `tx`.
    /// If the work fails, the caller must roll the transaction back.
    pub(super) async fn run(&mut self, tx: &mut Tx) -> Result<(), Problem> {
        let result = run_guarded(&mut self.work, tx).await;
        self.result = Some(result.clone());
        result
    }

    /// Sends the caller the result, after the commit or the failure.
    pub(super) fn settle(self, committed: Result<(), StoreError>) {
        let answer = match (committed, self.result) {
            (Ok(()), Some(result)) | (Err(_), Some(result @ Err(_))) => result,
            (Err(error), _) => Err(error.into()),
            (Ok(()), None) => Err(Problem::bug("the work was settled before it ran")),
        };
        let _ = self.reply.send(answer);
    }
}

/// Runs the work inside the transaction `tx`. A panic of the work becomes a problem.
pub(super) async fn run_guarded(work: &mut ErasedWork, tx: &mut Tx) -> Result<(), Problem> {
    let work = AssertUnwindSafe(async { work(tx).await });
    work.catch_unwind().await.unwrap_or_else(|panic| Err(panicked(&*panic)))
}

/// Returns the problem that reports a panic in a transaction.
pub(super) fn panicked(panic: &(dyn Any + Send)) -> Problem {
    Problem::panicked("a database transaction", panic)
}
