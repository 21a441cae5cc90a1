//! Moves a run past a finished step, and names the variables that the step assigns.

use super::foreach::{implied_name, result_name};
use super::nesting::advance;
use super::state::RunState;
use super::walk::Assigned;
use crate::base::Value;
use crate::method::Node;

/// Moves `state` past a finished call, to the next item of the `foreach` or to the next step.
/// Returns the variables to assign.
///
/// A `foreach` with `out` stores the result of each call in a variable of its own, so that no commit
/// rewrites the whole list. [`next`](super::next()) combines the results in a list after the last item.
pub fn finish_call(node: &Node, state: &mut RunState, value: &Value) -> Assigned {
    let frame = state.frame_mut();
    let assigned = match (node.out(), frame.foreach) {
        (None, _) => Vec::new(),
        (Some(out), None) => vec![(out.to_owned(), value.clone())],
        (Some(_), Some(progress)) => vec![(result_name(node, progress.index), value.clone())],
    };
    finish_step(state);
    assigned
}

/// Returns the assignment of the verb's implied variable after a call has finished; empty if the verb has
/// no implied variable. Outside a `foreach`, the value is a list that contains only `item`, or an empty
/// list if there is no item. In a `foreach`, the assignment stores `item` in an internal variable of the
/// round. After the last round, [`next`](super::next()) combines these items in the list.
#[must_use]
pub fn implied_variables(node: &Node, state: &RunState, item: Option<&Value>) -> Assigned {
    let Some(name) = node.implies() else { return Vec::new() };
    match state.frame().and_then(|frame| frame.foreach) {
        None => vec![(name.to_owned(), item.into_iter().cloned().collect())],
        Some(progress) => {
            vec![(implied_name(node, progress.index), item.cloned().unwrap_or(Value::Null))]
        }
    }
}

/// Moves `state` past a finished step that has no result, to the next item of the `foreach`
/// or to the next step.
pub fn finish_step(state: &mut RunState) {
    state.frame_mut().call = None;
    advance(state);
}

/// Marks all rounds of a `foreach` as done after child runs have executed the rounds.
/// [`next`](super::next()) combines the results of the rounds in a list.
pub fn finish_rounds(state: &mut RunState) {
    let frame = state.frame_mut();
    frame.call = None;
    if let Some(progress) = &mut frame.foreach {
        progress.index = progress.len;
    }
}
