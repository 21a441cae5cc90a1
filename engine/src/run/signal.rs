//! Defines the orders to a run. The owner of the run obeys its orders between two steps.

use super::moved::MOVE_SIGNAL;
use super::status::{IllegalRunTransition, RunStatus, RunTransition};

/// The name of the signal that a run schedules for itself.
pub const SCHEDULED_SIGNAL: &str = "scheduled";

/// The kind of a signal that orders an upgrade. The signal names the stored order, which has the details.
pub const UPGRADE_SIGNAL: &str = "upgrade";

/// Whether a signal of this kind is an order, such as `cancel`, rather than a signal that brings data.
#[must_use]
pub fn is_order(kind: &str) -> bool {
    kind == UPGRADE_SIGNAL || kind == MOVE_SIGNAL || Control::parse(kind).is_some()
}

crate::words! {
    /// An order to a run.
    pub enum Control {
        /// Cancel the run.
        Cancel = "cancel",
        /// Pause the run before its next step.
        Pause = "pause",
        /// Resume a paused run.
        Resume = "resume",
        /// Retry the failed step.
        Retry = "retry",
        /// Continue after the current step as if it were done.
        Skip = "skip",
    }
}

impl Control {
    /// Returns the transition of the run's status that the order causes.
    #[must_use]
    pub fn transition(self) -> RunTransition {
        match self {
            Self::Cancel => RunTransition::Cancel,
            Self::Pause => RunTransition::Pause,
            Self::Resume => RunTransition::Resume,
            Self::Retry => RunTransition::Retry,
            Self::Skip => RunTransition::Skip,
        }
    }

    /// Returns the status of a run after it has obeyed the order.
    ///
    /// # Errors
    /// [`IllegalRunTransition`] if a run in this status cannot obey the order,
    /// because the order came too late or repeats an earlier order.
    pub fn applied_to(self, status: RunStatus) -> Result<RunStatus, IllegalRunTransition> {
        status.after(self.transition())
    }
}
