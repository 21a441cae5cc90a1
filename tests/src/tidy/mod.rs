//! The rules of the house that a compiler does not know, held by reading the sources.
//!
//! A rule is a pure function from a [`Tree`] of files to its [`Fault`]s. Below each rule stand a test
//! that holds it against this repository and tests that show it failing on a bad sample.

mod chance;
mod documents;
mod driver;
mod errors;
mod examples;
mod layers;
mod lints;
mod migrations;
mod places;
mod rendered;
mod rust;
mod size;
mod sql;
mod tree;
mod words;

use tree::Fault;
pub(crate) use tree::Tree;

type Rule = fn(&Tree) -> Vec<Fault>;

/// Holds a rule against this repository.
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

/// A tree of these files keeps the rule.
#[track_caller]
fn accepts(rule: Rule, files: &[(&str, &str)]) {
    let faults = rule(&Tree::of(files));
    assert!(faults.is_empty(), "a good sample was rejected: {faults:#?}");
}

/// A tree of these files breaks the rule exactly as the words say, one string a fault.
#[track_caller]
fn rejects(rule: Rule, files: &[(&str, &str)], expected: &[&str]) {
    let found: Vec<String> = rule(&Tree::of(files)).iter().map(ToString::to_string).collect();
    let all = found.len() == expected.len()
        && found.iter().zip(expected).all(|(fault, words)| fault.contains(words));
    assert!(all, "expected faults that contain {expected:#?}, found {found:#?}");
}
