//! Compares two versions of a method: which steps and which members of the steps differ.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use utoipa::ToSchema;

use super::arg::{Arg, TextPart};
use super::graph::{Call, Graph, MethodLimits, Node, StepAction};
use super::retry::Retry;
use crate::base::{Span, Value};
use crate::expr::{self, Expr};

/// The members of a step by name, in a form that does not depend on the step's position in the source.
pub type Members = BTreeMap<String, Value>;

crate::words! {
    /// The change of a step between two versions of a method.
    pub enum ChangeKind {
        /// Only the new version has the step.
        Added = "added",
        /// Only the old version has the step.
        Removed = "removed",
        /// Some members of the step differ.
        Changed = "changed",
        /// The step is in another list of steps, with the same members.
        Moved = "moved",
    }
}

/// A difference between two versions of a method.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct MethodChange {
    /// Kind of the change to the step or the method.
    #[serde(rename = "change")]
    pub kind: ChangeKind,
    /// Id of the step; absent for a change to the method itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_id: Option<String>,
    /// Path of the step in the new version, or in the old one if the step was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Members that differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub what: Vec<MemberChange>,
}

/// A member that differs.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct MemberChange {
    /// Name of the member: `timeout`, `args.count`.
    pub member: String,
    /// Old value; null if the member is new.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub from: Value,
    /// New value; null if the member was removed.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub to: Value,
}

/// Lists the steps that were added, removed, changed or moved,
/// and the changed members of the method itself.
#[must_use]
pub fn diff(old: &Graph, new: &Graph) -> Vec<MethodChange> {
    let method = diff_members(&method_members(old), &method_members(new));
    let mut changes = Vec::new();
    if !method.is_empty() {
        changes.push(MethodChange {
            kind: ChangeKind::Changed,
            step_id: None,
            path: None,
            what: method,
        });
    }
    let matched = match_steps(old, new);
    let kept: BTreeSet<usize> = matched.values().copied().collect();
    let removed = old.nodes.iter().enumerate().filter(|(ix, _)| !kept.contains(ix));
    changes.extend(removed.map(|(_, node)| of_step(ChangeKind::Removed, node, Vec::new())));
    for (ix, node) in new.nodes.iter().enumerate() {
        let Some(before) = matched.get(&ix).and_then(|ix| old.nodes.get(*ix)) else {
            changes.push(of_step(ChangeKind::Added, node, Vec::new()));
            continue;
        };
        let what = diff_members(&step_members(old, before), &step_members(new, node));
        if !what.is_empty() {
            changes.push(of_step(ChangeKind::Changed, node, what));
        } else if container(&before.key) != container(&node.key) {
            changes.push(of_step(ChangeKind::Moved, node, Vec::new()));
        }
    }
    changes
}

fn of_step(kind: ChangeKind, node: &Node, what: Vec<MemberChange>) -> MethodChange {
    let (step_id, path) = (Some(node.step_id.clone()), Some(node.key.clone()));
    MethodChange { kind, step_id, path, what }
}

/// Returns the path of the list of steps that contains the step with the path `key`.
fn container(key: &str) -> &str {
    key.rsplit_once('/').map_or("", |(container, _)| container)
}

/// Maps the index of a step in the new version to the index of the same step in the old version.
/// A step that only the new version has is not in the map.
///
/// Steps with an author's id are matched by that id and their kind of action.
/// The other steps are matched by equal members. Steps that are still unmatched
/// are matched by their kind of action, in the order of the source.
fn match_steps(old: &Graph, new: &Graph) -> BTreeMap<usize, usize> {
    let mut matched = BTreeMap::new();
    let mut free: Vec<usize> = (0..old.nodes.len()).collect();
    let mut pair = |alike: &dyn Fn(&Node, &Node) -> bool| {
        for (ix, node) in new.nodes.iter().enumerate() {
            if matched.contains_key(&ix) {
                continue;
            }
            let found = free.iter().position(|before| alike(&old.nodes[*before], node));
            if let Some(found) = found {
                matched.insert(ix, free.remove(found));
            }
        }
    };
    pair(&|before, node| {
        has_author_id(node) && before.step_id == node.step_id && same_kind(before, node)
    });
    let nameless = |before: &Node, node: &Node| {
        !has_author_id(node) && !has_author_id(before) && same_kind(before, node)
    };
    pair(&|before, node| {
        nameless(before, node) && step_members(old, before) == step_members(new, node)
    });
    pair(&nameless);
    matched
}

/// Whether the author gave the step its id, so that the id identifies the step anywhere in the method.
#[must_use]
pub fn has_author_id(node: &Node) -> bool {
    let given = node.step_id.strip_prefix(node.action_name());
    given.is_none_or(|rest| {
        !rest.is_empty() && rest.strip_prefix('_').is_none_or(|n| n.parse::<usize>().is_err())
    })
}

/// Whether two steps have the same kind of action: for example, both call the same verb.
#[must_use]
pub fn same_kind(one: &Node, other: &Node) -> bool {
    std::mem::discriminant(&one.action) == std::mem::discriminant(&other.action)
        && one.action_name() == other.action_name()
}

/// Returns the members of a step, without its path and without the steps nested inside it.
#[must_use]
pub fn step_members(graph: &Graph, node: &Node) -> Members {
    let mut said = Members::new();
    let mut say = |name: &str, value: Value| drop(said.insert(name.to_owned(), value));
    if let Some(when) = &node.when {
        say("when", expression(when));
    }
    if let Some(foreach) = &node.foreach {
        say("foreach", format!("{} in {}", foreach.variable, expr::print(&foreach.over)).into());
        say("concurrency", foreach.concurrency.into());
    }
    if node.limits != MethodLimits::default() {
        say("limits", limits(&node.limits));
    }
    match &node.action {
        StepAction::Call(call) => said.extend(call_members(graph, call)),
        StepAction::Method(call) => {
            say("with", argument(&call.with));
            say("out", call.out.as_deref().into());
            say("timeout", duration(call.timeout));
        }
        StepAction::Set(all) => {
            all.iter().for_each(|(name, arg)| say(&format!("set.{name}"), argument(arg)));
        }
        StepAction::Await(wait) => {
            let signals = wait.signals.iter().map(|s| match &s.out {
                Some(out) => Value::from(format!("{} as {out}", s.signal)),
                None => Value::from(s.signal.as_str()),
            });
            say("signals", signals.collect());
            wait.computed.iter().for_each(|end| say(end.key(), argument(end.arg())));
            let longest = if wait.computed.is_empty() { "timeout" } else { "at_most" };
            say(longest, duration(Some(wait.timeout)));
        }
        StepAction::Switch(cases) => {
            let cases =
                cases.iter().map(|case| case.condition.as_ref().map_or(Value::Null, expression));
            say("cases", cases.collect());
        }
        StepAction::Repeat(repeat) => {
            say("until", repeat.until.as_ref().map_or(Value::Null, expression));
            say("max", repeat.max.into());
        }
        StepAction::Parallel(parallel) => {
            say("branches", parallel.branches.len().into());
            say("join", parallel.need.into());
        }
        StepAction::Steps(_) => {}
    }
    said.retain(|_, value| !value.is_null());
    said
}

fn call_members(graph: &Graph, call: &Call) -> Members {
    let mut said = Members::new();
    match &call.args {
        Arg::Object(args) => {
            said.extend(args.iter().map(|(name, arg)| (format!("args.{name}"), argument(arg))));
        }
        other => drop(said.insert("args".to_owned(), argument(other))),
    }
    let undo = call.compensation.first().and_then(|ix| graph.node(*ix));
    let undo = undo.map(
        |node| serde_json::json!({ "call": node.action_name(), "says": step_members(graph, node) }),
    );
    said.extend([
        ("out".to_owned(), call.out.as_deref().into()),
        ("timeout".to_owned(), duration(Some(call.timeout))),
        ("occasion".to_owned(), call.occasion.as_deref().into()),
        ("compensate".to_owned(), undo.unwrap_or(Value::Null)),
    ]);
    if call.retry != Retry::default() {
        said.insert("retry".to_owned(), serde_json::to_value(&call.retry).unwrap_or(Value::Null));
    }
    said
}

/// Returns the members of a method, except its steps.
fn method_members(graph: &Graph) -> Members {
    let mut said = Members::from([
        ("inputs".to_owned(), graph.inputs.clone().unwrap_or(Value::Null)),
        ("limits".to_owned(), limits(&graph.limits)),
        ("success_when".to_owned(), graph.success_when.iter().map(expression).collect()),
        (
            "fallbacks".to_owned(),
            graph.fallbacks.iter().map(|f| expression(&f.condition)).collect(),
        ),
    ]);
    let condition = graph.applicable_if.as_ref().map_or(Value::Null, expression);
    said.insert("applicable_if".to_owned(), condition);
    said
}

fn diff_members(old: &Members, new: &Members) -> Vec<MemberChange> {
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let value = |members: &Members, name: &String| members.get(name).cloned().unwrap_or_default();
    names
        .into_iter()
        .map(|name| (name, value(old, name), value(new, name)))
        .filter(|(_, from, to)| from != to)
        .map(|(name, from, to)| MemberChange { member: name.clone(), from, to })
        .collect()
}

fn limits(limits: &MethodLimits) -> Value {
    let (duration, messages) = (duration(limits.max_duration), limits.max_messages);
    let calls = limits.max_tool_calls;
    serde_json::json!({
        "max_duration": duration, "max_messages": messages, "max_tool_calls": calls,
    })
}

fn duration(span: Option<Span>) -> Value {
    span.map_or(Value::Null, |span| span.to_string().into())
}

fn expression(expr: &Expr) -> Value {
    expr::print(expr).into()
}

/// Renders an argument as its author could have written it.
fn argument(arg: &Arg) -> Value {
    match arg {
        Arg::Literal(value) => value.clone(),
        Arg::Expr(expr) => format!("{{{{{}}}}}", expr::print(expr)).into(),
        Arg::Text(parts) => {
            let parts = parts.iter().map(|part| match part {
                TextPart::Literal(text) => text.clone(),
                TextPart::Expr(expr) => format!("{{{{{}}}}}", expr::print(expr)),
            });
            parts.collect::<String>().into()
        }
        Arg::List(items) => items.iter().map(argument).collect(),
        Arg::Object(members) => {
            members.iter().map(|(name, arg)| (name.clone(), argument(arg))).collect()
        }
    }
}
