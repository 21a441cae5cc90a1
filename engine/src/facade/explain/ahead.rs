//! What a run does once the step at hand is over, read off its graph.

use crate::method::{Act, Block, Graph, Node};
use crate::run::{Frame, Phase, RunState};

/// So many of the steps that follow are named; the reader wants the next thing, not the method.
const STEPS_NAMED: usize = 2;

/// What follows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Ahead {
    /// The next steps by their ids.
    pub(super) steps: Vec<String>,
    /// The steps of the fallback that is tried if the goal is not reached then.
    pub(super) fallback: Vec<String>,
    /// The messages from outside that the step at hand waits for.
    pub(super) signals: Vec<String>,
}

impl Ahead {
    /// What follows in this graph from there.
    pub(super) fn of(graph: &Graph, state: &RunState) -> Self {
        Self {
            steps: following(graph, state),
            fallback: fallback(graph, state),
            signals: match state.node(graph).map(|node| &node.act) {
                Some(Act::Await(wait)) => wait.signals.iter().map(|s| s.signal.clone()).collect(),
                _ => Vec::new(),
            },
        }
    }
}

/// The steps behind the one at hand: in its list, then behind the step round it.
fn following(graph: &Graph, state: &RunState) -> Vec<String> {
    let mut ahead = state.clone();
    let mut steps = Vec::new();
    while let Some(frame) = ahead.frames.last_mut() {
        *frame = Frame { at: frame.at + 1, ..Frame::default() };
        match ahead.node(graph) {
            Some(node) => steps.push(node.step_id.clone()),
            None => drop(ahead.frames.pop()),
        }
        if steps.len() == STEPS_NAMED {
            break;
        }
    }
    steps
}

fn fallback(graph: &Graph, state: &RunState) -> Vec<String> {
    let next = match state.phase {
        Phase::Main => 0,
        Phase::Fallback(ix) => ix + 1,
        _ => return Vec::new(),
    };
    graph.fallbacks.get(next).map(|fallback| named(graph, &fallback.steps)).unwrap_or_default()
}

fn named(graph: &Graph, steps: &Block) -> Vec<String> {
    let nodes = steps.iter().filter_map(|ix| graph.node(*ix));
    nodes.take(STEPS_NAMED).map(|node: &Node| node.step_id.clone()).collect()
}
