//! Determines from a run's graph which steps the run makes after its current step.

use crate::method::{Block, Graph, Node};
use crate::run::{Frame, Phase, RunState};

/// Maximum number of following steps that are named: the reader wants the next steps, not the whole method.
const STEPS_MAX: usize = 2;

/// The steps that a run makes after its current step.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct NextSteps {
    /// Ids of the first steps that follow.
    pub(super) steps: Vec<String>,
    /// Ids of the first steps of the fallback that is tried next if the goal is not reached.
    pub(super) fallback: Vec<String>,
}

impl NextSteps {
    /// Determines the steps that follow the position `state` in this graph.
    pub(super) fn of(graph: &Graph, state: &RunState) -> Self {
        Self { steps: following(graph, state), fallback: fallback(graph, state) }
    }
}

/// Returns the steps after the current one:
/// the rest of its own list, then the steps after the enclosing step.
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

/// Returns the first steps of the next fallback, if one is left.
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
