//! Defines pairs of values that many functions of the store take together.

use crate::base::{CallId, RunId};

/// The proof that a caller owns a run. Every change of the run's turn or head requires this proof.
/// The change is not made if another owner has claimed the run in the meantime.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fence {
    /// The run that the owner claimed.
    pub run: RunId,
    /// The epoch of the owner's claim.
    pub epoch: i64,
}

/// A run and the tenant that owns it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunRef<'a> {
    /// The tenant that owns the run.
    pub tenant: &'a str,
    /// The id of the run.
    pub run: RunId,
}

/// A method and the tenant that owns it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MethodRef<'a> {
    /// The tenant that owns the method.
    pub tenant: &'a str,
    /// The method's name.
    pub method: &'a str,
}

/// The run and the call that an event is about. The default names neither of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct About {
    /// The run that the event is about.
    pub run: Option<RunId>,
    /// The call of that run that the event is about.
    pub call: Option<CallId>,
}

impl About {
    /// Creates the value for an event about `run`, which is `None` if the event is about no run.
    #[must_use]
    pub const fn run(run: Option<RunId>) -> Self {
        Self { run, call: None }
    }
}
