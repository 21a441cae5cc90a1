//! Lets a test inject faults. The test can crash the process, or make the database fail, just
//! before or just after each commit. The test can also decide the sequence of database work.

use futures_util::future::{BoxFuture, ready};

use super::faults::{CommitParts, CommitPoint, FaultAction, StatementHooks};
use super::tx::Tx;

/// The hooks of a test: they decide which commits fail, and the sequence of concurrent database work.
/// Production uses [`NoFaults`].
pub trait FaultHooks: StatementHooks {
    /// Decides which fault happens at a commit point.
    /// Called before every commit and, if the commit succeeds, after it.
    fn at_commit(&self, point: CommitPoint, parts: CommitParts) -> FaultAction;

    /// Inspects the rows that are about to be committed, inside their transaction. Must not write.
    fn inspect<'a>(&'a self, _tx: &'a mut Tx) -> BoxFuture<'a, ()> {
        Box::pin(ready(()))
    }
}

/// Hooks without effect: no commit fails, and all database work begins at once.
#[derive(Debug, Default, Clone, Copy)]
pub struct NoFaults;

impl StatementHooks for NoFaults {}

impl FaultHooks for NoFaults {
    fn at_commit(&self, _point: CommitPoint, _parts: CommitParts) -> FaultAction {
        FaultAction::Go
    }
}
