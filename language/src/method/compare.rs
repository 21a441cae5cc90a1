//! Compares two versions of a method: which steps and members differ.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::arg::{Arg, TextPart};
use super::graph::{Act, Call, Graph, MethodLimits, Node};
use super::retry::Retry;
use crate::base::{Span, Value};
use crate::expr::{self, Expr};

/// The members of a step by name, in a form that does not depend on the step's position in the text.
pub type Members = BTreeMap<String, Value>;

/// A difference between two versions of a method.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// Kind of change: `added`, `removed`, `changed` or `moved`.
    pub change: &'static str,
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
#[derive(Debug, Clone, PartialEq, Serialize)]
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

/// Lists the steps that were added, removed, changed or moved, and the changed members of the method itself.
#[must_use]
pub fn diff(old: &Graph, new: &Graph) -> Vec<Change> {
    let whole = between(&whole(old), &whole(new));
    let mut changes = Vec::new();
    if !whole.is_empty() {
        changes.push(Change { change: "changed", step_id: None, path: None, what: whole });
    }
    let pairs = pairs(old, new);
    let kept: BTreeSet<usize> = pairs.values().copied().collect();
    let removed = old.nodes.iter().enumerate().filter(|(ix, _)| !kept.contains(ix));
    changes.extend(removed.map(|(_, node)| of_step("removed", node, Vec::new())));
    for (ix, node) in new.nodes.iter().enumerate() {
        let Some(before) = pairs.get(&ix).and_then(|ix| old.nodes.get(*ix)) else {
            changes.push(of_step("added", node, Vec::new()));
            continue;
        };
        let what = between(&members(old, before), &members(new, node));
        if !what.is_empty() {
            changes.push(of_step("changed", node, what));
        } else if container(&before.key) != container(&node.key) {
            changes.push(of_step("moved", node, Vec::new()));
        }
    }
    changes
}

fn of_step(change: &'static str, node: &Node, what: Vec<MemberChange>) -> Change {
    let (step_id, path) = (Some(node.step_id.clone()), Some(node.key.clone()));
    Change { change, step_id, path, what }
}

/// Returns the path of the list that contains a step.
fn container(key: &str) -> &str {
    key.rsplit_once('/').map_or("", |(container, _)| container)
}

/// Maps the index of each step of the new version to that of the same step in the old version.
///
/// Steps with an author's id are matched by that id and what they do. The others are matched by equal members
/// first, then by what they do, each in the order of the text.
fn pairs(old: &Graph, new: &Graph) -> BTreeMap<usize, usize> {
    let mut pairs = BTreeMap::new();
    let mut free: Vec<usize> = (0..old.nodes.len()).collect();
    let mut pair = |alike: &dyn Fn(&Node, &Node) -> bool| {
        for (ix, node) in new.nodes.iter().enumerate() {
            if pairs.contains_key(&ix) {
                continue;
            }
            let found = free.iter().position(|before| alike(&old.nodes[*before], node));
            if let Some(found) = found {
                pairs.insert(ix, free.remove(found));
            }
        }
    };
    pair(&|before, node| {
        is_named(node) && before.step_id == node.step_id && same_kind(before, node)
    });
    let nameless = |before: &Node, node: &Node| {
        !is_named(node) && !is_named(before) && same_kind(before, node)
    };
    pair(&|before, node| nameless(before, node) && members(old, before) == members(new, node));
    pair(&nameless);
    pairs
}

/// Whether the author gave the step its id, so that it identifies the step anywhere in the text.
#[must_use]
pub fn is_named(node: &Node) -> bool {
    let given = node.step_id.strip_prefix(node.does());
    given.is_none_or(|rest| {
        !rest.is_empty() && rest.strip_prefix('_').is_none_or(|n| n.parse::<usize>().is_err())
    })
}

/// Whether two steps do the same kind of thing, for example call the same verb, with any arguments.
#[must_use]
pub fn same_kind(one: &Node, other: &Node) -> bool {
    std::mem::discriminant(&one.act) == std::mem::discriminant(&other.act)
        && one.does() == other.does()
}

/// Returns the members of a step, without its path and without the steps nested inside it.
#[must_use]
pub fn members(graph: &Graph, node: &Node) -> Members {
    let mut said = Members::new();
    let mut say = |name: &str, value: Value| drop(said.insert(name.to_owned(), value));
    if let Some(when) = &node.when {
        say("when", expression(when));
    }
    if let Some(foreach) = &node.foreach {
        say("foreach", format!("{} in {}", foreach.variable, expr::print(&foreach.over)).into());
        say("concurrency", foreach.abreast.into());
    }
    if node.limits != MethodLimits::default() {
        say("limits", limits(&node.limits));
    }
    match &node.act {
        Act::Call(call) => said.extend(call_members(graph, call)),
        Act::Method(call) => {
            say("with", argument(&call.with));
            say("out", call.out.as_deref().into());
            say("timeout", duration(call.timeout));
        }
        Act::Set(all) => {
            all.iter().for_each(|(name, arg)| say(&format!("set.{name}"), argument(arg)));
        }
        Act::Await(wait) => {
            let signals = wait.signals.iter().map(|s| match &s.out {
                Some(out) => Value::from(format!("{} as {out}", s.signal)),
                None => Value::from(s.signal.as_str()),
            });
            say("signals", signals.collect());
            say("timeout", duration(Some(wait.timeout)));
        }
        Act::Switch(cases) => {
            let cases =
                cases.iter().map(|case| case.condition.as_ref().map_or(Value::Null, expression));
            say("cases", cases.collect());
        }
        Act::Repeat(repeat) => {
            say("until", repeat.until.as_ref().map_or(Value::Null, expression));
            say("max", repeat.max.into());
        }
        Act::Parallel(parallel) => {
            say("branches", parallel.branches.len().into());
            say("join", parallel.need.into());
        }
        Act::Steps(_) => {}
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
    let undo = call.undo.first().and_then(|ix| graph.node(*ix));
    let undo =
        undo.map(|node| serde_json::json!({ "call": node.does(), "says": members(graph, node) }));
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

/// Returns the members of a method besides its steps.
fn whole(graph: &Graph) -> Members {
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

fn between(old: &Members, new: &Members) -> Vec<MemberChange> {
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
    serde_json::json!({ "max_duration": duration, "max_messages": messages })
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
