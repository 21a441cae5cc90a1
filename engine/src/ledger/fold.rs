//! Folds the events of a run into the status that the run's head must have.

use serde_json::Value;

use super::kind::{EventKind, KindName};

/// The status of a run, derived only from the run's events.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Life {
    /// The run has not started.
    #[default]
    Unborn,
    /// The run is running or waiting, or it is undoing calls after it failed or was cancelled.
    Alive,
    /// The run is paused.
    Paused,
    /// The run has completed its steps, with this outcome.
    Completed(String),
    /// The run has ended with this status, `failed` or `cancelled`, and nothing is left to do.
    Ended(String),
}

impl Life {
    /// Returns the status after one more event.
    /// An event of a kind that the engine does not know changes nothing.
    #[must_use]
    pub fn after(self, kind: &KindName, body: &Value) -> Self {
        use EventKind as Kind;
        let word = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
        let Some(kind) = Kind::parse(kind.as_str()) else { return self };
        match kind {
            Kind::RunStarted | Kind::RunResumed | Kind::RunRetried | Kind::RunSkipped => {
                Self::Alive
            }
            Kind::BranchStarted | Kind::BranchResumed | Kind::BranchRetried => Self::Alive,
            Kind::BranchSkipped | Kind::RunCancelled | Kind::BranchCancelled => Self::Alive,
            Kind::RunPaused | Kind::BranchPaused => Self::Paused,
            Kind::RunCompleted | Kind::BranchCompleted => Self::Completed(word("outcome")),
            Kind::RunEnded | Kind::BranchEnded => Self::Ended(word("status")),
            // `run.failed` changes nothing, because a failed run is live until its calls are undone.
            Kind::RunFailed | Kind::BranchFailed => self,
            Kind::RunFallback | Kind::BranchFallback => self,
            Kind::RunUpgraded | Kind::BranchUpgraded => self,
            Kind::RunMoved | Kind::BranchMoved => self,
            Kind::RunUpgradeRefused | Kind::BranchUpgradeRefused => self,
            Kind::ShadowPlayed | Kind::MessageWouldSend | Kind::ApprovalWouldAsk => self,
            Kind::Receipt | Kind::AttemptFailed | Kind::StepCaught | Kind::UndoFailed => self,
            Kind::PlanProposed
            | Kind::CallJudged
            | Kind::ApprovalAsked
            | Kind::ApprovalReminded
            | Kind::ApprovalEnded => self,
            Kind::AwaitEnded | Kind::ChildrenDone | Kind::FactRead => self,
            Kind::SignalReceived | Kind::SignalIgnored => self,
            Kind::TimersDropped | Kind::TimerDropped => self,
            Kind::InboundApplied | Kind::InboundSetAside | Kind::MessageUndelivered => self,
            Kind::MethodPublished | Kind::MethodRolledBack | Kind::MethodDeleted => self,
            Kind::ScheduleAdded | Kind::ScheduleRemoved | Kind::ScheduleMissed => self,
            Kind::ScheduleSkipped | Kind::ScheduleFailed => self,
            Kind::TenantChanged | Kind::TenantPaused | Kind::TenantResumed => self,
            Kind::TokenCreated | Kind::TokenRevoked => self,
            Kind::PersonErased | Kind::EventsRedacted | Kind::ArchiveSealed => self,
        }
    }

    /// Whether a head with this status and outcome agrees with `self`, the state that was folded from the
    /// run's events.
    #[must_use]
    pub fn is(&self, status: &str, outcome: Option<&str>) -> bool {
        match self {
            Self::Unborn => status == "pending",
            Self::Alive => ["running", "waiting"].contains(&status),
            Self::Paused => status == "paused",
            Self::Completed(how) => (status, outcome) == ("completed", Some(how.as_str())),
            Self::Ended(how) => status == how,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn life(events: &[(&'static str, Value)]) -> Life {
        let after = |life: Life, (kind, body): &(&'static str, Value)| {
            life.after(&KindName::of(kind), body)
        };
        events.iter().fold(Life::default(), after)
    }

    #[test]
    fn a_life_ends_as_its_events_tell() {
        let started = ("run.started", json!({}));
        let cases = [
            (vec![], "pending", None),
            (vec![started.clone(), ("receipt", json!({}))], "waiting", None),
            (vec![started.clone(), ("run.paused", json!({}))], "paused", None),
            (
                vec![started.clone(), ("run.completed", json!({"outcome": "fell_short"}))],
                "completed",
                Some("fell_short"),
            ),
            (vec![started.clone(), ("run.failed", json!({}))], "running", None),
            (vec![started.clone(), ("run.teleported", json!({}))], "running", None),
            (
                vec![
                    started.clone(),
                    ("run.failed", json!({})),
                    ("run.ended", json!({"status": "failed"})),
                ],
                "failed",
                None,
            ),
            (
                vec![
                    ("branch.started", json!({})),
                    ("branch.paused", json!({})),
                    ("branch.cancelled", json!({})),
                    ("branch.ended", json!({"status": "cancelled"})),
                ],
                "cancelled",
                None,
            ),
            (
                vec![
                    started,
                    ("run.ended", json!({"status": "failed"})),
                    ("run.retried", json!({})),
                ],
                "running",
                None,
            ),
        ];
        for (events, status, outcome) in cases {
            let life = life(&events);
            assert!(life.is(status, outcome), "{events:?} gave {life:?}");
            assert!(!life.is("other", outcome) && !life.is("completed", Some("succeeded")));
        }
    }
}
