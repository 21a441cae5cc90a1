//! Compiles the source of a method into a method that can run.

use std::collections::{BTreeMap, BTreeSet};

use super::graph::Graph;
use super::{check, parse};
use crate::base::{Digest, Value};
use crate::contract::Contracts;
use crate::diagnostic::{Diagnostic, Findings, Source, codes};
use crate::template::Templates;
use crate::yaml::{self, YamlKind, YamlNode};

/// The definitions that a method may refer to.
#[derive(Debug)]
pub struct Definitions<'a> {
    /// Contracts of the verbs.
    pub contracts: &'a Contracts,
    /// Message templates.
    pub templates: &'a Templates,
    /// Other methods, by name.
    pub methods: BTreeMap<String, Signature>,
}

/// What the checker must know about a method in order to check the steps that call it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Signature {
    /// JSON Schema of the method's goal.
    pub inputs: Option<Value>,
    /// Names of the verbs and methods that the method's steps call.
    pub calls: BTreeSet<String>,
}

/// Reads the name and the signature of a method without compiling the method,
/// so that methods can refer to each other in any order.
///
/// Returns `None` if the source does not name the method.
#[must_use]
pub fn read_signature(file: &str, text: &str) -> Option<(String, Signature)> {
    let root = yaml::read(&Source::new(file, text)).0?;
    let name = root.get("method")?.text()?.to_owned();
    let mut calls = BTreeSet::new();
    called(&root, &mut calls);
    Some((name, Signature { inputs: root.get("inputs").map(YamlNode::to_value), calls }))
}

fn called(node: &YamlNode, calls: &mut BTreeSet<String>) {
    if let YamlKind::List(items) = &node.kind {
        items.iter().for_each(|item| called(item, calls));
    }
    for member in node.members() {
        match (member.key.as_str(), member.value.text()) {
            ("call", Some(name)) => drop(calls.insert(name.to_owned())),
            _ => called(&member.value, calls),
        }
    }
}

/// A method without errors. Only such a method can be published and run.
///
/// Only [`compile`] creates a `CheckedMethod`.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedMethod {
    graph: Graph,
    digest: Digest,
    text: String,
}

impl CheckedMethod {
    /// Returns the method's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.graph.method
    }

    /// Returns the step graph that a run executes.
    #[must_use]
    pub const fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Returns the digest of the source, by which a run is pinned to the source.
    #[must_use]
    pub const fn digest(&self) -> Digest {
        self.digest
    }

    /// Returns the source as its author wrote it.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Compiles a method. Returns every error and every warning, sorted by position in the source.
///
/// Returns a method if and only if no finding is an error.
#[must_use]
pub fn compile(
    file: &str,
    text: &str,
    definitions: &Definitions<'_>,
) -> (Option<CheckedMethod>, Vec<Diagnostic>) {
    let source = Source::new(file, text);
    let (root, unread) = yaml::read(&source);
    let mut found = Findings::of(&source);
    found.extend(unread);
    let mut graph = None;
    if let Some(root) = root {
        phones(&source, &root, &mut found);
        if let Some(ast) = parse::parse(&source, &root, &mut found) {
            let (checked, all) = check::check(definitions, &source, ast, found);
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

/// Reports each phone number without quotes: YAML reads it as a number and drops its plus sign.
fn phones(source: &Source<'_>, node: &YamlNode, found: &mut Findings<'_, '_>) {
    match &node.kind {
        YamlKind::Number(_) => {
            let raw = source.slice(&node.at).trim();
            let digits =
                raw.strip_prefix('+').filter(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
            if digits.is_some_and(|digits| digits.len() >= PHONE_DIGITS_MIN) {
                let message = format!("`{raw}` is read as a number and loses its plus sign");
                let hint = format!("put the phone number in quotes: `\"{raw}\"`");
                found.error(codes::PHONE_AS_NUMBER, &node.at, message, hint);
            }
        }
        YamlKind::List(items) => items.iter().for_each(|item| phones(source, item, found)),
        YamlKind::Map(members) => {
            members.iter().for_each(|member| phones(source, &member.value, found))
        }
        YamlKind::Null | YamlKind::Bool(_) | YamlKind::Text(_) => {}
    }
}

/// Minimum number of digits of a phone number in E.164, including the country code.
const PHONE_DIGITS_MIN: usize = 7;
