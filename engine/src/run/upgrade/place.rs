//! The positions of the steps of a graph.

use std::collections::BTreeMap;

use super::super::state::Inside;
use crate::method::{Graph, NodeIndex, StepAction};

/// The list that contains a step, and the index of the step in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) top: Top,
    pub(super) at: usize,
}

/// A list of steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Top {
    /// The main steps.
    Main,
    /// The steps of a fallback.
    Fallback(usize),
    /// A list inside a step.
    Inside(NodeIndex, Inside),
}

/// Returns the place of each step that a run can be at, except the steps of branches.
pub(super) fn places(graph: &Graph) -> BTreeMap<NodeIndex, Place> {
    let mut all = BTreeMap::new();
    let mut list = |top: Top, steps: &[NodeIndex]| {
        all.extend(steps.iter().enumerate().map(|(at, ix)| (*ix, Place { top, at })));
    };
    list(Top::Main, &graph.main);
    for (ix, fallback) in graph.fallbacks.iter().enumerate() {
        list(Top::Fallback(ix), &fallback.steps);
    }
    for (ix, node) in (0..).zip(&graph.nodes) {
        list(Top::Inside(ix, Inside::OnError), &node.on_error);
        match &node.action {
            StepAction::Switch(cases) => {
                for (case, steps) in cases.iter().enumerate() {
                    list(Top::Inside(ix, Inside::Case(case)), &steps.steps);
                }
            }
            StepAction::Repeat(repeat) => list(Top::Inside(ix, Inside::Body), &repeat.steps),
            StepAction::Steps(steps) => list(Top::Inside(ix, Inside::Body), steps),
            StepAction::Call(_)
            | StepAction::Method(_)
            | StepAction::Set(_)
            | StepAction::Await(_)
            | StepAction::Parallel(_) => {}
        }
    }
    all
}
