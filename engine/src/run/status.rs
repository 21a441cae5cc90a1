//! The status of a run: one transition table, for normal operation and for recovery.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::planted::Planted;

/// The status of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RunStatus)]
pub enum Status {
    /// Started; no step has been made yet.
    Pending,
    /// Its next step is due or in progress.
    Running,
    /// Waiting for people, for time to pass, or for a retry.
    Waiting,
    /// Paused by an order.
    Paused,
    /// Its steps are done; see its [`Outcome`].
    Completed,
    /// A step failed permanently.
    Failed,
    /// Cancelled by an order.
    Cancelled,
}

/// How a completed run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RunOutcome)]
pub enum Outcome {
    /// All conditions of `success_when` hold.
    Succeeded,
    /// The steps are done, but a condition of `success_when` does not hold.
    FellShort,
}

/// Something that changes the status of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happening {
    /// Its owner makes a step.
    Moves,
    /// It starts or continues to wait.
    Waits,
    /// An order pauses it.
    IsPaused,
    /// An order resumes it.
    IsResumed,
    /// Its steps are done.
    Completes,
    /// A step failed permanently.
    Fails,
    /// An order cancels it.
    IsCancelled,
    /// It was cancelled, and work is left to do before it ends.
    WindsUp,
    /// An order retries the failed step.
    IsRetried,
    /// An order skips the current step.
    IsSkipped,
}

/// The error for something that cannot happen to a run in its status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a {} run cannot be {}", from.as_str(), word(*happening))]
pub struct IllegalHappening {
    /// Status of the run.
    pub from: Status,
    /// What was attempted.
    pub happening: Happening,
}

fn word(happening: Happening) -> &'static str {
    match happening {
        Happening::Moves => "moved",
        Happening::Waits => "parked",
        Happening::IsPaused => "paused",
        Happening::IsResumed => "resumed",
        Happening::Completes => "completed",
        Happening::Fails => "failed",
        Happening::IsCancelled => "cancelled",
        Happening::WindsUp => "wound up",
        Happening::IsRetried => "retried",
        Happening::IsSkipped => "made to skip a step",
    }
}

impl Status {
    /// Returns the status after `happening`.
    ///
    /// # Errors
    /// [`IllegalHappening`] if it cannot happen in this status.
    pub fn after(self, happening: Happening) -> Result<Self, IllegalHappening> {
        use Happening as H;
        use Status as S;
        let goes_on = self.is_terminal() && Planted::EndedRunGoesOn.is_in();
        match (if goes_on { S::Running } else { self }, happening) {
            (S::Pending | S::Running | S::Waiting, H::Moves) => Ok(S::Running),
            (S::Pending | S::Running | S::Waiting, H::Waits) => Ok(S::Waiting),
            (S::Pending | S::Running | S::Waiting | S::Paused, H::IsPaused) => Ok(S::Paused),
            (S::Paused, H::IsResumed) => Ok(S::Running),
            (S::Pending | S::Running | S::Waiting, H::Completes) => Ok(S::Completed),
            (S::Pending | S::Running | S::Waiting, H::Fails) => Ok(S::Failed),
            (S::Pending | S::Running | S::Waiting | S::Paused, H::IsCancelled) => Ok(S::Cancelled),
            (S::Pending | S::Running | S::Waiting | S::Paused, H::WindsUp) => Ok(S::Running),
            (S::Failed, H::IsRetried)
            | (S::Running | S::Waiting | S::Paused | S::Failed, H::IsSkipped) => Ok(S::Running),
            (from, happening) => Err(IllegalHappening { from, happening }),
        }
    }

    /// Whether the run has ended. Only a failed run can continue from there, by a retry or a skip.
    #[must_use]
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }

    /// Returns the name in the API and the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Paused => "paused",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Parses the name in the database.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [
            Self::Pending,
            Self::Running,
            Self::Waiting,
            Self::Paused,
            Self::Completed,
            Self::Failed,
            Self::Cancelled,
        ]
        .into_iter()
        .find(|status| status.as_str() == word)
    }
}

impl Outcome {
    /// Returns the name in the API and the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::FellShort => "fell_short",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_happens_to_an_ended_run_unless_a_failed_one_is_to_go_on() {
        use Happening::*;
        let all = [
            Moves,
            Waits,
            IsPaused,
            IsResumed,
            Completes,
            Fails,
            IsCancelled,
            IsRetried,
            IsSkipped,
        ];
        for from in [Status::Completed, Status::Cancelled, Status::Failed] {
            for happening in all {
                let goes_on = matches!(happening, IsRetried | IsSkipped);
                let allowed = from == Status::Failed && goes_on;
                assert_eq!(from.after(happening).is_ok(), allowed, "{from:?} {happening:?}");
            }
        }
    }

    #[test]
    fn a_paused_run_does_not_move() {
        assert!(Status::Paused.after(Happening::Moves).is_err());
        assert_eq!(Status::Paused.after(Happening::IsResumed), Ok(Status::Running));
        let refusal = Status::Completed.after(Happening::IsCancelled).expect_err("it has ended");
        assert_eq!(refusal.to_string(), "a completed run cannot be cancelled");
    }

    #[test]
    fn words_round_trip() {
        for word in ["pending", "running", "waiting", "paused", "completed", "failed", "cancelled"]
        {
            assert_eq!(Status::parse(word).map(Status::as_str), Some(word));
        }
        assert_eq!(Status::parse("sleeping"), None);
    }
}
