//! Moves a run into and out of nested lists of steps, and finds the step that catches a failure.

use super::condition::holds;
use super::scope::{StepError, StepScope};
use super::state::{Frame, NestedList, RunState, StepStart};
use crate::base::{Problem, Value, limits};
use crate::method::{Graph, Node, StepAction};

/// Enters a list of steps inside the current step. Fails if the steps would be nested too deeply.
pub(super) fn enter_list(state: &mut RunState, inside: NestedList) -> Result<(), StepError> {
    if state.frames.len() >= limits::FRAMES_MAX {
        let message = format!("steps are nested deeper than {}", limits::FRAMES_MAX);
        return Err(StepError::Failed(Problem::author("nested_too_deep", message)));
    }
    state.frame_mut().inside = Some(inside);
    state.frames.push(Frame::default());
    Ok(())
}

/// Leaves the innermost list after its last step. If the list is the body of a `repeat` that is not done,
/// the next round begins. If not, the run moves past the enclosing step, or to the next item of the
/// enclosing step's `foreach`. Returns false if no step encloses the list.
pub(super) fn leave_list(
    graph: &Graph,
    state: &mut RunState,
    scope: &StepScope,
) -> Result<bool, StepError> {
    if state.frames.len() < 2 {
        return Ok(false);
    }
    state.frames.pop();
    let inside = state.frame_mut().inside.take();
    let Some(node) = state.node(graph) else { return Ok(false) };
    if let (StepAction::Repeat(repeat), Some(NestedList::Body)) = (&node.action, inside) {
        let frame = state.frame_mut();
        frame.rounds += 1;
        let done = frame.rounds >= repeat.max;
        let until = match &repeat.until {
            Some(until) => holds(Some(until), scope, &node.step_id)?,
            None => false,
        };
        if !done && !until {
            enter_list(state, NestedList::Body)?;
            return Ok(true);
        }
    }
    advance(state);
    Ok(true)
}

/// Records the start of a step that has limits of its own.
pub(super) fn mark_start(node: &Node, state: &mut RunState, scope: &StepScope) {
    if node.limits != Default::default() && state.frame_mut().entered.is_none() {
        let entered =
            StepStart { at: scope.now, messages: state.messages, tool_calls: state.tool_calls };
        state.frame_mut().entered = Some(entered);
    }
}

/// Moves `state` past the current item of the step's `foreach`, or past the step if it has no `foreach`.
pub(super) fn advance(state: &mut RunState) {
    let frame = state.frame_mut();
    match &mut frame.foreach {
        Some(progress) => {
            progress.index += 1;
            frame.call = None;
            frame.inside = None;
            frame.rounds = 0;
        }
        None => *frame = Frame { at: frame.at + 1, ..Frame::default() },
    }
}

/// Moves `state` past the current step, with all items of its `foreach`.
pub(super) fn skip_step(state: &mut RunState) {
    let frame = state.frame_mut();
    *frame = Frame { at: frame.at + 1, ..Frame::default() };
}

/// Catches a failure of the current step: moves the run to the `on_error` of that step, or else of the
/// innermost enclosing step that has an `on_error`. A step whose `on_error` is already running does not
/// catch a failure. Returns false if no step catches the failure.
pub fn catch_failure(graph: &Graph, state: &mut RunState) -> bool {
    let path = state.path(graph);
    for (depth, node) in path.into_iter().enumerate().rev() {
        let caught = state.frames[depth].inside != Some(NestedList::OnError);
        if caught && !node.on_error.is_empty() {
            state.frames.truncate(depth + 1);
            let frame = state.frame_mut();
            frame.call = None;
            frame.rounds = 0;
            frame.entered = None; // the step's own limits do not apply to its `on_error`
            frame.inside = Some(NestedList::OnError);
            state.frames.push(Frame::default());
            return true;
        }
    }
    false
}

impl RunState {
    /// Leaves all steps nested deeper than `depth`, so that the step at `depth` becomes the current step.
    pub fn leave_inner_steps(&mut self, depth: usize) {
        self.frames.truncate(depth + 1);
        self.frame_mut().inside = None;
        self.frame_mut().call = None;
    }

    /// Moves to a position where no `on_error` catches a failure, so that the next failure fails the run.
    pub fn disable_on_error(&mut self) {
        self.frames.truncate(1);
        self.frame_mut().inside = Some(NestedList::OnError);
        self.frame_mut().call = None;
    }
}

/// Returns the value that the variable `error` has in the steps of `on_error`.
#[must_use]
pub fn error_value(step_id: &str, problem: &Problem) -> Value {
    serde_json::json!({
        "code": problem.code, "message": problem.message, "hint": problem.hint, "step_id": step_id,
    })
}
