//! Describes how far a call that waits for an approval has got, and decides what follows.

use serde::{Deserialize, Serialize};

use super::gate::ApprovalScope;
use super::joint::FrozenCall;
use crate::base::{ApprovalId, Problem, Span, Timestamp};
use crate::contract::Risk;
use crate::planted::PlantedFault;

/// The code of the problem of a call that somebody refused.
pub const DENIED: &str = "denied";
/// The code of the problem of a call that nobody decided in time.
pub const APPROVAL_EXPIRED: &str = "approval_expired";

/// A call that waits for an approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalWait {
    /// Id of the approval.
    pub id: ApprovalId,
    /// What the approval covers.
    #[serde(default = "one_call")]
    pub scope: ApprovalScope,
    /// Risk of the call, as the gate judged it.
    pub risk: Risk,
    /// First time at which the people who decide may be told: the approval was asked for then, or in the quiet hours
    /// before.
    pub since: Timestamp,
    /// How long the approval may take.
    pub window: Span,
    /// Who has been asked by now.
    pub stage: ApprovalStage,
    /// The calls that the approval covers beside this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<FrozenCall>,
}

/// The scope of an approval that was stored before an approval could cover a run.
const fn one_call() -> ApprovalScope {
    ApprovalScope::Call
}

/// The approval that a call has. It approves the stored arguments of the call, and those of the calls in `then`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenApproval {
    /// Id of the approval.
    pub id: ApprovalId,
    /// Risk of the call, as the gate judged it.
    pub risk: Risk,
    /// The calls that the approval covers after this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<FrozenCall>,
}

/// Who has been asked for an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalStage {
    /// The first approver.
    Asked,
    /// The first approver, for a second time.
    Reminded,
    /// All approvers.
    Escalated,
}

crate::words! {
    /// What a person decided about an approval.
    pub enum ApprovalDecision {
        /// The call may be carried out.
        Approve = "approve",
        /// The call must not be carried out.
        Deny = "deny",
    }
}

/// What follows for a call that waits for an approval.
#[derive(Debug, Clone, PartialEq)]
pub enum AfterAsking {
    /// The call is carried out.
    Act,
    /// The call has failed.
    Fail(Problem),
    /// More people are told, and the call goes on waiting.
    Tell(ApprovalStage),
    /// The call waits until this time, or until somebody decides.
    Wait(Timestamp),
}

impl ApprovalWait {
    /// Returns the time after which the approval counts as refused.
    #[must_use]
    pub fn expires_at(&self) -> Timestamp {
        self.since + self.window
    }

    /// Returns the time of a stage: the reminder comes after half of the window, the escalation after three
    /// quarters.
    fn begins(&self, stage: ApprovalStage) -> Timestamp {
        let quarters = match stage {
            ApprovalStage::Asked => 0,
            ApprovalStage::Reminded => 2,
            ApprovalStage::Escalated => 3,
        };
        self.since + Span::from_micros(self.window.micros() / 4 * quarters)
    }

    /// Decides what follows at the instant `now`, if `decision` is known.
    #[must_use]
    pub fn after(&self, decision: Option<&Decided>, now: Timestamp) -> AfterAsking {
        match decision {
            Some(Decided { decision: ApprovalDecision::Approve, .. }) => return AfterAsking::Act,
            Some(denied) => return AfterAsking::Fail(denied.problem()),
            None => {}
        }
        if now >= self.expires_at() {
            if PlantedFault::ExpiryApproves.is_active() {
                return AfterAsking::Act;
            }
            let message = format!("nobody decided within {}, so it counts as refused", self.window);
            return AfterAsking::Fail(Problem::caller(APPROVAL_EXPIRED, message).with_hint(
                "catch the code with `on_error`, raise `approval_window`, or start the run again",
            ));
        }
        let later = [ApprovalStage::Escalated, ApprovalStage::Reminded];
        let stage = later.into_iter().find(|stage| now >= self.begins(*stage));
        if let Some(stage) = stage.filter(|stage| *stage > self.stage) {
            return AfterAsking::Tell(stage);
        }
        let next = match self.stage {
            ApprovalStage::Asked => self.begins(ApprovalStage::Reminded),
            ApprovalStage::Reminded => self.begins(ApprovalStage::Escalated),
            ApprovalStage::Escalated => self.expires_at(),
        };
        AfterAsking::Wait(next)
    }
}

/// A decision about an approval, as the run receives it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided {
    /// What was decided.
    pub decision: ApprovalDecision,
    /// Who decided it.
    pub by: String,
    /// Why, if the person said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Decided {
    /// Returns the name of the signal that carries the decision about an approval. No method can name it.
    #[must_use]
    pub fn signal_name(id: ApprovalId) -> String {
        format!("#decided {id}")
    }

    fn problem(&self) -> Problem {
        let reason = self.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
        Problem::caller(DENIED, format!("{} refused it{reason}", self.by))
            .with_hint("catch the code with `on_error`, or ask again for something else")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::TypedId as _;

    const HOUR: i64 = 3_600;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    fn wait(stage: ApprovalStage) -> ApprovalWait {
        let id = ApprovalId::from_uuid(uuid::Uuid::nil());
        let (scope, window) = (ApprovalScope::Call, Span::from_secs(4 * HOUR));
        ApprovalWait { id, scope, risk: Risk::T3, since: at(0), window, stage, then: Vec::new() }
    }

    fn decided(decision: ApprovalDecision) -> Decided {
        Decided { decision, by: "Ruth".to_owned(), reason: Some("too many".to_owned()) }
    }

    #[test]
    fn a_reminder_an_escalation_and_the_end_come_in_turn() {
        use ApprovalStage::{Asked, Escalated, Reminded};
        let cases = [
            (Asked, 0, AfterAsking::Wait(at(2 * HOUR))),
            (Asked, 2 * HOUR, AfterAsking::Tell(Reminded)),
            (Reminded, 2 * HOUR, AfterAsking::Wait(at(3 * HOUR))),
            (Reminded, 3 * HOUR, AfterAsking::Tell(Escalated)),
            (Asked, 3 * HOUR + 60, AfterAsking::Tell(Escalated)), // all processes were down
            (Escalated, 3 * HOUR, AfterAsking::Wait(at(4 * HOUR))),
        ];
        for (stage, now, wanted) in cases {
            assert_eq!(wait(stage).after(None, at(now)), wanted, "{stage:?} at {now}");
        }
        let AfterAsking::Fail(expired) = wait(Escalated).after(None, at(4 * HOUR)) else {
            panic!()
        };
        assert_eq!(expired.code, APPROVAL_EXPIRED);
        assert!(!expired.is_transient());
    }

    #[test]
    fn a_decision_counts_whenever_the_run_reads_it() {
        let asked = wait(ApprovalStage::Asked);
        for now in [1, 5 * HOUR] {
            let approved = decided(ApprovalDecision::Approve);
            assert_eq!(asked.after(Some(&approved), at(now)), AfterAsking::Act);
            let denied = decided(ApprovalDecision::Deny);
            let AfterAsking::Fail(problem) = asked.after(Some(&denied), at(now)) else { panic!() };
            assert_eq!((&*problem.code, &*problem.message), (DENIED, "Ruth refused it: too many"));
        }
    }
}
