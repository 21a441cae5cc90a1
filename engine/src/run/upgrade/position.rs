//! Finds where each step of a graph is: in which list of steps, and at which index of the list.

use std::collections::BTreeMap;

use super::super::state::NestedList;
use crate::method::{Graph, NodeIndex, StepAction};

/// The list of steps that contains a step, and the index of the step in that list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StepPosition {
    pub(super) list: StepList,
    pub(super) at: usize,
}

/// A list of steps in a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StepList {
    /// The main steps.
    Main,
    /// The steps of the fallback with this index.
    Fallback(usize),
    /// A list of steps inside the step with this index.
    Nested(NodeIndex, NestedList),
}

/// Returns the position of each step in the main steps, in a fallback or in a list inside another step.
/// Leaves out the lists of `parallel`, `on_cancel` and `compensate`: a run is not upgraded while such a
/// list is executed.
pub(super) fn positions(graph: &Graph) -> BTreeMap<NodeIndex, StepPosition> {
    let mut all = BTreeMap::new();
    let mut add = |list: StepList, steps: &[NodeIndex]| {
        all.extend(steps.iter().enumerate().map(|(at, ix)| (*ix, StepPosition { list, at })));
    };
    add(StepList::Main, &graph.main);
    for (ix, fallback) in graph.fallbacks.iter().enumerate() {
        add(StepList::Fallback(ix), &fallback.steps);
    }
    for (ix, node) in (0..).zip(&graph.nodes) {
        add(StepList::Nested(ix, NestedList::OnError), &node.on_error);
        match &node.action {
            StepAction::Switch(cases) => {
                for (case, steps) in cases.iter().enumerate() {
                    add(StepList::Nested(ix, NestedList::Case(case)), &steps.steps);
                }
            }
            StepAction::Repeat(repeat) => {
                add(StepList::Nested(ix, NestedList::Body), &repeat.steps);
            }
            StepAction::Steps(steps) => add(StepList::Nested(ix, NestedList::Body), steps),
            StepAction::Call(_)
            | StepAction::Method(_)
            | StepAction::Set(_)
            | StepAction::Await(_)
            | StepAction::Parallel(_) => {}
        }
    }
    all
}
