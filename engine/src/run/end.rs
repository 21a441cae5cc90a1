//! Decides what follows when no step is left: success, the next fallback, or falling short.

use super::condition::holds;
use super::scope::{StepError, StepScope};
use super::state::{Phase, RunState};
use super::status::Outcome;
use crate::method::Graph;

/// What follows the end of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The run ends with this outcome.
    Over(Outcome),
    /// The fallback with this index begins.
    Fallback(usize),
}

/// Evaluates `success_when`, then the conditions of the fallbacks that were not tried yet, in order, and
/// moves `state` accordingly. A branch or a round succeeds without conditions.
pub fn conclude(
    graph: &Graph,
    state: &mut RunState,
    scope: &StepScope,
) -> Result<Ending, StepError> {
    if matches!(state.phase, Phase::Branch { .. } | Phase::Item { .. }) {
        state.enter(Phase::Ended);
        return Ok(Ending::Over(Outcome::Succeeded));
    }
    let mut succeeded = true;
    for condition in &graph.success_when {
        succeeded = succeeded && holds(Some(condition), scope, "success_when")?;
    }
    if succeeded {
        state.enter(Phase::Ended);
        return Ok(Ending::Over(Outcome::Succeeded));
    }
    let tried = match state.phase {
        Phase::Main => 0,
        Phase::Fallback(ix) => ix + 1,
        _ => graph.fallbacks.len(),
    };
    for (ix, fallback) in graph.fallbacks.iter().enumerate().skip(tried) {
        if holds(Some(&fallback.condition), scope, &fallback.key)? {
            state.enter(Phase::Fallback(ix));
            return Ok(Ending::Fallback(ix));
        }
    }
    state.enter(Phase::Ended);
    Ok(Ending::Over(Outcome::FellShort))
}
