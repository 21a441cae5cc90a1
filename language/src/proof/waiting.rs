//! Proves that every wait has ways to end, and a time by which it ends.

use serde::{Serialize, Serializer};

use super::ending::{Law, ProofFault};
use crate::base::Span;
use crate::method::{Await, ComputedDeadline, Node};

/// A step at which a run waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Wait {
    /// Id of the step.
    pub step_id: String,
    /// Line of the step in the file, from 1.
    pub line: u32,
    /// `replies`, `signal`, `pause`, `method`, `branches` or `rounds`.
    pub kind: &'static str,
    /// Maximum duration of the wait; `None` if only the run's time limit bounds the duration.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "text")]
    pub at_most: Option<Span>,
    /// The ways in which the wait can end.
    pub ways_out: Vec<WayOut>,
    /// Where the run continues: the id of a step, or a description.
    pub then: String,
}

/// A way in which a wait can end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WayOut {
    /// Name of the way: `enough`, `exhausted`, `timeout`, `signal` or `failed`.
    pub way: &'static str,
    /// Condition under which the wait ends in this way, in words for people.
    pub when: String,
}

impl WayOut {
    fn new(way: &'static str, when: impl Into<String>) -> Self {
        Self { way, when: when.into() }
    }
}

/// Describes a wait for replies.
pub(super) fn replies(
    node: &Node,
    enough: String,
    at_most: Option<Span>,
    computed: &[ComputedDeadline],
    then: &str,
) -> Wait {
    let until = at_most.map_or("its timeout passes".to_owned(), |span| end(computed, span));
    let ways_out = vec![
        WayOut::new("enough", enough),
        WayOut::new("exhausted", "nobody is left who could say yes"),
        WayOut::new("timeout", until),
    ];
    Wait { ways_out, ..wait(node, "replies", at_most, then) }
}

/// Describes a wait for signals, or for time to pass.
pub(super) fn signals(node: &Node, awaited: &Await, then: &str) -> Wait {
    let at_most = Some(awaited.timeout);
    let kind = if awaited.signals.is_empty() { "pause" } else { "signal" };
    let mut ways_out: Vec<WayOut> = Vec::new();
    ways_out.extend(
        awaited.signals.iter().map(|one| WayOut::new("signal", format!("`{}` comes", one.signal))),
    );
    ways_out.push(WayOut::new("timeout", end(&awaited.computed, awaited.timeout)));
    Wait { ways_out, ..wait(node, kind, at_most, then) }
}

/// Says when the timer of a wait ends it, in words for people.
fn end(computed: &[ComputedDeadline], longest: Span) -> String {
    let computed: Vec<String> = computed.iter().map(ComputedDeadline::describe).collect();
    match computed.is_empty() {
        true => format!("after {longest}"),
        false => format!("{}, after {longest} at the latest", computed.join(" or ")),
    }
}

/// Describes a wait for child runs: branches, concurrent rounds, or a called method.
pub(super) fn children(
    node: &Node,
    kind: &'static str,
    need: String,
    at_most: Option<Span>,
    then: &str,
) -> Wait {
    let hopeless =
        if kind == "method" { "it fails or is cancelled" } else { "too few can still succeed" };
    let mut ways_out = vec![WayOut::new("enough", need), WayOut::new("failed", hopeless)];
    ways_out.extend(at_most.map(|span| WayOut::new("timeout", format!("after {span}"))));
    Wait { ways_out, ..wait(node, kind, at_most, then) }
}

fn wait(node: &Node, kind: &'static str, at_most: Option<Span>, then: &str) -> Wait {
    Wait {
        step_id: node.step_id.clone(),
        line: node.line,
        kind,
        at_most,
        ways_out: Vec::new(),
        then: then.to_owned(),
    }
}

/// Returns the fault that a proof reports for a wait without a timeout.
pub(super) fn endless(node: &Node) -> ProofFault {
    ProofFault {
        law: Law::EveryWaitHasAWayOut,
        step_id: node.step_id.clone(),
        line: node.line,
        why: "it has no `timeout`: if nobody answers, it waits until the run's time limit".into(),
    }
}

fn text<S: Serializer>(span: &Option<Span>, s: S) -> Result<S::Ok, S::Error> {
    match span {
        Some(span) => s.collect_str(span),
        None => s.serialize_none(),
    }
}
