//! Defines the kinds of events that the engine records, and the stored name of any kind of event.

use std::borrow::Cow;
use std::fmt;

use crate::words;

words! {
    /// Kind of an event that the engine records. A domain has kinds of its own.
    pub enum EventKind {
        /// A run started. Members: `method`, `bundle` (digest of its version), `campaign`; and, where they
        /// apply, `schedule_id` and `scheduled_at`, `replaces` (the run that it replaces), `forked_from`, `shadow`,
        /// and `consent` to calls of risk T2: `starter`, or the id of the approval.
        RunStarted = "run.started",
        /// A method was chosen for a goal, and this is the plan. Members: `goal`, `method`, `rationale`, `steps` (each
        /// `{call, args, out?, foreach?}`), `success_when`, `complexity_score`.
        PlanProposed = "plan_proposed",
        /// Rules judged a call before it acted, and it is risky or a rule does not allow it. Members: `step_id`,
        /// `tool`, `decision` (the strictest), `rules` (each `{rule, decision, reason?}`).
        CallJudged = "call.judged",
        /// A run took a fallback of its goal. Members: `fallback` (index, from 0).
        RunFallback = "run.fallback",
        /// A shadow run was played to its end in a copy of the database. Members: `status` and `outcome` of
        /// the copy, `ends_at` (when it would end), `messages`, `segments`, `people`, `approvals`,
        /// `receipts` (the numbers of each; only the first ones are recorded), `beside` (the real run).
        ShadowPlayed = "shadow.played",
        /// A shadow run would send a message. Members: `message`, `key`, `kind`, `person_id`, `segments`, `at`.
        MessageWouldSend = "message.would_send",
        /// A shadow run would ask for an approval. The copy went on as if the approval were given.
        /// Members: `tool`, `risk`, `reason`, `shows`, `step_id`, `at`.
        ApprovalWouldAsk = "approval.would_ask",
        /// A run completed. Members: `outcome`.
        RunCompleted = "run.completed",
        /// A step of a run failed, and nothing caught it.
        /// Calls may still be undone before the run ends. Members: `step_id`, `code`.
        RunFailed = "run.failed",
        /// A run was cancelled. Calls may still be undone before the run ends.
        /// Members: the members of the order, such as `reason`.
        RunCancelled = "run.cancelled",
        /// A run that failed or was cancelled ended. Members: `status`.
        RunEnded = "run.ended",
        /// A run was paused. Members: the members of the order, such as `reason`.
        RunPaused = "run.paused",
        /// A paused run was resumed. Members: the members of the order.
        RunResumed = "run.resumed",
        /// The failed step of a run was retried. Members: the members of the order.
        RunRetried = "run.retried",
        /// A step was skipped by order.
        /// Members: `step_id`, `gave` (whether the order gave a result for the step).
        RunSkipped = "run.skipped",
        /// The service of a run has moved, and the run follows it. Members: `from`, `to`.
        RunMoved = "run.moved",
        /// A run was moved to another version of its method. Members: `upgrade`, `from`,
        /// `from_version`, `to`, `to_version`, `undoes` (the earlier upgrade that this one undoes).
        RunUpgraded = "run.upgraded",
        /// A run could not be moved to another version. Members: `upgrade`, `to_version`, `step_id`, `why`.
        RunUpgradeRefused = "run.upgrade_refused",
        /// As `run.started`, for a branch or a round of a step.
        BranchStarted = "branch.started",
        /// As `run.fallback`, for a branch or a round of a step.
        BranchFallback = "branch.fallback",
        /// As `run.completed`, for a branch or a round of a step.
        BranchCompleted = "branch.completed",
        /// As `run.failed`, for a branch or a round of a step.
        BranchFailed = "branch.failed",
        /// As `run.cancelled`, for a branch or a round of a step.
        BranchCancelled = "branch.cancelled",
        /// As `run.ended`, for a branch or a round of a step.
        BranchEnded = "branch.ended",
        /// As `run.paused`, for a branch or a round of a step.
        BranchPaused = "branch.paused",
        /// As `run.resumed`, for a branch or a round of a step.
        BranchResumed = "branch.resumed",
        /// As `run.retried`, for a branch or a round of a step.
        BranchRetried = "branch.retried",
        /// As `run.skipped`, for a branch or a round of a step.
        BranchSkipped = "branch.skipped",
        /// As `run.upgraded`, for a branch or a round of a step.
        BranchUpgraded = "branch.upgraded",
        /// As `run.moved`, for a branch or a round of a step.
        BranchMoved = "branch.moved",
        /// As `run.upgrade_refused`, for a branch or a round of a step.
        BranchUpgradeRefused = "branch.upgrade_refused",
        /// A call ended. Members: the members of the receipt.
        Receipt = "receipt",
        /// An attempt of a call failed, and the call will be tried again.
        /// Members: `step_id`, `attempt`, `code`, `message`, `next_at`.
        AttemptFailed = "attempt.failed",
        /// A call needs an approval, and was not carried out yet.
        /// Members: `approval_id`, `step_id`, `tool`, `scope`, `risk`, `reason`, `input` (digest), `expires_at`.
        ApprovalAsked = "approval.asked",
        /// More people were told of an approval that nobody has decided. Members: `approval_id`, `stage`.
        ApprovalReminded = "approval.reminded",
        /// An approval ended. Members: `approval_id`, `state`, `by`, `note`.
        ApprovalEnded = "approval.ended",
        /// A step failed, and an enclosing step caught the failure. Members: `step_id`, `code`.
        StepCaught = "step.caught",
        /// A call could not be undone. Members: `step_id`, `code`.
        UndoFailed = "undo.failed",
        /// An `await` step ended. Members: `step_id`.
        AwaitEnded = "await.ended",
        /// All children of a step ended. Members: `step_id`, `call_id`.
        ChildrenDone = "children.done",
        /// A run read a signal. Members: `name`, `signal_id`.
        SignalReceived = "signal.received",
        /// An order to a run changed nothing. Members: `signal`, `why`.
        SignalIgnored = "signal.ignored",
        /// An expression asked the domain for a fact. Members: `fact` (the question), `value` (the answer).
        FactRead = "fact.read",
        /// A run ended, so the messages that it had scheduled for itself were dropped. Members: `timers`.
        TimersDropped = "timers.dropped",
        /// A message that a run had scheduled for itself fell due after the run's end and was dropped.
        /// Members: `timer`, `run_id`.
        TimerDropped = "timer.dropped",
        /// An inbound message was applied.
        /// Members: `message`, `handled_as`, `ord` (position among the messages of the partition).
        InboundApplied = "inbound.applied",
        /// An inbound message could not be applied and was shown to staff. Members: `message`, `why`.
        InboundSetAside = "inbound.set_aside",
        /// A message could not be delivered. Members: `message`, `state`, `error`.
        MessageUndelivered = "message.undelivered",
        /// A version of a method was published. Members: `method`, `version`, `bundle`, `shadow`.
        MethodPublished = "method.published",
        /// A method was rolled back: its new runs start with an older version again.
        /// Members: `method`, `version`, `bundle`, `before` (the version that was active until then).
        MethodRolledBack = "method.rolled_back",
        /// A version of a method was deleted. Members: `method`, `version`.
        MethodDeleted = "method.deleted",
        /// A schedule was added. Members: `schedule_id`, `method`, `cron`, `next_at`.
        ScheduleAdded = "schedule.added",
        /// A schedule was removed. Members: `schedule_id`.
        ScheduleRemoved = "schedule.removed",
        /// A schedule missed times because no node was running. Members: `schedule_id`, `from`
        /// (the first missed time), `fired` (the missed time for which a run is started nevertheless).
        ScheduleMissed = "schedule.missed",
        /// A schedule started no run, because its previous run was live.
        /// Members: `schedule_id`, `at`, `run_id` (the live run).
        ScheduleSkipped = "schedule.skipped",
        /// A schedule could not start its run. Members: `schedule_id`, `at`, `error`.
        ScheduleFailed = "schedule.failed",
        /// The settings of a tenant changed. Members: `settings` (the changes).
        TenantChanged = "tenant.changed",
        /// The kill switch of a tenant was turned on. No members.
        TenantPaused = "tenant.paused",
        /// The kill switch of a tenant was turned off. No members.
        TenantResumed = "tenant.resumed",
        /// A token was created. Members: `token_id`, `role`, `by` (the id of the token of the client that
        /// created it, or `operator`), and `expires_at` if it expires.
        TokenCreated = "token.created",
        /// A token was revoked. Members: `token_id`, `by`.
        TokenRevoked = "token.revoked",
        /// A person was erased. Members: `person`.
        PersonErased = "person.erased",
        /// Events were redacted, because they named or quoted a person who was erased. Members: `person`, `events` (each
        /// `[stream, seq, digest]`, with the digest of the event as it is now).
        EventsRedacted = "events.redacted",
        /// The file of an archive was sealed. Members: `archive`, `path` (the name of the file), `lines` (before the
        /// seal), `digest` (of the chain of these lines), `streams` and `events` (the numbers of each).
        ArchiveSealed = "archive.sealed",
    }
}

impl EventKind {
    /// Returns the kind that records the same for a branch or a round, such as `branch.started`
    /// for `run.started`. If there is no such kind, returns `self`.
    #[must_use]
    pub const fn of_a_branch(self) -> Self {
        match self {
            Self::RunStarted => Self::BranchStarted,
            Self::RunFallback => Self::BranchFallback,
            Self::RunCompleted => Self::BranchCompleted,
            Self::RunFailed => Self::BranchFailed,
            Self::RunCancelled => Self::BranchCancelled,
            Self::RunEnded => Self::BranchEnded,
            Self::RunPaused => Self::BranchPaused,
            Self::RunResumed => Self::BranchResumed,
            Self::RunRetried => Self::BranchRetried,
            Self::RunSkipped => Self::BranchSkipped,
            Self::RunUpgraded => Self::BranchUpgraded,
            Self::RunMoved => Self::BranchMoved,
            Self::RunUpgradeRefused => Self::BranchUpgradeRefused,
            other => other,
        }
    }
}

/// The stored name of an event's kind: a kind of the engine ([`EventKind`]), a kind of the domain,
/// or a kind that only another version of this program knows.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct KindName(Cow<'static, str>);

impl KindName {
    /// Creates the name of a kind that a domain defines.
    #[must_use]
    pub const fn of(kind: &'static str) -> Self {
        Self(Cow::Borrowed(kind))
    }

    /// Creates a name from its stored string.
    #[must_use]
    pub const fn stored(kind: String) -> Self {
        Self(Cow::Owned(kind))
    }

    /// Returns the name as a string, such as `run.started`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<EventKind> for KindName {
    fn from(kind: EventKind) -> Self {
        Self::of(kind.as_str())
    }
}

impl PartialEq<EventKind> for KindName {
    fn eq(&self, kind: &EventKind) -> bool {
        self.as_str() == kind.as_str()
    }
}

impl fmt::Display for KindName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for KindName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happens_to_a_run_may_happen_to_a_branch() {
        for kind in EventKind::ALL.iter().copied() {
            let of_a_branch = match kind.as_str().strip_prefix("run.") {
                Some(what) => format!("branch.{what}"),
                None => kind.to_string(),
            };
            assert_eq!(kind.of_a_branch().as_str(), of_a_branch);
        }
    }

    #[test]
    fn a_kind_that_only_a_newer_version_has_keeps_its_name() {
        let unknown = KindName::stored("run.teleported".to_owned());
        assert_eq!(EventKind::parse(unknown.as_str()), None);
        assert_eq!(unknown.to_string(), "run.teleported");
        assert!(KindName::stored("receipt".to_owned()) == EventKind::Receipt);
    }
}
