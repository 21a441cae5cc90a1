//! Names the messages that bring late answers, so that each answer ends the wait for its own question.
//!
//! An *asking* is a call whose answer comes later, in a message. Each asking has its own message name.
//! The run keeps the name of the latest asking in a variable, which is derived from the name
//! that the author gives to the answer. So an answer to an earlier question does not end a later wait.
//! A branch or a round that itself waits for the answer has an asking of its own; the askings of all others
//! belong to the run above them.

use std::borrow::Cow;

use super::context::Step;
use super::load;
use crate::base::{Digest, Problem, RunId, Value};
use crate::library::Bundle;
use crate::method::{Await, AwaitedSignal, Graph, Node, StepAction};
use crate::run::{Phase, RunState};
use crate::store::Tx;

/// Returns the author's name for the answer to a call: its `out`, or else the id of the step.
fn called(node: &Node) -> &str {
    node.out().unwrap_or(&node.step_id)
}

/// Returns the name of the variable that keeps the message name of the latest asking.
fn kept_as(answer: &str) -> String {
    format!("#answer {answer}")
}

/// Whether the answer to a call comes later, in a message.
fn asks(bundle: &Bundle, node: &Node) -> bool {
    let contract = node.call().and_then(|call| bundle.contracts.get(&call.verb));
    contract.is_some_and(|contract| contract.answered_later)
}

/// Returns the name of the message that will bring the answer to the current call.
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

/// Stores the message name of this asking as the name of the latest asking.
pub(super) fn remember(step: &mut Step<'_>, node: &Node) {
    if asks(&step.live.bundle, node) {
        let name = name(step, node).into_owned();
        step.draft.assign(kept_as(called(node)), Value::from(name));
    }
}

/// Returns the names of the variables that keep latest askings.
/// The parent copies them from a branch or a round.
pub(super) fn remembered(bundle: &Bundle) -> impl Iterator<Item = String> {
    bundle.graph.nodes.iter().filter(|node| asks(bundle, node)).map(|node| kept_as(called(node)))
}

/// Returns the names of the messages that end a wait.
/// These are the names in the method, which a person may send by hand,
/// and the message names of the latest askings (see the top of this file).
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

/// Returns the message names of the latest askings of these runs, the nearest run first.
/// `called` holds the author's names for the answers.
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

/// Whether a call of this method has a late answer with this name.
pub(crate) fn is_asked_for(bundle: &Bundle, answer: &str) -> bool {
    let kept = kept_as(answer);
    remembered(bundle).any(|known| known == kept)
}

/// Whether the branch or the round itself contains a wait for that answer.
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

/// Returns the positions in the loops around the current step. The step's own `foreach` is left out,
/// because its items share one asking.
fn rounds(graph: &Graph, state: &RunState) -> Vec<(usize, u32)> {
    let around = state.path(graph).len().saturating_sub(1);
    let frames = state.frames.iter().take(around);
    frames.map(|frame| (frame.foreach.map_or(0, |each| each.index), frame.rounds)).collect()
}
