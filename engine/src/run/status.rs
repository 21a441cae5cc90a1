//! Defines the status of a run and the table of its transitions. The same table is used in normal operation
//! and in recovery.

use crate::planted::PlantedFault;

crate::words! {
    /// The status of a run.
    pub enum RunStatus {
        /// Started; no step has been made yet.
        Pending = "pending",
        /// The run's next step is due or in progress.
        Running = "running",
        /// Waiting for people, for time to pass, or for a retry.
        Waiting = "waiting",
        /// Paused by an order.
        Paused = "paused",
        /// The run's steps are done; see its [`RunOutcome`].
        Completed = "completed",
        /// A step failed permanently.
        Failed = "failed",
        /// Cancelled by an order.
        Cancelled = "cancelled",
    }
}

crate::words! {
    /// How a completed run ended.
    pub enum RunOutcome {
        /// All conditions of `success_when` hold.
        Succeeded = "succeeded",
        /// The steps are done, but a condition of `success_when` does not hold.
        FellShort = "fell_short",
    }
}

/// A change of the status of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunTransition {
    /// The owner of the run takes a step.
    Advance,
    /// The run starts to wait or continues to wait.
    Wait,
    /// An order pauses the run.
    Pause,
    /// An order resumes the run.
    Resume,
    /// The steps of the run are done.
    Complete,
    /// A step failed permanently.
    Fail,
    /// An order cancels the run.
    Cancel,
    /// The run was cancelled, and work is left to do before it ends.
    BeginCancelling,
    /// An order retries the failed step.
    Retry,
    /// An order skips the current step.
    Skip,
}

/// The error for a transition that is not possible in the current status of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a {from} run cannot be {}", participle(*transition))]
pub struct IllegalRunTransition {
    /// Status of the run before the transition.
    pub from: RunStatus,
    /// Transition that was attempted.
    pub transition: RunTransition,
}

fn participle(transition: RunTransition) -> &'static str {
    match transition {
        RunTransition::Advance => "moved",
        RunTransition::Wait => "parked",
        RunTransition::Pause => "paused",
        RunTransition::Resume => "resumed",
        RunTransition::Complete => "completed",
        RunTransition::Fail => "failed",
        RunTransition::Cancel => "cancelled",
        RunTransition::BeginCancelling => "wound up",
        RunTransition::Retry => "retried",
        RunTransition::Skip => "made to skip a step",
    }
}

impl RunStatus {
    /// Returns the status that a run with this status has after a transition.
    ///
    /// # Errors
    /// [`IllegalRunTransition`] if a run in this status cannot make this transition.
    pub fn after(self, transition: RunTransition) -> Result<Self, IllegalRunTransition> {
        use RunStatus as S;
        use RunTransition as T;
        let continues = self.is_terminal() && PlantedFault::EndedRunContinues.is_active();
        match (if continues { S::Running } else { self }, transition) {
            (S::Pending | S::Running | S::Waiting, T::Advance) => Ok(S::Running),
            (S::Pending | S::Running | S::Waiting, T::Wait) => Ok(S::Waiting),
            (S::Pending | S::Running | S::Waiting | S::Paused, T::Pause) => Ok(S::Paused),
            (S::Paused, T::Resume) => Ok(S::Running),
            (S::Pending | S::Running | S::Waiting, T::Complete) => Ok(S::Completed),
            (S::Pending | S::Running | S::Waiting, T::Fail) => Ok(S::Failed),
            (S::Pending | S::Running | S::Waiting | S::Paused, T::Cancel) => Ok(S::Cancelled),
            (S::Pending | S::Running | S::Waiting | S::Paused, T::BeginCancelling) => {
                Ok(S::Running)
            }
            (S::Failed, T::Retry) | (S::Running | S::Waiting | S::Paused | S::Failed, T::Skip) => {
                Ok(S::Running)
            }
            (from, transition) => Err(IllegalRunTransition { from, transition }),
        }
    }

    /// Whether a run with this status has ended. Only a failed run can continue after its end, by a retry
    /// or a skip.
    #[must_use]
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ended_run_makes_no_transition_unless_a_failed_one_is_retried_or_skipped() {
        use RunTransition::*;
        let all = [Advance, Wait, Pause, Resume, Complete, Fail, Cancel, Retry, Skip];
        for from in [RunStatus::Completed, RunStatus::Cancelled, RunStatus::Failed] {
            for transition in all {
                let continues = matches!(transition, Retry | Skip);
                let allowed = from == RunStatus::Failed && continues;
                assert_eq!(from.after(transition).is_ok(), allowed, "{from:?} {transition:?}");
            }
        }
    }

    #[test]
    fn a_paused_run_does_not_advance() {
        assert!(RunStatus::Paused.after(RunTransition::Advance).is_err());
        assert_eq!(RunStatus::Paused.after(RunTransition::Resume), Ok(RunStatus::Running));
        let refusal = RunStatus::Completed.after(RunTransition::Cancel).expect_err("it has ended");
        assert_eq!(refusal.to_string(), "a completed run cannot be cancelled");
    }

    #[test]
    fn stored_texts_stay_the_same() {
        let stored = RunStatus::ALL.iter().map(|status| status.as_str());
        assert_eq!(
            stored.collect::<Vec<_>>(),
            ["pending", "running", "waiting", "paused", "completed", "failed", "cancelled"]
        );
        assert_eq!(RunStatus::parse("sleeping"), None);
    }
}
