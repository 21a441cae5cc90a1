//! The way from a file's text to a method that may run.

use std::collections::{BTreeMap, BTreeSet};

use super::graph::Graph;
use super::{check, parse};
use crate::base::{Digest, Value};
use crate::contract::Contracts;
use crate::diagnostic::{Diagnostic, Findings, Source, codes};
use crate::template::Templates;
use crate::yaml::{self, Kind, Node};

/// What a method may name.
#[derive(Debug)]
pub struct World<'a> {
    /// The verbs.
    pub contracts: &'a Contracts,
    /// The messages.
    pub templates: &'a Templates,
    /// The methods, by name.
    pub methods: BTreeMap<String, Head>,
}

/// What a method shows to those that call it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Head {
    /// The JSON Schema of its goal.
    pub inputs: Option<Value>,
    /// The names that its steps call, verbs and methods alike.
    pub calls: BTreeSet<String>,
}

/// Reads the name and the head of a method before it is compiled: methods may name one another in
/// any order. None for a text without a name.
#[must_use]
pub fn head(file: &str, text: &str) -> Option<(String, Head)> {
    let root = yaml::read(&Source::new(file, text)).0?;
    let name = root.get("method")?.text()?.to_owned();
    let mut calls = BTreeSet::new();
    called(&root, &mut calls);
    Some((name, Head { inputs: root.get("inputs").map(Node::to_value), calls }))
}

fn called(node: &Node, calls: &mut BTreeSet<String>) {
    if let Kind::List(items) = &node.kind {
        items.iter().for_each(|item| called(item, calls));
    }
    for member in node.members() {
        match (member.key.as_str(), member.value.text()) {
            ("call", Some(name)) => drop(calls.insert(name.to_owned())),
            _ => called(&member.value, calls),
        }
    }
}

/// A method without errors: the only form that can be published and run. Only [`compile`] makes
/// one.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedMethod {
    graph: Graph,
    digest: Digest,
    text: String,
}

impl CheckedMethod {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.graph.method
    }

    /// What a run executes.
    #[must_use]
    pub const fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Of its text: a run is pinned to it.
    #[must_use]
    pub const fn digest(&self) -> Digest {
        self.digest
    }

    /// As its author wrote it.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Compiles a method, and finds everything that is wrong or doubtful about it, in reading order.
///
/// There is a method exactly where no finding is an error.
#[must_use]
pub fn compile(
    file: &str,
    text: &str,
    world: &World<'_>,
) -> (Option<CheckedMethod>, Vec<Diagnostic>) {
    let source = Source::new(file, text);
    let (root, unread) = yaml::read(&source);
    let mut found = Findings::of(&source);
    found.extend(unread);
    let mut graph = None;
    if let Some(root) = root {
        phones(&source, &root, &mut found);
        if let Some(ast) = parse::parse(&source, &root, &mut found) {
            let (checked, all) = check::check(world, &source, ast, found);
            graph = Some(checked);
            found = all;
        }
    }
    let method = graph.filter(|_| !found.has_errors()).map(|graph| CheckedMethod {
        graph,
        digest: Digest::of(text.as_bytes()),
        text: text.to_owned(),
    });
    (method, found.sorted())
}

/// Phone numbers that YAML took for numbers, so that the plus is lost.
fn phones(source: &Source<'_>, node: &Node, found: &mut Findings<'_, '_>) {
    match &node.kind {
        Kind::Number(_) => {
            let raw = source.slice(&node.at).trim();
            let digits =
                raw.strip_prefix('+').filter(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
            if digits.is_some_and(|digits| digits.len() >= PHONE_DIGITS_MIN) {
                let message = format!("`{raw}` is read as a number, and loses its plus");
                let hint = format!("put the phone number in quotes: `\"{raw}\"`");
                found.error(codes::PHONE_AS_NUMBER, &node.at, message, hint);
            }
        }
        Kind::List(items) => items.iter().for_each(|item| phones(source, item, found)),
        Kind::Map(members) => {
            members.iter().for_each(|member| phones(source, &member.value, found))
        }
        Kind::Null | Kind::Bool(_) | Kind::Text(_) => {}
    }
}

/// The shortest number that E.164 knows, country code included.
const PHONE_DIGITS_MIN: usize = 7;
