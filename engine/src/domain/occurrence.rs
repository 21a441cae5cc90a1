//! What has happened to a run or a message, as the domain is told of it.

use super::StartRun;
use crate::base::{MessageId, PersonId, RequestId, RunId};
use crate::run::{RunFailure, RunOutcome};

/// A run that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunEnd<'a> {
    /// Id of the run that ended.
    pub run: RunId,
    /// The method's name.
    pub method: &'a str,
    /// Request that the run worked on.
    pub request: Option<RequestId>,
    /// How the run ended if it did all its steps.
    pub outcome: Option<RunOutcome>,
    /// Whether the run was cancelled.
    pub cancelled: bool,
    /// Why the run failed, if it did and nobody but a person can go on: no run and no caller waits for its end.
    pub failure: Option<&'a RunFailure>,
}

/// An outbound message that was not delivered, or for which it can never be known whether it was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedDelivery {
    /// Id of the message.
    pub message: MessageId,
    /// Name of the template that the message was made from.
    pub kind: String,
    /// Recipient, if known.
    pub person: Option<PersonId>,
    /// Request that the message belongs to, if any.
    pub request: Option<RequestId>,
    /// The carrier's error code, or the engine's own reason.
    pub error: String,
}

/// What was done of the work of a tenant that belongs to no request.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TenantSweep {
    /// Number of items done.
    pub done: u64,
    /// Runs to start in the same transaction.
    pub starts: Vec<StartRun>,
}
