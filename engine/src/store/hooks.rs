//! Fault injection: a test may crash the process, or make the database fail, just before or just after
//! each commit. A test may also decide the order of work on the database.

use futures_util::future::{BoxFuture, ready};

use super::faults::{CommitParts, CommitPoint, FaultAction, StatementHooks};
use super::tx::Tx;

/// Decides which commits fail, and the order of concurrent work. Production uses [`NoFaults`].
pub trait FaultHooks: StatementHooks {
    /// Decides which fault happens at a commit point. Called at every commit, in order.
    fn at_commit(&self, point: CommitPoint, parts: CommitParts) -> FaultAction;

    /// Inspects the rows that are about to be committed, inside their transaction. It must only read.
    fn inspect<'a>(&'a self, _tx: &'a mut Tx) -> BoxFuture<'a, ()> {
        Box::pin(ready(()))
    }
}

/// No faults: every commit continues, and no order is imposed.
#[derive(Debug, Default, Clone, Copy)]
pub struct NoFaults;

impl StatementHooks for NoFaults {}

impl FaultHooks for NoFaults {
    fn at_commit(&self, _point: CommitPoint, _parts: CommitParts) -> FaultAction {
        FaultAction::Go
    }
}
