//! Tests the understanding of texts against the development set, half of which nobody looks at, and checks that
//! the committed weights are those of the examples.

#![expect(clippy::print_stdout, reason = "the tables of `./check --report understanding`")]

mod agenda;
mod confusion;
mod mutated;
mod obligations;
mod operator;
mod replies;
mod staff;
mod times;
mod weights;

use std::path::{Path, PathBuf};

use serde_json::Value;

/// Returns the path of a file of this crate.
fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Returns the lines of a half of the development set: `seen`, or `held` back.
fn lines(kind: &str, half: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(path(&format!("development/{kind}.{half}.jsonl")));
    let text = text.expect("the development set");
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

fn text<'v>(value: &'v Value, member: &str) -> &'v str {
    value[member].as_str().unwrap_or_default()
}
