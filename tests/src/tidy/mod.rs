//! Tests that read the sources to check those rules of the project that the compiler cannot check.
//!
//! A rule is a pure function from a [`Tree`] of files to the [`Fault`]s that it finds.
//! Each rule has a test that applies it to this repository,
//! and tests which show that it rejects bad samples.

mod chance;
mod dependencies;
mod documents;
mod driver;
mod errors;
mod examples;
mod layers;
mod lints;
mod migrations;
mod places;
mod plain;
mod rendered;
mod rust;
mod signatures;
mod size;
mod sql;
mod tree;
mod words;

use tree::Fault;
pub(crate) use tree::Tree;

type Rule = fn(&Tree) -> Vec<Fault>;

/// Checks that this repository does not break a rule.
#[track_caller]
fn holds(rule: Rule) {
    let faults = rule(Tree::repository());
    let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "{} broken:\n{}\n", count(lines.len()), lines.join("\n"));
}

fn count(faults: usize) -> String {
    if faults == 1 {
        "a rule of the house is".into()
    } else {
        format!("{faults} rules of the house are")
    }
}

/// Checks that a tree of these files does not break the rule.
#[track_caller]
fn accepts(rule: Rule, files: &[(&str, &str)]) {
    let faults = rule(&Tree::of(files));
    assert!(faults.is_empty(), "a good sample was rejected: {faults:#?}");
}

/// Checks that the rule finds as many [`Fault`]s in a tree of these files as there are expected strings,
/// and that the message of each `Fault` contains the expected string at the same position.
#[track_caller]
fn rejects(rule: Rule, files: &[(&str, &str)], expected: &[&str]) {
    let found: Vec<String> = rule(&Tree::of(files)).iter().map(ToString::to_string).collect();
    let all = found.len() == expected.len()
        && found.iter().zip(expected).all(|(fault, words)| fault.contains(words));
    assert!(all, "expected faults that contain {expected:#?}, found {found:#?}");
}
