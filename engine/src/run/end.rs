//! Decides what follows when no step is left: success, the next fallback, or falling short of the goal.

use super::condition::holds;
use super::scope::{StepError, StepScope};
use super::state::{Phase, RunState};
use super::status::RunOutcome;
use crate::method::Graph;

/// The next move of a run after the end of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterPhase {
    /// The run ends with this outcome.
    End(RunOutcome),
    /// The fallback with this index begins.
    Fallback(usize),
}

/// Evaluates `success_when`, then the conditions of the fallbacks that were not tried yet,
/// in order, and moves `state` accordingly. A branch or a round succeeds without any condition.
pub fn end_phase(
    graph: &Graph,
    state: &mut RunState,
    scope: &StepScope,
) -> Result<AfterPhase, StepError> {
    if matches!(state.phase, Phase::Branch { .. } | Phase::Item { .. }) {
        state.start_phase(Phase::Ended);
        return Ok(AfterPhase::End(RunOutcome::Succeeded));
    }
    let mut succeeded = true;
    for condition in &graph.success_when {
        succeeded = succeeded && holds(Some(condition), scope, "success_when")?;
    }
    if succeeded {
        state.start_phase(Phase::Ended);
        return Ok(AfterPhase::End(RunOutcome::Succeeded));
    }
    let tried = match state.phase {
        Phase::Main => 0,
        Phase::Fallback(ix) => ix + 1,
        _ => graph.fallbacks.len(),
    };
    for (ix, fallback) in graph.fallbacks.iter().enumerate().skip(tried) {
        if holds(Some(&fallback.condition), scope, &fallback.key)? {
            state.start_phase(Phase::Fallback(ix));
            return Ok(AfterPhase::Fallback(ix));
        }
    }
    state.start_phase(Phase::Ended);
    Ok(AfterPhase::End(RunOutcome::FellShort))
}
