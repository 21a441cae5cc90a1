//! The JSON Schema that editors are given takes every method of this repository.

use std::path::{Path, PathBuf};

use abide_engine::contract::Schema;
use abide_engine::diagnostic::Source;
use abide_engine::{method, yaml};

/// The methods that are shown to people.
const FOLDERS: &[&str] = &["methods", "docs/patterns", "engine/src/method/cases/good"];

fn methods() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let files = FOLDERS.iter().flat_map(|folder| {
        let entries = std::fs::read_dir(root.join(folder)).expect("a folder");
        entries.map(|entry| entry.expect("an entry").path())
    });
    let is_method = |file: &PathBuf| {
        let name = file.to_string_lossy();
        name.ends_with(".yaml") && !name.ends_with(".scenario.yaml")
    };
    files.filter(is_method).collect()
}

fn schema() -> Schema {
    Schema::compile(method::schema()).expect("a JSON Schema")
}

fn check(schema: &Schema, text: &str) -> Result<(), String> {
    let (root, found) = yaml::read(&Source::new("method.yaml", text));
    assert!(found.is_empty(), "{found:#?}");
    schema.check(&root.expect("a document").to_value())
}

#[test]
fn editors_take_every_method_that_is_shown() {
    let (schema, methods) = (schema(), methods());
    assert!(methods.len() > 35, "the folders have moved");
    for file in methods {
        let text = std::fs::read_to_string(&file).expect("a text");
        check(&schema, &text).unwrap_or_else(|fault| panic!("{}: {fault}", file.display()));
        let wrong = format!("{text}\nstep: []\n");
        assert!(check(&schema, &wrong).is_err(), "{}: `step` is no key", file.display());
    }
}
