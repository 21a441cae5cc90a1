//! The report of a simulation: its story (the events as lines for people),
//! the unmet expectations, and measurements.

use std::collections::BTreeSet;
use std::fmt;

use abide_engine::base::Timestamp;
use serde::Serialize;

use crate::scenario::SourcePosition;

/// One line of a simulation's story, which reports one event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoryLine {
    /// When the event happened, by the simulation's wall clock.
    pub at: Timestamp,
    /// The same instant in the tenant's time zone, formatted for people: `Tue 14:20`.
    pub clock: String,
    /// The cause of the event: the scenario, a person or the engine.
    pub kind: LineKind,
    /// The line without the time.
    pub text: String,
}

impl fmt::Display for StoryLine {
    /// Formats the line as `Tue 14:20  Pat → us: …`. After the time, the sign `·` marks
    /// an event that the engine caused, and `!` marks an event that the scenario caused.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = match self.kind {
            LineKind::Stage => "! ",
            LineKind::Engine => "· ",
            LineKind::Inbound | LineKind::Outbound => "",
        };
        write!(f, "{:<9}  {mark}{}", self.clock, self.text)
    }
}

/// The cause of the event that a line of the story reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LineKind {
    /// The scenario acted from outside: a crash, a jump of the clock, a changed setting.
    Stage,
    /// A person sent a message to the tenant.
    Inbound,
    /// The engine did something other than sending a message.
    Engine,
    /// The tenant sent a message to a person.
    Outbound,
}

/// An expectation that did not hold, or a scenario step that could not be carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnmetExpectation {
    /// The name of the scenario file.
    pub file: String,
    /// Line of the expectation or scenario step in the file, counted from 1.
    pub line: u32,
    /// Column of the expectation or scenario step, counted from 1, in characters.
    pub col: u32,
    /// `unmet`, `not_configured`, or the code of the problem that stopped the scenario step.
    pub code: String,
    /// The expected result, as a sentence.
    pub expected: String,
    /// The result that was found instead.
    pub found: String,
}

impl UnmetExpectation {
    /// Creates an unmet expectation for the position `place` in `file`.
    #[must_use]
    pub fn new(
        file: &str,
        place: SourcePosition,
        code: &str,
        expected: String,
        found: String,
    ) -> Self {
        Self {
            file: file.to_owned(),
            line: place.line,
            col: place.col,
            code: code.to_owned(),
            expected,
            found,
        }
    }
}

/// Event counts of a simulation. Two simulations of one scenario with the same seed have the same counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Totals {
    /// Number of messages that people wrote.
    pub inbound: u64,
    /// Number of messages that the provider accepted.
    pub outbound: u64,
    /// Number of runs that started.
    pub runs: u64,
    /// Number of deadlines, retries and schedules that fell due.
    pub fired: u64,
    /// Number of process crashes.
    pub crashes: u64,
    /// Number of commits that began, including those that a crash interrupted.
    pub commits: u64,
    /// Number of expectations that were checked.
    pub expectations: u64,
}

/// Measurements by which simulations can be compared. `outcome`, `began_at` and `ended_at` describe the
/// *first run*: the run that started first. All other fields cover the whole tenant.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Measure {
    /// How the first run ended: `succeeded`, `fell_short`, `failed` or `cancelled`;
    /// `None` if the first run has not ended.
    pub outcome: Option<String>,
    /// When the first run started; `None` if no run has started.
    pub began_at: Option<Timestamp>,
    /// When the first run ended; `None` if the first run has not ended.
    pub ended_at: Option<Timestamp>,
    /// The times at which people accepted a place, in order of time.
    pub accepted_at: Vec<Timestamp>,
    /// Ids of the method steps for which some run of the tenant has a receipt.
    pub steps: BTreeSet<String>,
    /// Number of messages that the tenant sent.
    pub messages: u64,
    /// Total number of segments of the messages that the tenant sent.
    pub segments: u64,
    /// Number of people who received a message.
    pub people_texted: u64,
    /// Largest number of messages that one person received.
    pub most_to_one: u64,
    /// Number of people who wrote at least once.
    pub writers: u64,
}

/// The result of one simulation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SimulationReport {
    /// The scenario's name.
    pub scenario: String,
    /// The seed of this simulation.
    pub seed: u64,
    /// The virtual time at which the simulation ended.
    pub ended_at: Timestamp,
    /// The events of the simulation, in order of time.
    pub story: Vec<StoryLine>,
    /// The expectations that did not hold and the scenario steps that could not be carried out.
    pub unmet: Vec<UnmetExpectation>,
    /// Event counts of the simulation.
    pub totals: Totals,
    /// Measurements by which many simulations can be compared.
    pub measure: Measure,
    /// The invariants that the audit found broken at the end of the simulation.
    pub audit: Vec<String>,
}

impl SimulationReport {
    /// Whether every expectation held and every scenario step could be carried out.
    #[must_use]
    pub fn met(&self) -> bool {
        self.unmet.is_empty()
    }
}
