//! Every path ends: what goes round is counted, and no method comes to call itself.

use serde::Serialize;

use super::amount::Bound;

/// What goes round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Loop {
    /// The step.
    pub step_id: String,
    /// Its line in the file.
    pub line: u32,
    /// `repeat` or `foreach`.
    pub kind: &'static str,
    /// So often at most.
    pub rounds: Bound,
}

/// A law that a method breaks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Breach {
    /// Which.
    pub law: Law,
    /// The step.
    pub step_id: String,
    /// Its line in the file.
    pub line: u32,
    /// How.
    pub why: String,
}

/// What must hold of every method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Law {
    /// Every path through the method ends.
    EveryPathEnds,
    /// Every wait has a way out.
    EveryWaitHasAWayOut,
}
