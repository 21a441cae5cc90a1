//! Names the signals that bring late answers, so that each answer ends the wait for its own question.
//!
//! An *asking* is a call whose answer comes later, in a signal. Each asking has a signal name of its own,
//! and an internal variable of the run keeps only the signal name of the latest asking. So the answer
//! to an earlier asking does not end a later wait. The name of the internal variable contains
//! the name that the method gives to the answer.
//!
//! A call in a branch or a round may be an asking. If the same branch or round contains the wait for the
//! answer, the asking belongs to this child run alone. If not, the wait is elsewhere in the method. In that
//! case the asking belongs to the run of the whole method, and all rounds of a step share one asking.

use std::borrow::Cow;

use super::context::Step;
use super::load;
use crate::base::{Digest, Problem, RunId, Value};
use crate::library::Bundle;
use crate::method::{Await, AwaitedSignal, Graph, Node, StepAction};
use crate::run::{Phase, RunState};
use crate::store::Tx;

/// Returns the name that the method gives to the answer to a call: the call's `out`,
/// or the id of the step if there is no `out`.
fn called(node: &Node) -> &str {
    node.out().unwrap_or(&node.step_id)
}

/// Returns the name of the internal variable that keeps the signal name of the latest asking.
/// `answer` is the name that the method gives to the answer.
fn kept_as(answer: &str) -> String {
    format!("#answer {answer}")
}

/// Whether the answer to a step's call comes later, in a signal, as the contract of its verb says.
fn asks(bundle: &Bundle, node: &Node) -> bool {
    let contract = node.call().and_then(|call| bundle.contracts.get(&call.verb));
    contract.is_some_and(|contract| contract.answered_later)
}

/// Returns the name of the signal that will bring the answer to the current call.
pub(super) fn name<'n>(step: &Step<'_>, node: &'n Node) -> Cow<'n, str> {
    let (live, answer) = (step.live, called(node));
    if !asks(&live.bundle, node) {
        return Cow::Borrowed(answer);
    }
    let (graph, state) = (&live.bundle.graph, &step.draft.state);
    let which = match step.is_branch() && !awaits(graph, state, answer) {
        true => serde_json::json!([live.message_target(), node.key]),
        false => serde_json::json!([live.id, node.key, rounds(graph, state)]),
    };
    let which = Digest::of(which.to_string().as_bytes()).short();
    Cow::Owned(format!("{answer}#{which}"))
}

/// Stores the signal name of the current asking in the internal variable for the latest asking.
pub(super) fn remember(step: &mut Step<'_>, node: &Node) {
    if asks(&step.live.bundle, node) {
        let name = name(step, node).into_owned();
        step.draft.assign(kept_as(called(node)), Value::from(name));
    }
}

/// Returns the names of the internal variables that keep the signal names of the latest askings.
/// A parent copies these variables from its branches and rounds.
pub(super) fn remembered(bundle: &Bundle) -> impl Iterator<Item = String> {
    bundle.graph.nodes.iter().filter(|node| asks(bundle, node)).map(|node| kept_as(called(node)))
}

/// Returns the names of the signals that end an `await`: the names in the method,
/// which a person can send by hand, and the signal names of the latest askings.
pub(super) async fn awaited<'w>(
    step: &mut Step<'_>,
    wait: &'w Await,
) -> Result<Vec<(String, &'w AwaitedSignal)>, Problem> {
    let mut names: Vec<(String, &AwaitedSignal)> =
        wait.signals.iter().map(|awaited| (awaited.signal.clone(), awaited)).collect();
    let bundle = &step.live.bundle;
    for awaited in wait.signals.iter().filter(|awaited| is_asked_for(bundle, &awaited.signal)) {
        let latest = load::named_values(step, &[kept_as(&awaited.signal)]).await?;
        let latest = latest.into_iter().filter_map(|(_, name)| name.as_str().map(str::to_owned));
        names.extend(latest.map(|name| (name, awaited)));
    }
    Ok(names)
}

/// Returns the signal names of the latest askings of `runs`. `called` contains the names that the method
/// gives to the answers which these signals bring. If several of the runs have an asking for the same
/// answer, only the asking of the run that comes first in `runs` counts.
pub(crate) async fn latest(
    tx: &mut Tx,
    bundle: &Bundle,
    runs: &[RunId],
    called: &[String],
) -> Result<Vec<String>, Problem> {
    let known: Vec<String> = called.iter().map(|answer| kept_as(answer)).collect();
    let known: Vec<String> = remembered(bundle).filter(|kept| known.contains(kept)).collect();
    if known.is_empty() {
        return Ok(Vec::new());
    }
    let names = load::vars_of(tx, runs, &known).await?;
    Ok(names.into_iter().filter_map(|(_, name)| name.as_str().map(str::to_owned)).collect())
}

/// Whether any step of this method makes a call whose late answer has this name.
pub(crate) fn is_asked_for(bundle: &Bundle, answer: &str) -> bool {
    let kept = kept_as(answer);
    remembered(bundle).any(|known| known == kept)
}

/// Whether the current branch or round contains an `await` for the answer.
fn awaits(graph: &Graph, state: &RunState, answer: &str) -> bool {
    let own: Vec<&Node> = match state.phase {
        Phase::Item { node } => graph.node(node).into_iter().collect(),
        Phase::Branch { node, branch } => match graph.node(node).map(|node| &node.action) {
            Some(StepAction::Parallel(parallel)) => {
                let steps = parallel.branches.get(branch).into_iter().flatten();
                steps.filter_map(|ix| graph.node(*ix)).collect()
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    let is_inside = |key: &str| {
        own.iter()
            .filter_map(|node| key.strip_prefix(&node.key))
            .any(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let waits = |node: &Node| match &node.action {
        StepAction::Await(wait) => wait.signals.iter().any(|awaited| awaited.signal == answer),
        _ => false,
    };
    graph.nodes.iter().any(|node| waits(node) && is_inside(&node.key))
}

/// Returns the positions in the loops around the current step: the index of the item in a `foreach`,
/// and the number of finished rounds of a `repeat`.
/// Leaves out the step's own `foreach`, because its items share one asking.
fn rounds(graph: &Graph, state: &RunState) -> Vec<(usize, u32)> {
    let around = state.path(graph).len().saturating_sub(1);
    let frames = state.frames.iter().take(around);
    frames.map(|frame| (frame.foreach.map_or(0, |each| each.index), frame.rounds)).collect()
}
