//! Decides whether a waiting run can move to another version of its method, and to which position.
//!
//! A run can move if the current step, and every step around it, has a counterpart in the new version.
//! The counterpart is found by the id that the author gave, by position and content,
//! or by a mapping that the operator gives (`--map old=new`). In addition, the new version must be able
//! to undo the calls on the run's undo stack, and the variables that later steps read must be set.

mod matching;
mod position;
#[cfg(test)]
mod tests;
mod variables;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::state::{CallState, Frame, Phase, RunState, WaitingFor};
use crate::expr;
use crate::method::{Graph, Node, NodeIndex, step_members};
use matching::StepMatcher;
use position::{StepList, StepPosition, positions};
use variables::VariableCheck;

/// A run that is to move to another version, with all data that decides whether the run can move.
#[derive(Debug, Clone, Copy)]
pub struct UpgradeCandidate<'a> {
    /// Graph of the run's current version.
    pub graph: &'a Graph,
    /// State of the run.
    pub state: &'a RunState,
    /// Names of the run's variables.
    pub variables: &'a BTreeSet<String>,
    /// Steps whose calls are on the run's undo stack, as indexes in `graph`.
    pub undos: &'a [NodeIndex],
    /// Number of the run's child runs that have not ended.
    pub children: usize,
}

/// The mapping that the operator gives: for each renamed step, its name in the old version
/// and its name in the new version. A name is the id or the key of a step.
pub type RenamedSteps = BTreeMap<String, String>;

/// A step, or the key of a step, in the old version, and its counterpart in the new version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replacement<T> {
    /// The step or key of the old version.
    pub old: T,
    /// The step or key of the new version.
    pub new: T,
}

impl<T> Replacement<T> {
    /// Returns the replacement in the opposite direction.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self { old: self.new, new: self.old }
    }
}

/// The changes that move a run to the graph of another version.
#[derive(Debug, Clone, PartialEq)]
pub struct UpgradePlan {
    /// State of the run after the move.
    pub state: RunState,
    /// Current step of the run, in the new graph.
    pub step: NodeIndex,
    /// The keys of `foreach` steps in progress, as far as they differ between the versions.
    /// The names of internal variables contain these keys.
    pub keys: Vec<Replacement<String>>,
    /// The steps whose calls are on the run's undo stack, each with its counterpart in the new version.
    pub undos: Vec<Replacement<NodeIndex>>,
    /// Whether the run waits for replies at a step that the new version defines differently. If so, the
    /// people, the number needed and the timeout of the wait must be computed again.
    pub rearm: bool,
}

/// Why a run cannot be moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Obstacle {
    /// Whether the operator can resolve the obstacle by mapping the step to a step of the new version.
    pub mapping: bool,
    /// Name of the step that prevents the move.
    pub step: String,
    /// Why the step prevents the move, in words for people.
    pub why: String,
}

impl Obstacle {
    fn cannot(step: &str, why: impl Into<String>) -> Self {
        Self { mapping: false, step: step.to_owned(), why: why.into() }
    }
}

/// Decides whether a run can continue with the graph `new`, and how to move it.
///
/// # Errors
/// The reason why the run cannot continue with `new`, and the step that is the reason.
pub fn plan_upgrade(
    candidate: UpgradeCandidate<'_>,
    new: &Graph,
    renamed: &RenamedSteps,
) -> Result<UpgradePlan, Obstacle> {
    let UpgradeCandidate { graph, state, .. } = candidate;
    let path = movable_path(candidate)?;
    let Some(here) = path.last() else {
        return Err(Obstacle::cannot("end", "the run is between two steps; try again in a moment"));
    };
    let matcher = StepMatcher { old: graph, new, renamed };
    let mut new_path = Vec::with_capacity(path.len());
    for node in &path {
        new_path.push(matcher.find(node)?);
    }
    let positions = positions(new);
    let mut moved = state.clone();
    let mut keys = Vec::new();
    for (depth, ix) in new_path.iter().enumerate() {
        let position = *positions.get(ix).ok_or_else(|| nested_elsewhere(here))?;
        let outer = depth.checked_sub(1).map(|above| new_path[above]);
        if !set_position(&mut moved, depth, position, outer) {
            return Err(nested_elsewhere(here));
        }
        let (before, now) = (path[depth], new.node(*ix).ok_or_else(|| nested_elsewhere(here))?);
        if let Some(frame) = state.frames.get(depth) {
            check_foreach(frame, before, now)?;
            if frame.foreach.is_some() && before.key != now.key {
                keys.push(Replacement { old: before.key.clone(), new: now.key.clone() });
            }
        }
    }
    let step = new_path[new_path.len() - 1];
    let now = new.node(step).ok_or_else(|| nested_elsewhere(here))?;
    let differs = step_members(graph, here) != step_members(new, now);
    let rearm = match state.call() {
        Some(call) => waits_for_replies(call, here)? && differs,
        None => false,
    };
    if differs && state.call().is_some_and(|call| call.retry_at.is_some()) {
        // The last attempt of the call failed, and its writes were rolled back. So the call can begin
        // again, as the new version defines it.
        if let Some(frame) = moved.frames.last_mut() {
            frame.call = None;
        }
    }
    let mut undos = Vec::with_capacity(candidate.undos.len());
    for ix in candidate.undos {
        undos.push(Replacement { old: *ix, new: match_undo(&matcher, *ix)? });
    }
    let evaluates_current = state.call().is_none() || differs;
    let evaluated_from = if evaluates_current { step } else { step + 1 };
    VariableCheck { candidate, new, here: step, evaluated_from }.run()?;
    Ok(UpgradePlan { state: moved, step, keys, undos, rearm })
}

/// Returns the current step and the steps around it, the outermost first.
/// Fails if the run cannot be moved to any other version now.
fn movable_path<'g>(candidate: UpgradeCandidate<'g>) -> Result<Vec<&'g Node>, Obstacle> {
    let UpgradeCandidate { graph, state, children, .. } = candidate;
    let path = state.path(graph);
    let step = path.last().map_or("end", |node| node.step_id.as_str());
    if state.early_end.is_some()
        || matches!(state.phase, Phase::Undo { .. } | Phase::OnCancel | Phase::Ended)
    {
        return Err(Obstacle::cannot(step, "the run is ending"));
    }
    if matches!(state.phase, Phase::Branch { .. } | Phase::Item { .. }) {
        let why = "the run is a branch of another run and has the version of that run";
        return Err(Obstacle::cannot(step, why));
    }
    if children > 0
        || state
            .call()
            .is_some_and(|call| matches!(call.waiting_for, Some(WaitingFor::Children(_))))
    {
        let why =
            format!("child runs have not ended ({children}); the run can be moved when they have");
        return Err(Obstacle::cannot(step, why));
    }
    if path.len() != state.frames.len() {
        return Err(Obstacle::cannot(step, "the run is between two steps; try again in a moment"));
    }
    Ok(path)
}

fn nested_elsewhere(node: &Node) -> Obstacle {
    Obstacle::cannot(&node.step_id, "the step is inside other steps in the new version")
}

/// Moves the run, at the nesting depth `depth`, to the step of the new graph that has the position
/// `position`. `outer` is the step of the new graph that encloses this step; `None` at depth 0.
/// Returns false if `position` is not inside `outer`, or is in a list that does not correspond to the list
/// that the run executes.
fn set_position(
    moved: &mut RunState,
    depth: usize,
    position: StepPosition,
    outer: Option<NodeIndex>,
) -> bool {
    let fits = match (position.list, outer) {
        (StepList::Main, None) => moved.phase == Phase::Main,
        (StepList::Fallback(ix), None) => {
            let in_fallback = matches!(moved.phase, Phase::Fallback(_));
            if in_fallback {
                moved.phase = Phase::Fallback(ix);
            }
            in_fallback
        }
        (StepList::Nested(around, list), Some(outer)) if around == outer => {
            let before = moved.frames[depth - 1].inside.replace(list);
            before.is_some_and(|before| {
                std::mem::discriminant(&before) == std::mem::discriminant(&list)
            })
        }
        _ => false,
    };
    if let Some(frame) = moved.frames.get_mut(depth) {
        frame.at = position.at;
    }
    fits
}

/// Checks that both versions define a `foreach` in progress alike. The loop must continue with the list
/// that it began with, so a changed definition would not take effect.
fn check_foreach(frame: &Frame, before: &Node, now: &Node) -> Result<(), Obstacle> {
    let begun = frame.foreach.is_some() || frame.call.is_some() || frame.inside.is_some();
    let text = |node: &Node| {
        let foreach = node.foreach.as_ref()?;
        Some(format!("{} in {}", foreach.variable, expr::print(&foreach.over)))
    };
    let concurrency = |node: &Node| node.foreach.as_ref().map(|foreach| foreach.concurrency);
    if begun && (text(before) != text(now) || concurrency(before) != concurrency(now)) {
        let shown = |node| text(node).map_or_else(|| "none".to_owned(), |text| format!("`{text}`"));
        let why = format!("its `foreach` was {} and is now {}", shown(before), shown(now));
        return Err(Obstacle::cannot(&before.step_id, why));
    }
    Ok(())
}

/// Returns whether the current call is a wait for replies. Fails if the call has committed some
/// of its writes but not all, or if an outside system is making it.
fn waits_for_replies(call: &CallState, node: &Node) -> Result<bool, Obstacle> {
    if call.cursor.is_some() || matches!(call.waiting_for, Some(WaitingFor::External(_))) {
        let why = "its call is half done; the run can be moved when the call has finished";
        return Err(Obstacle::cannot(&node.step_id, why));
    }
    Ok(matches!(call.waiting_for, Some(WaitingFor::Replies(_))))
}

/// Returns the counterpart of a step whose call is on the undo stack.
/// Fails if the new version does not undo the call with the same verb.
fn match_undo(matcher: &StepMatcher<'_>, ix: NodeIndex) -> Result<NodeIndex, Obstacle> {
    let before = matcher.old.node(ix).ok_or_else(|| Obstacle::cannot("end", "an unknown step"))?;
    let undo_verb = |graph: &Graph, node: &Node| {
        let undo = graph.node(*node.call()?.compensation.first()?)?;
        Some(undo.action_name().to_owned())
    };
    let found = matcher.find(before)?;
    let now = matcher.new.node(found).and_then(|node| undo_verb(matcher.new, node));
    if now.is_none() || now != undo_verb(matcher.old, before) {
        let why = "it is done, and the new version does not undo it with the same verb";
        return Err(Obstacle::cannot(&before.step_id, why));
    }
    Ok(found)
}
