//! Determines from a run's graph which steps the run executes after its current step.

use crate::method::{Block, Graph, Node};
use crate::run::{Frame, Phase, RunState};

/// Maximum number of next steps that an explanation names.
const STEPS_MAX: usize = 2;

/// The steps that a run executes after its current step, in case of success and of failure.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct NextSteps {
    /// Ids of the next steps, at most [`STEPS_MAX`]; empty if the current step is the last.
    pub(super) steps: Vec<String>,
    /// Ids of the first steps of the next fallback, which is tried if the goal is not reached.
    pub(super) fallback: Vec<String>,
}

impl NextSteps {
    /// Determines the steps that follow the current position in this graph.
    pub(super) fn of(graph: &Graph, state: &RunState) -> Self {
        Self { steps: following(graph, state), fallback: fallback(graph, state) }
    }
}

/// Returns the next steps: first the steps after the current step in the same list,
/// then the steps after the step that encloses the list.
fn following(graph: &Graph, state: &RunState) -> Vec<String> {
    let mut position = state.clone();
    let mut steps = Vec::new();
    while let Some(frame) = position.frames.last_mut() {
        *frame = Frame { at: frame.at + 1, ..Frame::default() };
        match position.node(graph) {
            Some(node) => steps.push(node.step_id.clone()),
            None => drop(position.frames.pop()),
        }
        if steps.len() == STEPS_MAX {
            break;
        }
    }
    steps
}

/// Returns the ids of the first steps of the next fallback; no ids if no fallback is left.
fn fallback(graph: &Graph, state: &RunState) -> Vec<String> {
    let next = match state.phase {
        Phase::Main => 0,
        Phase::Fallback(ix) => ix + 1,
        _ => return Vec::new(),
    };
    graph.fallbacks.get(next).map(|fallback| step_ids(graph, &fallback.steps)).unwrap_or_default()
}

fn step_ids(graph: &Graph, steps: &Block) -> Vec<String> {
    let nodes = steps.iter().filter_map(|ix| graph.node(*ix));
    nodes.take(STEPS_MAX).map(|node: &Node| node.step_id.clone()).collect()
}
