//! Proves that every path ends: loops are bounded, and no method calls itself, directly or indirectly.

use serde::Serialize;

use super::amount::Bound;

/// A loop: a step that is executed in rounds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Loop {
    /// Id of the step.
    pub step_id: String,
    /// Line of the step in the file, from 1.
    pub line: u32,
    /// `repeat` or `foreach`.
    pub kind: &'static str,
    /// Maximum number of rounds.
    pub rounds: Bound,
}

/// A violation of a law by a method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProofFault {
    /// The law that the method violates.
    pub law: Law,
    /// Id of the step that breaks the law.
    pub step_id: String,
    /// Line of the step in the file, from 1.
    pub line: u32,
    /// Explanation of the violation, for people.
    pub why: String,
}

/// A property that every method must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Law {
    /// Every path through the method ends.
    EveryPathEnds,
    /// Every wait has a way out.
    EveryWaitHasAWayOut,
}
