//! What a scenario says, once it has been read and found sound.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use abide_engine::base::{Span, Timestamp, Value};

/// A place in the scenario's file, in characters from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Place {
    /// Line, from 1.
    pub line: u32,
    /// First column, from 1.
    pub col: u32,
    /// Column after the last character, on the same line.
    pub end_col: u32,
}

/// A story to be played: who there is, what happens when, and what must then be true.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// The scenario's name.
    pub name: String,
    /// One sentence for people, if the author gave one.
    pub description: Option<String>,
    /// The file as it was named by whoever asked.
    pub file: String,
    /// Virtual now when the story begins.
    pub start: Timestamp,
    /// The IANA name of the tenant's time zone.
    pub zone: String,
    /// Seed of ids and of everything that is left to chance.
    pub seed: u64,
    /// Who there is.
    pub people: People,
    /// Settings that differ from the defaults, from the start.
    pub config: BTreeMap<String, Value>,
    /// Other tenants of the same engine. No file has any: the swarm adds them.
    pub neighbours: Vec<Neighbour>,
    /// What happens, in order of time; steps of one instant in file order.
    pub steps: Vec<Step>,
    /// What must be true, in file order.
    pub expect: Vec<Expectation>,
}

/// Another tenant of the same engine, with a directory and settings of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbour {
    /// The tenant's id.
    pub tenant: Arc<str>,
    /// The IANA name of its time zone.
    pub zone: String,
    /// Who there is.
    pub people: People,
    /// Settings that differ from those of the story's own tenant.
    pub config: BTreeMap<String, Value>,
}

/// The directory that a scenario begins with.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct People {
    /// A demo directory.
    pub demo: Option<Demo>,
    /// People of the scenario's own, in the form of `POST /v1/people`.
    pub own: Vec<OwnPerson>,
}

/// The demo directories that exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demo {
    /// Pat and the nursery pool Ana … Lee.
    Church,
    /// The trade's records; a later feature.
    Trade,
}

/// One person of the scenario's own.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnPerson {
    /// How the scenario refers to this person.
    pub name: String,
    /// E.164.
    pub phone: String,
    /// The whole object as `POST /v1/people` takes it.
    pub record: Value,
    /// Where it stands.
    pub place: Place,
}

/// Something that happens from outside, at an instant.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Elapsed time since `start`; the wall clock may differ after a `clock` step.
    pub at: Span,
    /// What happens.
    pub action: Action,
    /// The neighbour at whose it happens; at the story's own tenant without it.
    pub tenant: Option<Arc<str>>,
    /// Where it stands.
    pub place: Place,
}

/// A person as a scenario names one: `staff`, `A` … `L`, a name or a phone number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Who {
    /// As written.
    pub text: String,
    /// Where it stands.
    pub place: Place,
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Everything that a step can do.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// A text from one person. `reply` is the same from several.
    Text(Text),
    /// A run is started as by `POST /v1/runs`.
    Start(Start),
    /// A signal to a run.
    Signal(SignalStep),
    /// An approval is given or refused.
    Decide {
        /// Approved, or denied.
        approve: bool,
        /// By whom.
        by: Who,
    },
    /// The gateway reports what became of a message.
    Status(StatusStep),
    /// The kill switch of the tenant, or one run, if it is named, is stopped or let go.
    Hold {
        /// True for `pause`, false for `resume`.
        pause: bool,
        /// One run by its `as`; the tenant without it.
        run: Option<String>,
    },
    /// How much there is of something that runs reserve.
    Capacity {
        /// What it is called.
        key: String,
        /// How much there is from now on.
        total: u64,
    },
    /// A run is cancelled.
    Cancel {
        /// By its `as`; the run started last without it.
        run: Option<String>,
    },
    /// The process dies and a new one starts.
    Crash(Crash),
    /// The wall clock jumps, forwards or backwards, while no time passes.
    Clock {
        /// In microseconds; negative is backwards.
        by: Span,
    },
    /// Settings change.
    Config(BTreeMap<String, Value>),
    /// A method's text is published.
    Publish(Publish),
    /// Nothing from outside: time passes until this instant.
    Advance,
}

impl Action {
    /// The key that the step was written with.
    #[must_use]
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Text(text) if text.several => "reply",
            Self::Text(_) => "text",
            Self::Start(_) => "start",
            Self::Signal(_) => "signal",
            Self::Decide { approve: true, .. } => "approve",
            Self::Decide { .. } => "deny",
            Self::Status(_) => "status",
            Self::Hold { pause: true, .. } => "pause",
            Self::Hold { .. } => "resume",
            Self::Cancel { .. } => "cancel",
            Self::Capacity { .. } => "capacity",
            Self::Crash(_) => "crash",
            Self::Clock { .. } => "clock",
            Self::Config(_) => "config",
            Self::Publish(_) => "publish",
            Self::Advance => "advance",
        }
    }
}

/// One text from each of some people, in that order, at one instant.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    /// Who writes.
    pub from: Vec<Who>,
    /// What they write.
    pub body: String,
    /// The gateway's message id; the same id again is the same message delivered again.
    pub id: Option<String>,
    /// When the gateway received it, as elapsed time since `start`; when it is delivered without it.
    pub received_at: Option<Span>,
    /// A name for the run that this text starts.
    pub name: Option<String>,
    /// True where it was written as `reply`.
    pub several: bool,
}

/// `start`: as `POST /v1/runs`.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// The method's name.
    pub method: String,
    /// The goal.
    pub goal: Value,
    /// Variables that are set from the start.
    pub vars: BTreeMap<String, Value>,
    /// Shadow mode.
    pub dry_run: bool,
    /// A name by which later steps and expectations mean this run.
    pub name: Option<String>,
}

/// `signal`: as `POST /v1/runs/{id}/signal`.
#[derive(Debug, Clone, PartialEq)]
pub struct SignalStep {
    /// The run's `as`; the run started last without it.
    pub run: Option<String>,
    /// The signal's name.
    pub name: String,
    /// What it carries.
    pub data: Value,
    /// Deduplicates.
    pub key: Option<String>,
}

/// `status`: a gateway's callback about a message.
#[derive(Debug, Clone, PartialEq)]
pub struct StatusStep {
    /// To whom the message went.
    pub to: Who,
    /// Its template.
    pub template: String,
    /// The carrier's error code.
    pub code: Option<String>,
    /// The state that the gateway reports.
    pub state: Option<String>,
}

/// `crash`: where the process dies, and how long it stays down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crash {
    /// The point.
    pub at: CrashPoint,
    /// The how-manieth such point from here, from 1.
    pub nth: u32,
    /// How long nothing runs; texts of that time wait at the provider.
    pub down: Span,
}

/// The points at which a process can be made to die.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrashPoint {
    /// At once, between two commits.
    Now,
    /// At the next commit; the seed decides on which side of it.
    NextCommit,
    /// The work is done and nothing of it is committed.
    BeforeCommit,
    /// It is committed and nobody has been told.
    AfterCommit,
    /// The provider has accepted a message and the answer is lost.
    AfterSend,
}

/// `publish`: where the method's text comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Publish {
    /// A file, relative to the scenario's folder.
    File(PathBuf),
    /// The text itself.
    Yaml(String),
}

/// One thing that must be true.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation {
    /// When it is looked at, as elapsed time since `start`; at the end without it.
    pub at: Option<Span>,
    /// The run that is meant, by its `as`; the run started last without it.
    pub run: Option<String>,
    /// What must be true.
    pub claim: Claim,
    /// Where it stands.
    pub place: Place,
}

/// Everything that can be expected.
#[derive(Debug, Clone, PartialEq)]
pub enum Claim {
    /// How many people of a role are in a state, in the run's request.
    Counts(BTreeMap<String, BTreeMap<String, u64>>),
    /// How many messages the provider accepted.
    Messages(MessageClaim),
    /// How the run ended: `succeeded fell_short failed cancelled`, or `open`.
    Outcome(String),
    /// The state of the run's request.
    RequestStatus(String),
    /// How many receipts the run has.
    Receipts(ReceiptClaim),
    /// A person holds a place, or is in another state, for a role of the run's request.
    Holds {
        /// Who.
        person: Who,
        /// For what.
        role: String,
        /// `accepted` unless the author says otherwise.
        state: String,
    },
    /// How many runs are past the instant at which something should have happened.
    Stuck(u64),
    /// The audit finds no breach.
    AuditClean,
}

/// `messages`: which ones are counted.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageClaim {
    /// To whom.
    pub to: Option<Who>,
    /// Of which template.
    pub template: Option<String>,
    /// With this in the text.
    pub contains: Option<String>,
    /// How many there must be.
    pub times: u64,
}

/// `receipts`: which ones are counted.
#[derive(Debug, Clone, PartialEq)]
pub struct ReceiptClaim {
    /// Of which tool.
    pub tool: String,
    /// With which status; any without it.
    pub status: Option<String>,
    /// How many there must be.
    pub times: u64,
}
