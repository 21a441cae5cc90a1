//! Orders from outside, obeyed by the run's owner at the next boundary.

use serde::{Deserialize, Serialize};

use super::status::{Happening, IllegalHappening, Status};

/// The name of the message that a run has scheduled for itself.
pub const SCHEDULED: &str = "scheduled";

/// The kind of an order to go on with another text: what it says stands in the order that it names.
pub const UPGRADE: &str = "upgrade";

/// True for the kinds of signals that are orders.
#[must_use]
pub fn is_order(kind: &str) -> bool {
    kind == UPGRADE || Control::parse(kind).is_some()
}

/// An order to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Control {
    /// End it; nothing further is sent.
    Cancel,
    /// Stop before the next step.
    Pause,
    /// Go on after a pause.
    Resume,
    /// Try the failed step again.
    Retry,
    /// Go on behind the step at hand, as if it had been done.
    Skip,
}

impl Control {
    /// The word of the API and the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cancel => "cancel",
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::Retry => "retry",
            Self::Skip => "skip",
        }
    }

    /// From the word of the database.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Cancel, Self::Pause, Self::Resume, Self::Retry, Self::Skip]
            .into_iter()
            .find(|control| control.as_str() == word)
    }

    /// What it makes happen.
    #[must_use]
    pub fn happening(self) -> Happening {
        match self {
            Self::Cancel => Happening::IsCancelled,
            Self::Pause => Happening::IsPaused,
            Self::Resume => Happening::IsResumed,
            Self::Retry => Happening::IsRetried,
            Self::Skip => Happening::IsSkipped,
        }
    }
}

/// What obeying an order means for the owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignalEffect {
    /// The run has this status now.
    Becomes(Status),
    /// The order came too late or twice; it changes nothing.
    Nothing(IllegalHappening),
}

/// Obeys an order.
#[must_use]
pub fn obey(status: Status, control: Control) -> SignalEffect {
    match status.after(control.happening()) {
        Ok(status) => SignalEffect::Becomes(status),
        Err(illegal) => SignalEffect::Nothing(illegal),
    }
}
