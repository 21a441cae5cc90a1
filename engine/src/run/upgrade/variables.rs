//! Checks that the variables which later steps read will be set.

use std::collections::BTreeSet;

use super::{Obstacle, Standing};
use crate::method::{BUILT_IN_VARIABLES, Graph, Node, NodeIndex, StepAction};

/// Refuses a move after which a step would read a variable that was never set: in the new version the run
/// is past the step that sets it, and in the old version that step did not exist or did not set it.
pub(super) fn all_there(
    standing: Standing<'_>,
    new: &Graph,
    (here, reads_now): (NodeIndex, bool),
) -> Result<(), Obstacle> {
    let mut known: BTreeSet<&str> = standing.variables.iter().map(String::as_str).collect();
    known.extend(BUILT_IN_VARIABLES);
    known
        .extend(new.nodes.iter().filter_map(|node| Some(node.foreach.as_ref()?.variable.as_str())));
    let ahead = (0..).zip(&new.nodes).filter(|(ix, _)| *ix >= here);
    for (ix, node) in ahead {
        if ix > here || reads_now {
            for name in &node.reads {
                reachable(standing, new, (name, &known), (&node.step_id, here))?;
            }
        }
        known.extend(fills(node));
    }
    for name in &new.ending_reads {
        reachable(standing, new, (name, &known), ("success_when", here))?;
    }
    Ok(())
}

fn reachable(
    standing: Standing<'_>,
    new: &Graph,
    (name, known): (&str, &BTreeSet<&str>),
    (reader, here): (&str, NodeIndex),
) -> Result<(), Obstacle> {
    if known.contains(name) {
        return Ok(());
    }
    let behind = (0..here).filter_map(|ix| new.node(ix));
    let fillers: Vec<&Node> =
        behind.filter(|node| fills(node).any(|filled| filled == name)).collect();
    let Some(filler) = fillers.first() else { return Ok(()) };
    if fillers.iter().any(|filler| had_its_chance(standing, filler, name)) {
        return Ok(());
    }
    let why = format!(
        "it reads `{name}`, which `{}` sets, but the run is past that step and has no such variable",
        filler.step_id
    );
    Err(Obstacle::cannot(reader, why))
}

/// Whether the run has passed the same step in the old version. If so, the step may have left the variable
/// unset on purpose.
fn had_its_chance(standing: Standing<'_>, filler: &Node, name: &str) -> bool {
    let old = standing.graph;
    let here = standing.state.path(old).last().and_then(|node| old.index_of(node));
    let before = old.index_by_id(&filler.step_id).and_then(|ix| Some((ix, old.node(ix)?)));
    before.is_some_and(|(ix, node)| here > Some(ix) && fills(node).any(|filled| filled == name))
}

/// Returns the variables that a step sets.
fn fills(node: &Node) -> impl Iterator<Item = &str> {
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
