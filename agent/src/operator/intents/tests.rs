use serde_json::{Map, json};

use super::super::testing::{CONTRACTS, now};
use super::super::{OperatorIntent, OperatorReading, read};
use super::*;
use crate::staff::Intents;

const ROOF: &str = "\
intent: roof_pack
tools: [quote.finalize, quote.send]
description: Lock a quote and get it out
slots:
  channel: { values: { sms: [carrier pigeon], email: [owl] }, required: false }
examples:
- roof pack for q-204
- do the roof pack on q-88
- q-19 gets the roof pack
- roof pack q-61 please
- run the roof pack over q-140
";

fn load(name: &str, text: &str) -> (OperatorIntents, Vec<Diagnostic>) {
    OperatorIntents::load(&BTreeMap::from([(name.to_owned(), text.to_owned())]), &CONTRACTS)
}

#[test]
fn a_home_adds_intents_that_call_several_tools() {
    let (home, findings) = load("roof_pack.yaml", ROOF);
    assert_eq!(findings, []);
    let found: OperatorReading =
        read("roof pack q-33 by carrier pigeon", &Map::new(), &CONTRACTS, &home, &now());
    assert_eq!(found.classification.intent, OperatorIntent::Execute, "{found:?}");
    assert_eq!(found.classification.tool_candidates, ["quote.finalize", "quote.send"]);
    assert_eq!(json!(found.calls[1].input), json!({ "quote_id": "q-33", "channel": "sms" }));
}

#[test]
fn the_readers_of_both_kinds_of_files_leave_the_others_alone() {
    let staff = "intent: deep_clean\nexamples: [clean the hall]";
    assert!(load("a.yaml", staff).0.is_builtin());
    let files = BTreeMap::from([("a.yaml".to_owned(), ROOF.to_owned())]);
    let (intents, findings) = Intents::load(&files, &|_| false);
    assert!(intents.is_builtin() && findings.is_empty(), "{findings:?}");
}

#[test]
fn a_home_adds_examples_to_an_intent_of_the_program() {
    let file = "intent: quote.send\ntools: [quote.send]\nexamples: [yeet q-204]";
    let (home, findings) = load("a.yaml", file);
    assert_eq!(findings, []);
    assert!(!home.is_builtin());
    assert!(home.examples().iter().any(|it| it.text == "yeet q-204" && it.label == "quote.send"));
    assert_ne!(home.digest(), OperatorIntents::builtin().digest());
}

#[test]
fn each_fault_of_a_file_is_found_at_its_place() {
    let cases = [
        ("intent: a\ntools: quote.send\nexamples: [b]", "wrong-type"),
        ("intent: a\ntools: [quote.fly]\nexamples: [b]", "unknown-verb"),
        ("intent: a\ntools: []\nexamples: [b]", "too-large"),
        ("intent: a\ntools: [quote.send]", "missing-key"),
        ("intent: A b\ntools: [quote.send]\nexamples: [b]", "wrong-value"),
        ("intent: quote.send\ntools: [quote.get]\nexamples: [b]", "wrong-value"),
        ("intent: a\ntools: [quote.send]\nexamples: [b]\nrisk: T1", "unknown-key"),
    ];
    for (file, code) in cases {
        let (intents, findings) = load("a.yaml", file);
        let codes: Vec<&str> = findings.iter().map(|finding| finding.code).collect();
        assert_eq!(codes, [code], "{file}");
        assert!(intents.is_builtin(), "{file}");
    }
}

#[test]
fn the_weights_of_the_program_can_be_written_and_read() {
    let classifier = OperatorIntents::builtin().classifier();
    let bytes = classifier.to_bytes();
    assert_eq!(OperatorClassifier::from_bytes(&bytes).as_ref(), Ok(classifier));
    assert!(OperatorClassifier::from_bytes(&bytes[..bytes.len() - 1]).is_err());
    assert!(OperatorClassifier::from_bytes(&[]).is_err());
}
