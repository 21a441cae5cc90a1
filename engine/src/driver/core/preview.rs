//! What a shadow run would do. It is found by playing the run in a copy of the database, where nothing has an
//! effect outside.

use crate::base::{Problem, Timestamp, Value};
use crate::ledger::Receipt;
use crate::run::{RunFailure, RunOutcome, RunStatus};
use crate::store::ShadowMessage;

/// What a shadow run would do. The lists are limited; the numbers count everything.
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
    /// How the run would end.
    pub end: PreviewEnd,
    /// When it would end.
    pub ends_at: Timestamp,
    /// The first messages that it would send, the earliest first.
    pub messages: Vec<ShadowMessage>,
    /// The first receipts of its calls.
    pub receipts: Vec<Receipt>,
    /// The first approvals that it would ask for, as the members of `approval.would_ask`.
    pub approvals: Vec<Value>,
    /// The numbers of everything that it would do.
    pub totals: PreviewTotals,
}

/// How much a shadow run would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PreviewTotals {
    /// Number of messages.
    pub messages: usize,
    /// Number of segments that the carrier would bill.
    pub segments: i64,
    /// Number of different phone numbers that would get messages.
    pub people: usize,
    /// Number of finished calls.
    pub receipts: usize,
    /// Number of approvals.
    pub approvals: usize,
}

/// How a shadow run would end.
#[derive(Debug, Clone, PartialEq)]
pub enum PreviewEnd {
    /// It would complete.
    Completed(RunOutcome),
    /// It would be cancelled.
    Cancelled,
    /// It would fail, or could not start.
    Failed(RunFailure),
}

impl Preview {
    /// Builds the preview of a run that could not start, because of `problem`.
    #[must_use]
    pub fn refused(problem: Problem, at: Timestamp) -> Self {
        Self {
            end: PreviewEnd::Failed(RunFailure { step_id: "start".to_owned(), problem }),
            ends_at: at,
            messages: Vec::new(),
            receipts: Vec::new(),
            approvals: Vec::new(),
            totals: PreviewTotals::default(),
        }
    }

    /// Returns the members of the event `shadow.played`.
    #[must_use]
    pub fn summary(&self) -> Value {
        let (status, outcome) = match &self.end {
            PreviewEnd::Completed(outcome) => (RunStatus::Completed, Some(outcome.as_str())),
            PreviewEnd::Cancelled => (RunStatus::Cancelled, None),
            PreviewEnd::Failed(_) => (RunStatus::Failed, None),
        };
        let totals = self.totals;
        let mut summary = serde_json::json!({
            "status": status.as_str(),
            "ends_at": self.ends_at.to_string(),
            "messages": totals.messages,
            "segments": totals.segments,
            "people": totals.people,
            "receipts": totals.receipts,
            "approvals": totals.approvals,
        });
        if let Some(outcome) = outcome {
            summary["outcome"] = outcome.into();
        }
        summary
    }
}

/// Builds the refusal of a shadow run in a process that cannot play copies.
pub(in crate::driver) fn not_available() -> Problem {
    Problem::caller("not_configured", "this process cannot play shadow runs")
        .with_hint("start the run without `dry_run`, or on a server")
}
