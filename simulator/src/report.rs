//! What a simulation found: the story as it unfolded, and what did not come true.

use std::collections::BTreeSet;
use std::fmt;

use abide_engine::base::Timestamp;
use serde::Serialize;

use crate::scenario::Place;

/// One line of the story.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// When it happened, by the wall clock of the story.
    pub at: Timestamp,
    /// The same in the tenant's zone, as people read it: `Tue 14:20`.
    pub clock: String,
    /// Whose line it is.
    pub kind: LineKind,
    /// The sentence.
    pub text: String,
}

impl fmt::Display for Line {
    /// `Tue 14:20  Pat → us: …`; what the engine and the scenario do stands apart.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = match self.kind {
            LineKind::Stage => "! ",
            LineKind::Engine => "· ",
            LineKind::Inbound | LineKind::Outbound => "",
        };
        write!(f, "{:<9}  {mark}{}", self.clock, self.text)
    }
}

/// Whose line it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LineKind {
    /// The scenario did something from outside: a crash, a clock that jumps, a setting.
    Stage,
    /// Somebody wrote to us.
    Inbound,
    /// The engine did something.
    Engine,
    /// We wrote to somebody.
    Outbound,
}

/// An expectation that was not met, or a step that could not be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unmet {
    /// The scenario's file.
    pub file: String,
    /// Line of the file, from 1.
    pub line: u32,
    /// Column, from 1, in characters.
    pub col: u32,
    /// `unmet`, `not_configured`, or the code of the problem that stopped the step.
    pub code: String,
    /// What was expected, as a sentence.
    pub expected: String,
    /// What was found instead.
    pub found: String,
}

impl Unmet {
    /// One that stands at `place` of `file`.
    #[must_use]
    pub fn new(file: &str, place: Place, code: &str, expected: String, found: String) -> Self {
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

/// How much happened; the same for the same seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Totals {
    /// Texts that people wrote.
    pub inbound: u64,
    /// Messages that the provider accepted.
    pub outbound: u64,
    /// Runs that were started.
    pub runs: u64,
    /// Deadlines, retries and schedules that fell due.
    pub fired: u64,
    /// Times that the process died.
    pub crashes: u64,
    /// Commits that were begun.
    pub commits: u64,
    /// Expectations that were looked at.
    pub expectations: u64,
}

/// What a story came to, in numbers: about the run that was started first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Measure {
    /// `succeeded fell_short failed cancelled`; none while it lives.
    pub outcome: Option<String>,
    /// When it began.
    pub began_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// When each place was taken, in order.
    pub accepted_at: Vec<Timestamp>,
    /// The steps that were done, by their ids.
    pub steps: BTreeSet<String>,
    /// Texts that we sent.
    pub messages: u64,
    /// What they cost in segments.
    pub segments: u64,
    /// To how many people.
    pub people_texted: u64,
    /// The most that one of them got.
    pub most_to_one: u64,
    /// How many people wrote to us.
    pub writers: u64,
}

/// The end of a simulation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The scenario's name.
    pub scenario: String,
    /// The seed that it was played with.
    pub seed: u64,
    /// Virtual now at the end.
    pub ended_at: Timestamp,
    /// What happened, in order of time.
    pub story: Vec<Line>,
    /// Everything that was expected and did not come true.
    pub unmet: Vec<Unmet>,
    /// How much happened.
    pub totals: Totals,
    /// The same as numbers that many stories can be compared by.
    pub measure: Measure,
    /// What the audit at the end found; nothing if all is well.
    pub audit: Vec<String>,
}

impl Report {
    /// True where everything that was expected came true.
    #[must_use]
    pub fn met(&self) -> bool {
        self.unmet.is_empty()
    }
}
