//! Checks that a run, after its move to another version, reads only variables that are set.

use std::collections::BTreeSet;

use super::{Obstacle, UpgradeCandidate};
use crate::method::{BUILT_IN_VARIABLES, Graph, Node, NodeIndex, StepAction};

/// Checks that a moved run reads no variable that it lacks. In the new version, the run may be past a step
/// that sets a variable. The run lacks this variable if the old version has no such step, or if that step
/// does not set the variable in the old version.
pub(super) struct VariableCheck<'a> {
    pub(super) candidate: UpgradeCandidate<'a>,
    pub(super) new: &'a Graph,
    /// Current step of the run, as an index in the new graph.
    pub(super) here: NodeIndex,
    /// First step of the new graph whose expressions are evaluated after the move: the current step,
    /// or the step after it if the current call continues unchanged.
    pub(super) evaluated_from: NodeIndex,
}

impl<'a> VariableCheck<'a> {
    /// Runs the check. Fails if a step would read a variable that the run lacks.
    pub(super) fn run(&self) -> Result<(), Obstacle> {
        let nodes = &self.new.nodes;
        let mut known: BTreeSet<&str> =
            self.candidate.variables.iter().map(String::as_str).collect();
        known.extend(BUILT_IN_VARIABLES);
        known
            .extend(nodes.iter().filter_map(|node| Some(node.foreach.as_ref()?.variable.as_str())));
        let ahead = (0..).zip(nodes).filter(|(ix, _)| *ix >= self.here);
        for (ix, node) in ahead {
            if ix >= self.evaluated_from {
                let unknown = node.reads.iter().filter(|name| !known.contains(name.as_str()));
                for name in unknown {
                    self.check_read(name, &node.step_id)?;
                }
            }
            known.extend(assigned_by(node));
        }
        let unknown = self.new.ending_reads.iter().filter(|name| !known.contains(name.as_str()));
        for name in unknown {
            self.check_read(name, "success_when")?;
        }
        Ok(())
    }

    /// Checks one variable that the step `reader` reads and that the run does not have.
    fn check_read(&self, name: &str, reader: &str) -> Result<(), Obstacle> {
        let behind = (0..self.here).filter_map(|ix| self.new.node(ix));
        let setters: Vec<&Node> =
            behind.filter(|node| assigned_by(node).any(|assigned| assigned == name)).collect();
        let Some(setter) = setters.first() else { return Ok(()) };
        if setters.iter().any(|setter| self.was_passed(setter, name)) {
            return Ok(());
        }
        let why = format!(
            "it reads `{name}`, which `{}` sets, but the run is past that step and has no such variable",
            setter.step_id
        );
        Err(Obstacle::cannot(reader, why))
    }

    /// Whether the run has passed the step `setter` in the old version, and that step sets the variable in
    /// the old version. If so, the run may lack the variable for a good reason, such as a `when` that
    /// skipped the step.
    fn was_passed(&self, setter: &Node, name: &str) -> bool {
        let old = self.candidate.graph;
        let here = self.candidate.state.path(old).last().and_then(|node| old.index_of(node));
        let before = old.index_by_id(&setter.step_id).and_then(|ix| Some((ix, old.node(ix)?)));
        before.is_some_and(|(ix, node)| {
            here > Some(ix) && assigned_by(node).any(|assigned| assigned == name)
        })
    }
}

/// Returns the variables that a step sets.
fn assigned_by(node: &Node) -> impl Iterator<Item = &str> {
    let mut names: Vec<&str> = node.out().into_iter().chain(node.implies()).collect();
    match &node.action {
        StepAction::Set(all) => names.extend(all.iter().map(|(name, _)| name.as_str())),
        StepAction::Await(wait) => {
            names.extend(wait.signals.iter().filter_map(|s| s.out.as_deref()))
        }
        StepAction::Parallel(parallel) => {
            names.extend(parallel.assigns.iter().flatten().map(String::as_str))
        }
        _ => {}
    }
    names.into_iter()
}
