//! Determines whether a fork of a run can begin at a given step, and with which state and without which
//! variables the fork begins.

use std::collections::BTreeSet;

use super::state::{Frame, Phase, RunState, WaitingFor};
use super::status::RunStatus;
use crate::base::{Problem, did_you_mean};
use crate::method::{Graph, Node, NodeIndex, StepAction};

/// The main step at which a fork of a run begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForkPoint {
    /// Index of the step in the list of main steps, from 0.
    pub at: usize,
    /// Variables that only this step or a later step assigns. The fork begins without these variables.
    pub later: BTreeSet<String>,
    /// The value of the variable `timeout` with which the fork begins: true if the old run is still at
    /// this step and the last wait of the old run timed out.
    pub timed_out: bool,
}

impl ForkPoint {
    /// Finds the main step with the id `step_id`, and checks that a run in this state and status
    /// can be forked at that step. The run may have ended.
    ///
    /// # Errors
    /// `unknown_step` if the method has no such step.
    /// `cannot_fork` if a fork cannot begin at the step: the run is a branch or has undone its calls,
    /// the step is inside another step or not reached yet, a call of the run is half done,
    /// or a variable may have been assigned again since the run was at the step.
    pub fn find(
        graph: &Graph,
        state: &RunState,
        status: RunStatus,
        step_id: &str,
    ) -> Result<Self, Problem> {
        if state.lineage.as_ref().is_some_and(|lineage| !lineage.inherits.is_empty()) {
            return Err(refusal(
                "a branch is part of another run",
                "fork the run that it belongs to",
            ));
        }
        let at = main_step(graph, step_id)?;
        let reached = match state.phase {
            Phase::Main => state.frames.first().map_or(0, |frame| frame.at),
            Phase::Undo { .. } => {
                return Err(refusal("the run has undone its calls", "start a new run instead"));
            }
            _ => graph.main.len(),
        };
        if at > reached {
            let why = format!("the run has not reached `{step_id}` yet");
            return Err(refusal(&why, "name a step that the run has reached, or wait"));
        }
        if !status.is_terminal() && is_half_done(state) {
            let hint = "wait until the current step is done, or cancel the run first";
            return Err(refusal("a call of the run is half done", hint));
        }
        let before = assigned_in(graph, ..main_step_index(graph, at));
        let later = assigned_in(graph, main_step_index(graph, at)..);
        let rebound: Vec<&String> = before.intersection(&later).collect();
        if reached > at
            && let Some(name) = rebound.first()
        {
            let why = format!(
                "`{name}` was bound before `{step_id}` and may have been bound again since"
            );
            return Err(refusal(&why, "name an earlier step, or start a new run instead"));
        }
        let later = later.difference(&before).cloned().collect();
        Ok(Self { at, later, timed_out: state.timed_out && reached == at })
    }

    /// Returns the state with which the fork begins.
    #[must_use]
    pub fn state(&self) -> RunState {
        let frame = Frame { at: self.at, ..Frame::default() };
        RunState { frames: vec![frame], timed_out: self.timed_out, ..RunState::default() }
    }
}

fn refusal(why: &str, hint: &str) -> Problem {
    Problem::caller("cannot_fork", format!("cannot fork the run at this step: {why}"))
        .with_hint(hint)
}

/// Returns the index of a step in the list of main steps.
fn main_step(graph: &Graph, step_id: &str) -> Result<usize, Problem> {
    let ids = || graph.main.iter().filter_map(|ix| graph.node(*ix)).map(|n| n.step_id.as_str());
    if let Some(at) = ids().position(|id| id == step_id) {
        return Ok(at);
    }
    let all: Vec<String> = ids().map(|id| format!("`{id}`")).collect();
    if graph.index_by_id(step_id).is_some() {
        let why = format!("`{step_id}` is inside another step, a fallback or `on_cancel`");
        return Err(refusal(&why, &format!("the main steps are {}", all.join(", "))));
    }
    let message = format!("`{}` has no step `{step_id}`", graph.method);
    let hint = did_you_mean(step_id, ids());
    let hint = hint.unwrap_or_else(|| format!("the main steps are {}", all.join(", ")));
    Err(Problem::caller("unknown_step", message).with_hint(hint))
}

/// Whether the current call has committed some of its writes but not all, is being made by an outside
/// system, or waits for child runs.
fn is_half_done(state: &RunState) -> bool {
    state.call().is_some_and(|call| {
        let waiting_for = call.waiting_for.as_ref();
        call.cursor.is_some()
            || matches!(waiting_for, Some(WaitingFor::Children(_) | WaitingFor::External(_)))
    })
}

/// Returns the index of the main step `at` in the list of all steps of the graph, or the length of that
/// list if there is no such main step. In the list, a step is followed by the steps inside it, then by
/// the next main step.
fn main_step_index(graph: &Graph, at: usize) -> NodeIndex {
    let end = NodeIndex::try_from(graph.nodes.len()).unwrap_or(NodeIndex::MAX);
    graph.main.get(at).copied().unwrap_or(end)
}

/// Returns the variables that a range of steps assigns.
fn assigned_in(graph: &Graph, part: impl std::ops::RangeBounds<NodeIndex>) -> BTreeSet<String> {
    let nodes = (0..).zip(&graph.nodes).filter(|(ix, _)| part.contains(ix));
    nodes.flat_map(|(_, node)| assigned_by(node)).map(str::to_owned).collect()
}

fn assigned_by(node: &Node) -> Vec<&str> {
    let mut names: Vec<&str> = node.out().into_iter().chain(node.implies()).collect();
    names.extend(node.foreach.iter().flat_map(|foreach| &foreach.assigns).map(String::as_str));
    match &node.action {
        StepAction::Set(members) => names.extend(members.iter().map(|(name, _)| name.as_str())),
        StepAction::Await(wait) => {
            names.extend(wait.signals.iter().filter_map(|awaited| awaited.out.as_deref()));
        }
        StepAction::Parallel(parallel) => {
            names.extend(parallel.assigns.iter().flatten().map(String::as_str));
        }
        _ => {}
    }
    names
}
