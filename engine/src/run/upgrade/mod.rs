//! Decides whether a waiting run can move to another version of its method, and to which position.
//!
//! A position is safe if every step that the run is in is found in the new version: by the id that its
//! author gave, by its position and content, or by a mapping that the operator gives (`--map old=new`).
//! In addition, calls that can be undone must have an undo in the new version, and variables that later
//! steps read must be set.

mod identity;
mod place;
#[cfg(test)]
mod tests;
mod variables;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::state::{CallState, Frame, Pending, Phase, RunState};
use crate::expr;
use crate::method::{Graph, Node, NodeIndex, step_members};
use identity::Finder;
use place::{Place, Top, places};

/// A run to be judged.
#[derive(Debug, Clone, Copy)]
pub struct Standing<'a> {
    /// Graph of its current version.
    pub graph: &'a Graph,
    /// State of the run.
    pub state: &'a RunState,
    /// Names of its variables.
    pub variables: &'a BTreeSet<String>,
    /// Steps whose calls are on its undo stack.
    pub undos: &'a [NodeIndex],
    /// Number of its child runs that have not ended.
    pub children: usize,
}

/// Renamed steps: old name to new name.
pub type Renamed = BTreeMap<String, String>;

/// The changes that move a run to another graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Move {
    /// State of the run after the move.
    pub state: RunState,
    /// Current step, in the new graph.
    pub step: NodeIndex,
    /// Keys of the `foreach` steps in progress, old and new. Internal variables are stored under them.
    pub keys: Vec<(String, String)>,
    /// Steps on its undo stack, old and new.
    pub undos: Vec<(NodeIndex, NodeIndex)>,
    /// Whether the step of a wait for replies has changed, so that its count, timeout and people must be
    /// computed again.
    pub rearm: bool,
}

/// Why a run cannot be moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Obstacle {
    /// Whether the operator can resolve it by mapping the step to a new one.
    pub mapping: bool,
    /// Name of the step.
    pub step: String,
    /// Explanation, for people.
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
/// The reason why it cannot, with the step.
pub fn judge(standing: Standing<'_>, new: &Graph, renamed: &Renamed) -> Result<Move, Obstacle> {
    let Standing { graph, state, .. } = standing;
    let path = path(standing)?;
    let Some(here) = path.last() else {
        return Err(Obstacle::cannot("end", "the run is between two steps; try again in a moment"));
    };
    let finder = Finder { old: graph, new, renamed };
    let places = places(new);
    let mut chain = Vec::with_capacity(path.len());
    for node in &path {
        chain.push(finder.find(node)?);
    }
    let mut moved = state.clone();
    let mut keys = Vec::new();
    for (depth, ix) in chain.iter().enumerate() {
        let place = *places.get(ix).ok_or_else(|| elsewhere(here))?;
        let above = depth.checked_sub(1).map(|above| chain[above]);
        set_place((&mut moved, depth), (place, above), here)?;
        let (before, now) = (path[depth], new.node(*ix).ok_or_else(|| elsewhere(here))?);
        if let Some(frame) = state.frames.get(depth) {
            same_foreach(frame, (before, now))?;
            if frame.each.is_some() && before.key != now.key {
                keys.push((before.key.clone(), now.key.clone()));
            }
        }
    }
    let step = chain[chain.len() - 1];
    let now = new.node(step).ok_or_else(|| elsewhere(here))?;
    let differs = step_members(graph, here) != step_members(new, now);
    let rearm = match state.call() {
        Some(call) => in_hand(call, here, differs)?,
        None => false,
    };
    if differs && state.call().is_some_and(|call| call.retry_at.is_some()) {
        // The call is made again as the new version defines it. Its failed attempt had no effects.
        if let Some(frame) = moved.frames.last_mut() {
            frame.call = None;
        }
    }
    let mut undos = Vec::with_capacity(standing.undos.len());
    for ix in standing.undos {
        undos.push((*ix, undo(&finder, *ix)?));
    }
    let reads_now = state.call().is_none() || differs;
    variables::all_there(standing, new, (chain[chain.len() - 1], reads_now))?;
    Ok(Move { state: moved, step, keys, undos, rearm })
}

/// Returns the steps that the run is in, the outermost first, if it can be moved at all.
fn path<'g>(standing: Standing<'g>) -> Result<Vec<&'g Node>, Obstacle> {
    let Standing { graph, state, children, .. } = standing;
    let path = state.path(graph);
    let step = path.last().map_or("end", |node| node.step_id.as_str());
    if state.closing.is_some()
        || matches!(state.phase, Phase::Undo { .. } | Phase::OnCancel | Phase::Ended)
    {
        return Err(Obstacle::cannot(step, "the run is ending"));
    }
    if matches!(state.phase, Phase::Branch { .. } | Phase::Item { .. }) {
        let why = "the run is a branch of another run and has the version of that run";
        return Err(Obstacle::cannot(step, why));
    }
    if children > 0
        || state.call().is_some_and(|call| matches!(call.on, Some(Pending::Children(_))))
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

fn elsewhere(node: &Node) -> Obstacle {
    Obstacle::cannot(&node.step_id, "the step is inside other steps in the new version")
}

/// Moves one frame to the new position of its step.
fn set_place(
    (moved, depth): (&mut RunState, usize),
    (place, above): (Place, Option<NodeIndex>),
    here: &Node,
) -> Result<(), Obstacle> {
    let fits = match (place.top, above) {
        (Top::Main, None) => moved.phase == Phase::Main,
        (Top::Fallback(ix), None) => {
            let in_fallback = matches!(moved.phase, Phase::Fallback(_));
            if in_fallback {
                moved.phase = Phase::Fallback(ix);
            }
            in_fallback
        }
        (Top::Inside(around, inside), Some(above)) if around == above => {
            let before = moved.frames[depth - 1].inside;
            let same = before
                .is_some_and(|b| std::mem::discriminant(&b) == std::mem::discriminant(&inside));
            moved.frames[depth - 1].inside = Some(inside);
            same
        }
        _ => false,
    };
    if !fits {
        return Err(elsewhere(here));
    }
    if let Some(frame) = moved.frames.get_mut(depth) {
        frame.at = place.at;
    }
    Ok(())
}

/// Refuses a change of a `foreach` in progress: it must walk the list that it began with.
fn same_foreach(frame: &Frame, (before, now): (&Node, &Node)) -> Result<(), Obstacle> {
    let begun = frame.each.is_some() || frame.call.is_some() || frame.inside.is_some();
    let said = |node: &Node| {
        let foreach = node.foreach.as_ref()?;
        Some((foreach.variable.clone(), expr::print(&foreach.over), foreach.concurrency))
    };
    let shown = |node: &Node| {
        said(node)
            .map_or_else(|| "none".to_owned(), |(item, over, _)| format!("`{item} in {over}`"))
    };
    if begun && said(before) != said(now) {
        let why = format!("its `foreach` was {} and is now {}", shown(before), shown(now));
        return Err(Obstacle::cannot(&before.step_id, why));
    }
    Ok(())
}

/// Returns whether the current wait must be computed again.
fn in_hand(call: &CallState, node: &Node, differs: bool) -> Result<bool, Obstacle> {
    if call.cursor.is_some() {
        let why = "its call is half done; the run can be moved when the call has finished";
        return Err(Obstacle::cannot(&node.step_id, why));
    }
    Ok(differs && matches!(call.on, Some(Pending::Replies(_))))
}

/// Returns the step of the new version whose call is undone with the same verb as that of the old step.
fn undo(finder: &Finder<'_>, ix: NodeIndex) -> Result<NodeIndex, Obstacle> {
    let before = finder.old.node(ix).ok_or_else(|| Obstacle::cannot("end", "an unknown step"))?;
    let verb = |graph: &Graph, node: &Node| {
        let undo = graph.node(*node.call()?.compensation.first()?)?;
        Some(undo.action_name().to_owned())
    };
    let found = finder.find(before)?;
    let now = finder.new.node(found).and_then(|node| verb(finder.new, node));
    if now.is_none() || now != verb(finder.old, before) {
        let why = "it is done, and the new version does not undo it with the same verb";
        return Err(Obstacle::cannot(&before.step_id, why));
    }
    Ok(found)
}
