//! How an answer that comes later finds the wait for its question.
//!
//! Each asking has a name of its own, and the run keeps the latest one under what the author calls the
//! answer: so an answer to an earlier question ends no later wait. A branch or a round that waits for
//! the answer asks for itself alone; the name of any other is left to the run that started it.

use std::borrow::Cow;

use super::context::Step;
use super::load;
use crate::base::{Digest, Problem, RunId, Value};
use crate::library::Bundle;
use crate::method::{Act, Await, Awaited, Graph, Node};
use crate::run::{Phase, RunState};
use crate::store::Tx;

/// What the author calls the answer to a call.
fn called(node: &Node) -> &str {
    node.out().unwrap_or(&node.step_id)
}

/// The variable that keeps the name of the latest asking.
fn kept_as(answer: &str) -> String {
    format!("#answer {answer}")
}

/// True for a call that somebody answers later.
fn asks(bundle: &Bundle, node: &Node) -> bool {
    let contract = node.call().and_then(|call| bundle.contracts.get(&call.verb));
    contract.is_some_and(|contract| contract.answered_later)
}

/// The name of the message that brings the answer to the call in hand.
pub(super) fn name<'n>(step: &Step<'_>, node: &'n Node) -> Cow<'n, str> {
    let (live, answer) = (step.live, called(node));
    if !asks(&live.bundle, node) {
        return Cow::Borrowed(answer);
    }
    let (graph, state) = (&live.bundle.graph, &step.draft.state);
    let which = match step.is_branch() && !awaits(graph, state, answer) {
        true => serde_json::json!([live.root(), node.key]),
        false => serde_json::json!([live.id, node.key, rounds(graph, state)]),
    };
    let which = Digest::of(which.to_string().as_bytes()).short();
    Cow::Owned(format!("{answer}#{which}"))
}

/// Remembers what was asked last.
pub(super) fn remember(step: &mut Step<'_>, node: &Node) {
    if asks(&step.live.bundle, node) {
        let name = name(step, node).into_owned();
        step.draft.assign(kept_as(called(node)), Value::from(name));
    }
}

/// What a branch or a round remembers, for the run that goes on without it.
pub(super) fn remembered(bundle: &Bundle) -> impl Iterator<Item = String> {
    bundle.graph.nodes.iter().filter(|node| asks(bundle, node)).map(|node| kept_as(called(node)))
}

/// The names of the messages that end a wait: as the author wrote them, for whoever sends one by hand,
/// and those of the latest askings.
pub(super) async fn awaited<'w>(
    step: &mut Step<'_>,
    wait: &'w Await,
) -> Result<Vec<(String, &'w Awaited)>, Problem> {
    let mut names: Vec<(String, &Awaited)> =
        wait.signals.iter().map(|awaited| (awaited.signal.clone(), awaited)).collect();
    let bundle = &step.live.bundle;
    for awaited in wait.signals.iter().filter(|awaited| is_asked_for(bundle, &awaited.signal)) {
        let latest = load::named_values(step, &[kept_as(&awaited.signal)]).await?;
        let latest = latest.into_iter().filter_map(|(_, name)| name.as_str().map(str::to_owned));
        names.extend(latest.map(|name| (name, awaited)));
    }
    Ok(names)
}

/// The names of the latest askings of these runs, the nearest first, whose answers are called so.
pub(crate) async fn latest(
    tx: &mut Tx,
    (bundle, runs): (&Bundle, &[RunId]),
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

/// True for an answer that a call of this method asks for.
pub(crate) fn is_asked_for(bundle: &Bundle, answer: &str) -> bool {
    let kept = kept_as(answer);
    remembered(bundle).any(|known| known == kept)
}

/// True where the branch or the round itself waits for that answer.
fn awaits(graph: &Graph, state: &RunState, answer: &str) -> bool {
    let own: Vec<&Node> = match state.phase {
        Phase::Item { node } => graph.node(node).into_iter().collect(),
        Phase::Branch { node, branch } => match graph.node(node).map(|node| &node.act) {
            Some(Act::Parallel(parallel)) => {
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
    let waits = |node: &Node| match &node.act {
        Act::Await(wait) => wait.signals.iter().any(|awaited| awaited.signal == answer),
        _ => false,
    };
    graph.nodes.iter().any(|node| waits(node) && is_inside(&node.key))
}

/// Which rounds of the loops round the step it is in: the items of its own `foreach` ask as one.
fn rounds(graph: &Graph, state: &RunState) -> Vec<(usize, u32)> {
    let around = state.path(graph).len().saturating_sub(1);
    let frames = state.frames.iter().take(around);
    frames.map(|frame| (frame.each.map_or(0, |each| each.index), frame.rounds)).collect()
}
