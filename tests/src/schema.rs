//! The JSON Schemas for editors accept every method, every scenario and all contracts of this repository.

use abide_engine::contract::{self, Contracts, Schema};
use abide_engine::diagnostic::Source;
use abide_engine::{method, yaml};
use abide_simulator::scenario;

use crate::support::{is_pattern_scenario, scenario_files, yaml_files};

/// Folders with methods that users see: shipped methods, documented patterns and good examples.
const METHOD_FOLDERS: &[&str] = &["methods", "docs/patterns", "language/src/method/cases/good"];

fn check(schema: &Schema, text: &str) -> Result<(), String> {
    let (root, found) = yaml::read(&Source::new("method.yaml", text));
    assert!(found.is_empty(), "{found:#?}");
    schema.check(&root.expect("a document").to_value())
}

#[test]
fn editors_accept_every_method_that_people_see() {
    let schema = Schema::compile(method::schema()).expect("a JSON Schema");
    let files = METHOD_FOLDERS.iter().flat_map(|folder| yaml_files(folder));
    let methods: Vec<_> = files.filter(|file| !is_pattern_scenario(file)).collect();
    assert!(methods.len() > 35, "the folders have moved");
    for file in methods {
        let text = std::fs::read_to_string(&file).expect("a text");
        check(&schema, &text).unwrap_or_else(|fault| panic!("{}: {fault}", file.display()));
        let wrong = format!("{text}\nstep: []\n");
        assert!(check(&schema, &wrong).is_err(), "{}: `step` is no key", file.display());
    }
}

#[test]
fn editors_accept_all_contracts_and_nothing_misspelt() {
    let schema = Schema::compile(contract::file_schema()).expect("a JSON Schema");
    let files = yaml_files("contracts");
    assert!(files.len() > 16, "the folder has moved");
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a text");
        check(&schema, &text).unwrap_or_else(|fault| panic!("{}: {fault}", file.display()));
        let wrong = format!("{text}\ntool: {{}}\n");
        assert!(check(&schema, &wrong).is_err(), "{}: `tool` is no key", file.display());
    }
    for contract in [
        "data: { table: leads, collection: dogs, action: get }",
        "data: { table: leads, action: delete }",
        "idempotency: sometimes",
        "idempotency: { key_field: phone }",
        "effect: magic",
        "not_configured: { why: none }",
        "permissions: [everything]",
        "receipt_fields: [input.name]",
        "risk: T5",
        "timout: 10s",
    ] {
        let text = format!("tools:\n  a.get:\n    {contract}\n");
        assert!(check(&schema, &text).is_err(), "{contract}");
        assert!(!Contracts::load(&text, "a.yaml").1.is_empty(), "the loader agrees: {contract}");
    }
}

#[test]
fn editors_accept_every_scenario_and_nothing_misspelt() {
    let schema = Schema::compile(scenario::schema()).expect("a JSON Schema");
    let scenarios = scenario_files();
    assert!(scenarios.len() > 55, "the folders have moved");
    for file in scenarios {
        let text = std::fs::read_to_string(&file).expect("a text");
        check(&schema, &text).unwrap_or_else(|fault| panic!("{}: {fault}", file.display()));
        let wrong = format!("{text}\nexpects: []\n");
        assert!(check(&schema, &wrong).is_err(), "{}: `expects` is no key", file.display());
    }
    let head = "scenario: s\nstart: 2025-09-30T14:20:00-05:00\nsteps:\n";
    for step in [
        "  - { at: +1h, reply: { from: [], body: yes } }",
        "  - { at: +1h, crash: { at: later } }",
        "  - { text: { from: staff, body: hi }, advance: 1h }",
        "  - { signal: { data: 1 } }",
        "  - { at: +1h }",
    ] {
        assert!(check(&schema, &format!("{head}{step}\n")).is_err(), "{step}");
    }
}
