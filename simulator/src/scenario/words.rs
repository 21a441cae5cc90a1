//! The words of the scenario format. Each list of words is declared only in this file.
//! The reader, the JSON Schema and the documentation are built from these lists or checked against them.

use abide_agent::agenda::GoalType;
use abide_engine::ledger::ReceiptStatus;
use abide_engine::store::DeliveryState;
use abide_engine::words;
use abide_judgement::operator::OperatorMode;
use abide_verbs::assignment::AssignmentState;
use abide_verbs::request::RequestStatus;

use super::DemoDirectory;

words! {
    /// The kinds of step, by the key under which a step is written.
    pub enum StepKind {
        /// One person sends a text.
        Text = "text",
        /// One or more people send the same text.
        Reply = "reply",
        /// A run is started.
        Start = "start",
        /// A run is sent a signal.
        Signal = "signal",
        /// A run is cancelled.
        Cancel = "cancel",
        /// The oldest open approval is granted by a person whose role may.
        Approve = "approve",
        /// The oldest open approval is denied by a person whose role may.
        Deny = "deny",
        /// The roles of a person change; roles that are not listed are lost.
        Roles = "roles",
        /// The gateway reports the delivery state of a message.
        Status = "status",
        /// The tenant, or one run, is paused.
        Pause = "pause",
        /// The tenant, or one run, is resumed.
        Resume = "resume",
        /// The process crashes and a new one starts.
        Crash = "crash",
        /// The wall clock jumps while no time passes.
        Clock = "clock",
        /// Settings change.
        Config = "config",
        /// The capacity of a resource that runs reserve is set.
        Capacity = "capacity",
        /// A person sends a message to the operator.
        Operator = "operator",
        /// A person asks the assistant something.
        Ask = "ask",
        /// A version of a method is published.
        Publish = "publish",
        /// Time passes.
        Advance = "advance",
    }
}

words! {
    /// The kinds of expectation, by the key under which an expectation is written.
    pub enum ExpectationKind {
        /// Number of people by role and state, in the run's request.
        Counts = "counts",
        /// Number of messages that the provider accepted.
        Messages = "messages",
        /// Number of messages that shadow runs would have sent.
        WouldSend = "would_send",
        /// The run's outcome.
        Outcome = "outcome",
        /// The status of the run's request.
        RequestStatus = "request_status",
        /// Number of receipts of the run.
        Receipts = "receipts",
        /// The state of a person for a role.
        Holds = "holds",
        /// Number of answers to questions.
        Answers = "answers",
        /// The active goals of a person's conversations.
        Goals = "goals",
        /// Number of stuck runs.
        Stuck = "stuck",
        /// The audit finds no breach.
        Audit = "audit",
    }
}

words! {
    /// The points at which a process can crash.
    pub enum CrashPoint {
        /// Immediately, between two commits.
        Now = "now",
        /// At a commit; the seed decides whether before or after it.
        NextCommit = "next_commit",
        /// Just before a commit: the work is done, and nothing of it is committed.
        BeforeCommit = "before_commit",
        /// Just after a commit: the work is committed, and no caller has been answered.
        AfterCommit = "after_commit",
        /// Just after the provider has accepted a message: its answer is lost.
        AfterSend = "after_send",
    }
}

words! {
    /// How a run is expected to have ended.
    pub enum ExpectedOutcome {
        /// The run reached its goal.
        Succeeded = "succeeded",
        /// The run completed without reaching its goal.
        FellShort = "fell_short",
        /// The run failed.
        Failed = "failed",
        /// The run was cancelled.
        Cancelled = "cancelled",
        /// The run has not ended.
        Open = "open",
    }
}

words! {
    /// The sources of a published method, by the key of `publish`.
    pub enum PublishKey {
        /// A file.
        File = "file",
        /// The YAML source itself.
        Yaml = "yaml",
    }
}

words! {
    /// The findings of the audit that a scenario can expect.
    pub enum AuditWord {
        /// The audit finds no broken invariant.
        Clean = "clean",
    }
}

/// The values that a member of a mapping may have, and the string for each value.
pub(super) struct Words<T: 'static> {
    all: &'static [T],
    text: fn(T) -> &'static str,
}

impl<T: Copy> Words<T> {
    const fn new(all: &'static [T], text: fn(T) -> &'static str) -> Self {
        Self { all, text }
    }

    /// Returns the strings of all values, in the order in which the values are declared.
    pub(super) fn texts(&self) -> Vec<&'static str> {
        self.all.iter().map(|word| (self.text)(*word)).collect()
    }

    /// Returns the value with this string, if there is one.
    pub(super) fn find(&self, text: &str) -> Option<T> {
        self.all.iter().copied().find(|word| (self.text)(*word) == text)
    }
}

pub(super) const STEPS: Words<StepKind> = Words::new(StepKind::ALL, StepKind::as_str);
pub(super) const EXPECTATIONS: Words<ExpectationKind> =
    Words::new(ExpectationKind::ALL, ExpectationKind::as_str);
pub(super) const CRASH_POINTS: Words<CrashPoint> = Words::new(CrashPoint::ALL, CrashPoint::as_str);
/// The key of `publish` that tries a version beside the runs of the version before.
pub(super) const SHADOW: &str = "shadow";
pub(super) const PUBLISH_KEYS: Words<PublishKey> = Words::new(PublishKey::ALL, PublishKey::as_str);
pub(super) const AUDITS: Words<AuditWord> = Words::new(AuditWord::ALL, AuditWord::as_str);
pub(super) const DEMOS: Words<DemoDirectory> =
    Words::new(DemoDirectory::ALL, DemoDirectory::as_str);
pub(super) const OUTCOMES: Words<ExpectedOutcome> =
    Words::new(ExpectedOutcome::ALL, ExpectedOutcome::as_str);
pub(super) const ASSIGNMENT_STATES: Words<AssignmentState> =
    Words::new(AssignmentState::ALL, AssignmentState::as_str);
pub(super) const REQUEST_STATUSES: Words<RequestStatus> =
    Words::new(RequestStatus::ALL, RequestStatus::as_str);
pub(super) const RECEIPT_STATUSES: Words<ReceiptStatus> = Words::new(
    &[
        ReceiptStatus::Succeeded,
        ReceiptStatus::Failed,
        ReceiptStatus::NotConfigured,
        ReceiptStatus::Shadowed,
    ],
    ReceiptStatus::as_str,
);
pub(super) const OPERATOR_MODES: Words<OperatorMode> =
    Words::new(OperatorMode::ALL, OperatorMode::as_str);
pub(super) const GOAL_TYPES: Words<GoalType> = Words::new(GoalType::ALL, GoalType::as_str);
pub(super) const DELIVERY_STATES: Words<DeliveryState> =
    Words::new(&DeliveryState::ALL, DeliveryState::as_str);
