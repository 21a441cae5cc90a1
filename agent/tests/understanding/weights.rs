//! The weights are those of the examples.

use std::fs;

use abide_agent::classify::TrainingExample;
use abide_agent::examples::{of_intent, of_label};
use abide_agent::staff::{Intents, train_on_examples};
use abide_agent::{operator, reply};

use super::path;

/// Set this variable to write the weights instead of comparing them.
const WRITE: &str = "ABIDE_WRITE_WEIGHTS";

/// Reads the examples in a folder of `intents/`, in the sequence of the names of its files.
fn examples(
    folder: &str,
    read: fn(&str) -> Result<Vec<TrainingExample>, String>,
) -> Vec<TrainingExample> {
    let entries = fs::read_dir(path("../intents").join(folder)).expect("a folder");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let texts = paths.iter().map(|path| fs::read_to_string(path).expect("a file"));
    texts.flat_map(|text| read(&text).expect("examples")).collect()
}

fn check(name: &str, trained: &[u8]) {
    let file = path(&format!("weights/{name}.bin"));
    if std::env::var_os(WRITE).is_some() {
        return fs::write(file, trained).expect("written");
    }
    let same = fs::read(file).expect("a file") == trained;
    assert!(same, "the examples have changed: run this test with {WRITE}=1");
}

#[test]
fn the_weights_of_replies_are_those_of_the_examples() {
    check("replies", &reply::train(&examples("replies", of_label)).to_bytes());
}

#[test]
fn the_weights_of_staff_texts_are_those_of_the_examples() {
    let intents = Intents::default();
    assert_eq!(intents.examples(), examples("staff", of_intent), "a file is not compiled in");
    check("staff", &train_on_examples(&intents).to_bytes());
}

#[test]
fn the_weights_of_the_operator_are_those_of_the_examples() {
    let intents = operator::OperatorIntents::default();
    let read = examples("operator", operator::builtin_examples);
    assert_eq!(intents.examples(), read, "a file is not compiled in");
    check("operator", &operator::train(&read).to_bytes());
}
