//! Orders to a run, which its owner obeys between two steps.

use serde::{Deserialize, Serialize};

use super::status::{Happening, IllegalHappening, Status};

/// The name of the signal that a run schedules for itself.
pub const SCHEDULED: &str = "scheduled";

/// The kind of a signal that orders an upgrade. It names the stored order, which has the details.
pub const UPGRADE: &str = "upgrade";

/// Whether signals of this kind are orders.
#[must_use]
pub fn is_order(kind: &str) -> bool {
    kind == UPGRADE || Control::parse(kind).is_some()
}

/// An order to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Control {
    /// Cancel the run.
    Cancel,
    /// Pause the run before its next step.
    Pause,
    /// Resume a paused run.
    Resume,
    /// Retry the failed step.
    Retry,
    /// Continue after the current step as if it were done.
    Skip,
}

impl Control {
    /// Returns the name in the API and the database.
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

    /// Parses the name in the database.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Cancel, Self::Pause, Self::Resume, Self::Retry, Self::Skip]
            .into_iter()
            .find(|control| control.as_str() == word)
    }

    /// Returns the happening that the order causes.
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

/// The effect of an order on a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignalEffect {
    /// The run now has this status.
    Becomes(Status),
    /// The order changes nothing: it came too late or repeats an earlier one.
    Nothing(IllegalHappening),
}

/// Applies an order to a run's status.
#[must_use]
pub fn obey(status: Status, control: Control) -> SignalEffect {
    match status.after(control.happening()) {
        Ok(status) => SignalEffect::Becomes(status),
        Err(illegal) => SignalEffect::Nothing(illegal),
    }
}
