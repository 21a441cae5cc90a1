//! Defines the types of a parsed scenario.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use abide_engine::base::{Span, Timestamp, Value};
use abide_engine::ledger::ReceiptStatus;
use abide_engine::store::DeliveryState;
use abide_engine::words;
use abide_verbs::assignment::AssignmentState;
use abide_verbs::request::RequestStatus;

use super::{
    AnswerCount, AskStep, CrashPoint, ExpectedGoals, ExpectedOutcome, OperatorStep, StepKind,
};

/// A position in the scenario file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct SourcePosition {
    /// Line in the file, counted from 1.
    pub line: u32,
    /// First column of the value, counted from 1.
    pub col: u32,
    /// Column after the last character of the value, on the same line.
    pub end_col: u32,
}

/// A scenario: its people, its scenario steps and its expectations.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// The scenario's name.
    pub name: String,
    /// A sentence that describes the scenario, if the author gave one.
    pub description: Option<String>,
    /// The name of the file, as given by the caller.
    pub file: String,
    /// The virtual time at which the simulation starts.
    pub start: Timestamp,
    /// The IANA name of the tenant's time zone.
    pub zone: String,
    /// The default seed for ids and all other random values.
    pub seed: u64,
    /// The directory of the scenario's own tenant.
    pub people: People,
    /// The initial settings that differ from the defaults.
    pub config: BTreeMap<String, Value>,
    /// Other tenants of the same engine. Scenario files cannot define any; the swarm adds them.
    pub other_tenants: Vec<OtherTenant>,
    /// The scenario steps, in order of time; those at the same instant are in file order.
    pub steps: Vec<ScenarioStep>,
    /// The expectations, in file order.
    pub expect: Vec<Expectation>,
}

/// A tenant besides the scenario's own, on the same engine, with a directory and settings of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct OtherTenant {
    /// The tenant's id.
    pub tenant: Arc<str>,
    /// The IANA name of the tenant's time zone.
    pub zone: String,
    /// The tenant's directory of people.
    pub people: People,
    /// Settings that differ from those of the scenario's own tenant.
    pub config: BTreeMap<String, Value>,
}

/// The people in a tenant's directory when the simulation starts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct People {
    /// The demo directory to load, if any.
    pub demo: Option<DemoDirectory>,
    /// The people whom the scenario defines, besides those of the demo directory.
    pub own: Vec<OwnPerson>,
}

words! {
    /// The demo directories.
    pub enum DemoDirectory {
        /// A church with Pat, who is staff, and the nursery pool Ana … Lee.
        Church = "church",
        /// A plumber and roofer in Australia with Pat, who is staff, and the leads Amy … Finn.
        Trade = "trade",
    }
}

/// A person whom the scenario defines.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnPerson {
    /// The name by which the scenario refers to this person.
    pub name: String,
    /// Phone number of the person, in E.164.
    pub phone: String,
    /// All data of the person, in the form of the body of `POST /v1/people`.
    pub record: Value,
    /// Position of the person in the file.
    pub place: SourcePosition,
}

/// A scenario step: an event that comes from outside the engine at a given time.
#[derive(Debug, Clone, PartialEq)]
pub struct ScenarioStep {
    /// Elapsed time from the scenario's `start` to this scenario step.
    /// A `clock` step moves the wall clock but not the elapsed time.
    pub at: Span,
    /// The event, as an action that the simulator carries out.
    pub action: Action,
    /// The other tenant that the scenario step concerns; `None` means the scenario's own tenant.
    pub tenant: Option<Arc<str>>,
    /// Position of the scenario step in the file.
    pub place: SourcePosition,
}

/// A reference to a person: `staff`, `A` … `L`, a name or a phone number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonRef {
    /// The reference as written in the file.
    pub text: String,
    /// Position in the file at which the reference is written.
    pub place: SourcePosition,
}

impl fmt::Display for PersonRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The action of a scenario step.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// One person sends a message (`text`), or several people send the same message (`reply`).
    Text(TextStep),
    /// A run is started, as by `POST /v1/runs`.
    Start(StartStep),
    /// A run is sent a signal.
    Signal(SignalStep),
    /// A person decides about the oldest open approval.
    Decide {
        /// Whether the approval is granted.
        approve: bool,
        /// The person who decides.
        by: PersonRef,
    },
    /// The roles of a person change.
    Roles {
        /// The person.
        of: PersonRef,
        /// All roles that the person has from then on.
        roles: Vec<String>,
    },
    /// The gateway reports the delivery state of a message.
    Status(StatusStep),
    /// A run is paused or resumed, or the tenant's kill switch is turned on or off.
    Hold {
        /// True for `pause`, false for `resume`.
        pause: bool,
        /// The name that an earlier scenario step gave to the run, with the key `as` of the step;
        /// `None` means the tenant's kill switch.
        run: Option<String>,
    },
    /// The capacity of a resource that runs reserve is set.
    Capacity {
        /// The key of the resource.
        key: String,
        /// The new capacity.
        total: u64,
    },
    /// A run is cancelled.
    Cancel {
        /// The name that an earlier scenario step gave to the run, with the key `as` of the step;
        /// `None` means the run that was started last.
        run: Option<String>,
    },
    /// The process crashes and a new one starts.
    Crash(CrashStep),
    /// The wall clock jumps forward or back while no time elapses.
    Clock {
        /// The size of the jump; negative is backwards.
        by: Span,
    },
    /// Settings change.
    Config(BTreeMap<String, Value>),
    /// A person sends a message to the operator.
    Operator(OperatorStep),
    /// A person asks the assistant something.
    Ask(AskStep),
    /// A version of a method is published.
    Publish(PublishStep),
    /// No event comes from outside; time passes until the instant of this scenario step.
    Advance,
}

impl Action {
    /// Returns the kind of the scenario step. The kind determines the key of the step in the file.
    #[must_use]
    pub fn kind(&self) -> StepKind {
        match self {
            Self::Text(text) if text.several => StepKind::Reply,
            Self::Text(_) => StepKind::Text,
            Self::Start(_) => StepKind::Start,
            Self::Signal(_) => StepKind::Signal,
            Self::Decide { approve: true, .. } => StepKind::Approve,
            Self::Decide { .. } => StepKind::Deny,
            Self::Roles { .. } => StepKind::Roles,
            Self::Status(_) => StepKind::Status,
            Self::Hold { pause: true, .. } => StepKind::Pause,
            Self::Hold { .. } => StepKind::Resume,
            Self::Cancel { .. } => StepKind::Cancel,
            Self::Capacity { .. } => StepKind::Capacity,
            Self::Crash(_) => StepKind::Crash,
            Self::Clock { .. } => StepKind::Clock,
            Self::Config(_) => StepKind::Config,
            Self::Operator(_) => StepKind::Operator,
            Self::Ask(_) => StepKind::Ask,
            Self::Publish(_) => StepKind::Publish,
            Self::Advance => StepKind::Advance,
        }
    }

    /// Returns the people whom the scenario step names.
    #[must_use]
    pub fn people(&self) -> Vec<&PersonRef> {
        match self {
            Self::Text(text) => text.from.iter().collect(),
            Self::Decide { by, .. } => vec![by],
            Self::Roles { of, .. } => vec![of],
            Self::Status(status) => vec![&status.to],
            Self::Operator(operator) => vec![&operator.from],
            Self::Ask(ask) => vec![&ask.from],
            Self::Start(_) | Self::Signal(_) | Self::Hold { .. } | Self::Cancel { .. } => {
                Vec::new()
            }
            Self::Capacity { .. } | Self::Crash(_) | Self::Clock { .. } => Vec::new(),
            Self::Config(_) | Self::Publish(_) | Self::Advance => Vec::new(),
        }
    }

    /// Returns the name that the scenario step gives to the run that the step starts;
    /// `None` if the step gives no name.
    #[must_use]
    pub fn names_run(&self) -> Option<&str> {
        match self {
            Self::Text(text) => text.name.as_deref(),
            Self::Start(start) => start.name.as_deref(),
            Self::Operator(operator) => operator.name.as_deref(),
            Self::Signal(_) | Self::Decide { .. } | Self::Status(_) | Self::Hold { .. } => None,
            Self::Roles { .. } | Self::Capacity { .. } | Self::Cancel { .. } => None,
            Self::Crash(_) | Self::Clock { .. } | Self::Ask(_) => None,
            Self::Config(_) | Self::Publish(_) | Self::Advance => None,
        }
    }

    /// Returns the name by which this scenario step refers to a run. An earlier scenario step gave the
    /// run this name. Returns `None` if this step refers to no run by name.
    #[must_use]
    pub fn uses_run(&self) -> Option<&str> {
        match self {
            Self::Signal(signal) => signal.run.as_deref(),
            Self::Cancel { run } | Self::Hold { run, .. } => run.as_deref(),
            Self::Text(_) | Self::Start(_) | Self::Decide { .. } | Self::Status(_) => None,
            Self::Roles { .. } | Self::Capacity { .. } | Self::Crash(_) | Self::Clock { .. } => {
                None
            }
            Self::Operator(_) | Self::Ask(_) => None,
            Self::Config(_) | Self::Publish(_) | Self::Advance => None,
        }
    }

    /// Returns references to the names of runs and sessions, and to the ids and keys of messages, in
    /// the scenario step, so that the caller can make them unique.
    pub(crate) fn own_names(&mut self) -> Vec<&mut Option<String>> {
        match self {
            Self::Text(text) => vec![&mut text.name, &mut text.id],
            Self::Start(start) => vec![&mut start.name],
            Self::Signal(signal) => vec![&mut signal.run],
            Self::Cancel { run } | Self::Hold { run, .. } => vec![run],
            Self::Operator(operator) => {
                vec![&mut operator.name, &mut operator.session, &mut operator.key]
            }
            Self::Ask(ask) => vec![&mut ask.session, &mut ask.key],
            Self::Decide { .. } | Self::Roles { .. } | Self::Status(_) => Vec::new(),
            Self::Capacity { .. } => Vec::new(),
            Self::Crash(_) | Self::Clock { .. } | Self::Config(_) => Vec::new(),
            Self::Publish(_) | Self::Advance => Vec::new(),
        }
    }
}

/// A message that one or more people send at the same instant, one person after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct TextStep {
    /// The senders, in the order in which they send the message.
    pub from: Vec<PersonRef>,
    /// The body of the message.
    pub body: String,
    /// The gateway's message id. A repeated id means that the same message is delivered again.
    pub id: Option<String>,
    /// When the gateway received the message,
    /// as elapsed time since `start`; `None` means the instant of the scenario step.
    pub received_at: Option<Span>,
    /// The name that the scenario step gives to the run that the message starts.
    pub name: Option<String>,
    /// Whether the scenario step has the key `reply` instead of `text`. The key `reply` allows several
    /// senders.
    pub several: bool,
}

/// The data of a `start` step: the parameters of `POST /v1/runs`.
#[derive(Debug, Clone, PartialEq)]
pub struct StartStep {
    /// The method's name.
    pub method: String,
    /// The goal of the run.
    pub goal: Value,
    /// Variables that are set when the run starts.
    pub vars: BTreeMap<String, Value>,
    /// Whether the run is a shadow, which does nothing but report what it would do.
    pub dry_run: bool,
    /// A name by which later scenario steps and the expectations refer to this run.
    pub name: Option<String>,
}

/// The data of a `signal` step: the parameters of `POST /v1/runs/{id}/signal`.
#[derive(Debug, Clone, PartialEq)]
pub struct SignalStep {
    /// The name that an earlier scenario step gave to the run, with the key `as` of the step;
    /// `None` means the run that was started last.
    pub run: Option<String>,
    /// The signal's name.
    pub name: String,
    /// The signal's data.
    pub data: Value,
    /// The idempotency key of the signal; with `None`, the simulator creates a new key.
    pub key: Option<String>,
}

/// The data of a `status` step: a delivery report of the gateway about a message.
#[derive(Debug, Clone, PartialEq)]
pub struct StatusStep {
    /// The recipient of the message.
    pub to: PersonRef,
    /// The template of the message.
    pub template: String,
    /// The carrier's error code, if any.
    pub code: Option<String>,
    /// The delivery state that the gateway reports; `None` means undelivered.
    pub state: Option<DeliveryState>,
}

/// The data of a `crash` step: where the process crashes, and how long no process runs after the crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrashStep {
    /// The kind of point at which the process crashes.
    pub at: CrashPoint,
    /// If this is `n`, the process crashes at the n-th such point after this scenario step, counted from 1.
    pub nth: u32,
    /// The time after the crash during which no process runs.
    /// Messages that people send in this time wait at the provider.
    pub down: Span,
}

/// The data of a `publish` step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishStep {
    /// Where the YAML source of the method is.
    pub source: MethodSource,
    /// Whether new runs go on with the version before, each accompanied by a shadow run of the new version.
    pub shadow: bool,
}

/// Where the YAML source of a published method is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MethodSource {
    /// A file that contains the source. Its path is relative to the folder of the scenario file.
    File(PathBuf),
    /// The source itself.
    Yaml(String),
}

/// A condition that must hold at a given time of the simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// When the expectation is checked, as elapsed time since `start`; `None` means at the end.
    pub at: Option<Span>,
    /// The name of the run that the expectation concerns. A scenario step gave the run this name with the
    /// key `as`. `None` means the run that was started last.
    pub run: Option<String>,
    /// The condition to check.
    pub condition: Condition,
    /// Position of the expectation in the file.
    pub place: SourcePosition,
}

/// The condition of an expectation. A condition about a run or its request concerns [`Expectation::run`].
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// Number of people by role and state in the run's request.
    Counts(RoleCounts),
    /// Number of messages that the provider accepted.
    Messages(MessageCount),
    /// Number of messages that shadow runs would have sent.
    WouldSend(MessageCount),
    /// The run's outcome.
    Outcome(ExpectedOutcome),
    /// The status of the run's request.
    RequestStatus(RequestStatus),
    /// Number of receipts of the run.
    Receipts(ReceiptCount),
    /// The state of a person for a role of the run's request.
    Holds {
        /// The person.
        person: PersonRef,
        /// The role.
        role: String,
        /// The expected state; `accepted` unless the file says otherwise.
        state: AssignmentState,
    },
    /// Number of answers to questions.
    Answers(AnswerCount),
    /// The active goals of a person's conversations.
    Goals(ExpectedGoals),
    /// Number of stuck runs: runs that should have continued by now but did not.
    Stuck(u64),
    /// The audit finds no broken invariant.
    AuditClean,
}

/// Number of people by role and state.
pub type RoleCounts = BTreeMap<String, BTreeMap<AssignmentState, u64>>;

/// The data of a `messages` expectation: a selection of messages, and their expected number.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageCount {
    /// The recipient; `None` means any recipient.
    pub to: Option<PersonRef>,
    /// The template; `None` means any template.
    pub template: Option<String>,
    /// A string that the body contains; `None` means any body.
    pub contains: Option<String>,
    /// The expected number of messages.
    pub times: u64,
}

/// The data of a `receipts` expectation: a selection of receipts, and their expected number.
#[derive(Debug, Clone, PartialEq)]
pub struct ReceiptCount {
    /// The verb whose receipts are counted.
    pub tool: String,
    /// The status of the receipts; `None` means any status.
    pub status: Option<ReceiptStatus>,
    /// Whether an earlier call with the same key had answered; `None` means either.
    pub idempotency_hit: Option<bool>,
    /// The expected number of receipts.
    pub times: u64,
}
