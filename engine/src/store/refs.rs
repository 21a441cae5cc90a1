//! Pairs of values that many functions of the store take together.

use crate::base::{CallId, RunId};

/// The proof of ownership under which the turn or the head of a run may be changed: nothing is changed if
/// another owner has claimed the run since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fence {
    /// The run.
    pub run: RunId,
    /// The epoch of the owner's claim.
    pub epoch: i64,
}

/// A run of a tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunRef<'a> {
    /// The tenant that owns the run.
    pub tenant: &'a str,
    /// The run.
    pub run: RunId,
}

/// A method of a tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MethodRef<'a> {
    /// The tenant that owns the method.
    pub tenant: &'a str,
    /// The method's name.
    pub method: &'a str,
}

/// What an event is about; nothing by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct About {
    /// The run that it concerns.
    pub run: Option<RunId>,
    /// The call of that run that it concerns.
    pub call: Option<CallId>,
}

impl About {
    /// Returns what an event about a run, or about none, is about.
    #[must_use]
    pub const fn run(run: Option<RunId>) -> Self {
        Self { run, call: None }
    }
}
