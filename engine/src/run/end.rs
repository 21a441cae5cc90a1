//! Decides what follows when no step is left: the run succeeds, the next fallback begins,
//! or the run falls short of its goal.

use super::condition::holds;
use super::scope::{StepError, StepScope};
use super::state::{Phase, RunState};
use super::status::RunOutcome;
use crate::method::Graph;

/// What a run does after the last step of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterPhase {
    /// The run ends with this outcome.
    End(RunOutcome),
    /// The fallback with this index begins.
    Fallback(usize),
}

/// Ends the run if all conditions of `success_when` hold. If not, begins the next fallback whose condition
/// holds, or ends the run if there is none. Changes `state` accordingly. A branch or a round has no
/// `success_when` and always succeeds.
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
