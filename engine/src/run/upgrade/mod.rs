//! Whether a waiting run can go on with another text of its method, and where it would stand in it.
//!
//! A position is safe if every step that the run stands in is found again: by the id that its author
//! gave, by its place and what it does, or by what the operator says (`--map old=new`). Besides, what
//! can be undone must still be known, and what later steps read must be there.

mod identity;
mod place;
#[cfg(test)]
mod tests;
mod variables;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::state::{CallState, Frame, Pending, Phase, RunState};
use crate::expr;
use crate::method::{Graph, Node, NodeIx, members};
use identity::Finder;
use place::{Place, Top, places};

/// A run as it stands.
#[derive(Debug, Clone, Copy)]
pub struct Standing<'a> {
    /// The graph that it goes by.
    pub graph: &'a Graph,
    /// Where it is.
    pub state: &'a RunState,
    /// The names of its variables.
    pub variables: &'a BTreeSet<String>,
    /// The steps whose calls it could still undo.
    pub undos: &'a [NodeIx],
    /// How many runs it started that are at work.
    pub children: usize,
}

/// Steps that were renamed: what they were called, and what they are called now.
pub type Renamed = BTreeMap<String, String>;

/// How a run is moved to another graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Move {
    /// Where it stands then.
    pub state: RunState,
    /// The step it stands at, in the new graph.
    pub step: NodeIx,
    /// The places of `foreach`es in hand, old and new: variables are kept under them.
    pub keys: Vec<(String, String)>,
    /// The steps on its undo stack, old and new.
    pub undos: Vec<(NodeIx, NodeIx)>,
    /// What it waits for is written otherwise now: count, time or people must be computed anew.
    pub rearm: bool,
}

/// What keeps a run from being moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Obstacle {
    /// An operator can say which step is meant.
    pub mapping: bool,
    /// The step.
    pub step: String,
    /// Why.
    pub why: String,
}

impl Obstacle {
    fn cannot(step: &str, why: impl Into<String>) -> Self {
        Self { mapping: false, step: step.to_owned(), why: why.into() }
    }
}

/// Judges whether a run can go on with `new`, and how.
///
/// # Errors
/// What keeps it, and which step that is.
pub fn judge(standing: Standing<'_>, new: &Graph, renamed: &Renamed) -> Result<Move, Obstacle> {
    let Standing { graph, state, .. } = standing;
    let path = path(standing)?;
    let Some(here) = path.last() else {
        return Err(Obstacle::cannot("end", "it stands between two steps; try again in a moment"));
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
    let differs = members(graph, here) != members(new, now);
    let rearm = match state.call() {
        Some(call) => in_hand(call, here, differs)?,
        None => false,
    };
    if differs && state.call().is_some_and(|call| call.retry_at.is_some()) {
        // It is tried anew as the new text has it: what failed has left nothing behind.
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

/// The steps that the run stands in, the outermost first, if it can be moved at all.
fn path<'g>(standing: Standing<'g>) -> Result<Vec<&'g Node>, Obstacle> {
    let Standing { graph, state, children, .. } = standing;
    let path = state.path(graph);
    let step = path.last().map_or("end", |node| node.step_id.as_str());
    if state.closing.is_some()
        || matches!(state.phase, Phase::Undo { .. } | Phase::OnCancel | Phase::Ended)
    {
        return Err(Obstacle::cannot(step, "it is coming to its end"));
    }
    if matches!(state.phase, Phase::Branch { .. } | Phase::Item { .. }) {
        let why = "it is a branch of another run and goes by that run's text";
        return Err(Obstacle::cannot(step, why));
    }
    if children > 0
        || state.call().is_some_and(|call| matches!(call.on, Some(Pending::Children(_))))
    {
        let why = format!(
            "runs that it started are at work ({children}); it can be moved when they have ended"
        );
        return Err(Obstacle::cannot(step, why));
    }
    if path.len() != state.frames.len() {
        return Err(Obstacle::cannot(step, "it stands between two steps; try again in a moment"));
    }
    Ok(path)
}

fn elsewhere(node: &Node) -> Obstacle {
    Obstacle::cannot(&node.step_id, "the step stands inside other steps in the new text")
}

/// Sets one frame to where its step stands now.
fn set_place(
    (moved, depth): (&mut RunState, usize),
    (place, above): (Place, Option<NodeIx>),
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

/// A `foreach` in hand walks the list that it began with.
fn same_foreach(frame: &Frame, (before, now): (&Node, &Node)) -> Result<(), Obstacle> {
    let begun = frame.each.is_some() || frame.call.is_some() || frame.inside.is_some();
    let said = |node: &Node| {
        let foreach = node.foreach.as_ref()?;
        Some((foreach.variable.clone(), expr::print(&foreach.over), foreach.abreast))
    };
    let shown = |node: &Node| {
        said(node)
            .map_or_else(|| "none".to_owned(), |(item, over, _)| format!("`{item} in {over}`"))
    };
    if begun && said(before) != said(now) {
        let why = format!("its `foreach` was {}, and is {} now", shown(before), shown(now));
        return Err(Obstacle::cannot(&before.step_id, why));
    }
    Ok(())
}

/// Whether the wait in hand must be computed anew.
fn in_hand(call: &CallState, node: &Node, differs: bool) -> Result<bool, Obstacle> {
    if call.cursor.is_some() {
        let why = "its call is half done; it can be moved when the step is";
        return Err(Obstacle::cannot(&node.step_id, why));
    }
    Ok(differs && matches!(call.on, Some(Pending::Replies(_))))
}

/// The step of the new text whose call is undone as that of the old one would be.
fn undo(finder: &Finder<'_>, ix: NodeIx) -> Result<NodeIx, Obstacle> {
    let before = finder.old.node(ix).ok_or_else(|| Obstacle::cannot("end", "an unknown step"))?;
    let verb = |graph: &Graph, node: &Node| {
        let undo = graph.node(*node.call()?.undo.first()?)?;
        Some(undo.does().to_owned())
    };
    let found = finder.find(before)?;
    let now = finder.new.node(found).and_then(|node| verb(finder.new, node));
    if now.is_none() || now != verb(finder.old, before) {
        let why = "it is done, and the new text does not say how to undo it in the same way";
        return Err(Obstacle::cannot(&before.step_id, why));
    }
    Ok(found)
}
