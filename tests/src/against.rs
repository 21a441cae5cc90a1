//! `abide lint --against` reports a change of a contract that would break methods or runs, before the
//! change takes effect.

use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use crate::deployment::Deployment;
use crate::postgres::{TestDb, databases};
use crate::process::run_abide;

const METHOD: &str = "method: book
steps:
  - { id: asked, await: { signal: word, timeout: 2h, out: word } }
  - { id: hall, call: reserve, args: { key: hall, amount: 1 }, out: hall }
  - { id: left, set: { left: '{{hall.free}}' } }
";

const CONTRACT: &str = "verbs:
  reserve:
    version: 1
    summary: Reserves.
    effect: write
    idempotency: safe_retry
    risk: T1
    timeout: 10s
    args:
      type: object
      required: [key, amount]
      properties: { key: { type: string }, amount: { type: integer } }
    result:
      type: object
      properties: { key: { type: string }, used: { type: integer }, free: { type: integer } }
";

/// A change of the contract: wherever the contract contains the text in the field `from`, the text in the
/// field `to` replaces it.
/// `breaks` is a part of the error that `abide lint` must report, or `None` if the change breaks nothing.
struct Change {
    from: &'static str,
    to: &'static str,
    breaks: Option<&'static str>,
}

const CHANGES: [Change; 4] = [
    Change {
        from: "required: [key, amount]",
        to: "required: [key, amount, why]",
        breaks: Some("it now requires `why`"),
    },
    Change {
        from: ", free: { type: integer }",
        to: "",
        breaks: Some("its result no longer has `free`"),
    },
    Change { from: "{ key: { type: string }, used", to: "{ used", breaks: None },
    Change {
        from: "amount: { type: integer } }",
        to: "amount: { type: integer }, why: { type: string } }",
        breaks: None,
    },
];

/// Writes the changed contracts, and returns the file's path.
fn write_changed(folder: &Path, change: &Change) -> String {
    assert!(CONTRACT.contains(change.from), "{}", change.from);
    let path = folder.join("verbs.yaml");
    std::fs::write(&path, CONTRACT.replace(change.from, change.to)).expect("written");
    path.display().to_string()
}

/// Returns the errors that `abide lint` printed.
/// Checks that the exit code is 1 if there are errors, and 0 if there are none.
fn errors(linted: &Output) -> Vec<Value> {
    let found: Vec<Value> =
        serde_json::from_slice(&linted.stdout).unwrap_or_else(|e| panic!("{e}: {linted:?}"));
    let errors: Vec<Value> = found.into_iter().filter(|one| one["severity"] == "error").collect();
    assert_eq!(linted.status.code(), Some(i32::from(!errors.is_empty())), "{linted:?}");
    errors
}

fn assert_found(linted: &Output, breaks: Option<&str>, who: &str) {
    let found = errors(linted);
    let Some(why) = breaks else { return assert_eq!(found, Vec::<Value>::new()) };
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((&found[0]["code"], &found[0]["line"]), (&json!("breaks-callers"), &json!(2)));
    let message = found[0]["message"].as_str().expect("a message");
    assert!(message.contains(why) && message.contains(who), "{message}");
}

#[test]
fn a_contract_is_checked_against_the_methods_of_a_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let home = folder.path().join("home");
    std::fs::create_dir_all(home.join("methods")).expect("a folder");
    std::fs::write(home.join("methods/book.yaml"), METHOD).expect("written");
    let home = home.display().to_string();
    for change in &CHANGES {
        let file = write_changed(folder.path(), change);
        let linted = run_abide(&["lint", &file, "--against", &home, "--json"]);
        assert_found(&linted, change.breaks, "the method `book` at `hall`");
    }
}

fn waiting_against(db: TestDb) {
    let deployment = Deployment::seeded(db).with_method("book", METHOD);
    let folder = tempfile::tempdir().expect("a folder");
    let against = |file: &str| {
        deployment.command(&["lint", file, "--against", deployment.db.url(), "--json"])
    };
    let book = ["run", "start", "book", "--goal", r#"{"kind": "Book"}"#, "--json"];
    let started: Value = serde_json::from_slice(&deployment.command(&book).stdout).expect("a run");
    let run = started["id"].as_str().expect("an id");
    for change in &CHANGES {
        let file = write_changed(folder.path(), change);
        assert_found(&against(&file), change.breaks, "1 live run of `book` at `hall`");
    }

    let moved = folder.path().join("book.yaml");
    std::fs::write(&moved, METHOD.replace("id: asked", "id: word_given")).expect("written");
    let linted = against(&moved.display().to_string());
    let found: Value = serde_json::from_slice(&linted.stdout).expect("findings");
    assert!(linted.status.success(), "a warning: {linted:?}");
    assert!(found.to_string().contains("runs-stay"), "{found}");

    assert!(deployment.command(&["run", "cancel", run]).status.success());
    let file = write_changed(folder.path(), &CHANGES[0]);
    assert_found(&against(&file), None, "no live run depends on it any more");
}

#[test]
fn a_contract_is_checked_against_the_runs_that_wait() {
    databases().into_iter().for_each(waiting_against);
}
