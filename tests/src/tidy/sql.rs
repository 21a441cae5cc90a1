//! SQL occurs in few folders, and no future that uses a database is dropped before it has completed.

use super::rust::words;
use super::tree::{Fault, File, Tree};

/// Whether a file may contain SQL. The files of the engine's store, and of the folder `data` of a crate,
/// may contain SQL. The benchmark may also contain SQL where it measures the bare database driver for
/// comparison.
fn may_hold_sql(path: &str) -> bool {
    path.starts_with("engine/src/store/")
        || path.contains("/src/data/")
        || path.starts_with("server/src/bench/raw")
}

/// Pairs of strings. A text that contains the first string and later the second counts as SQL.
/// If the second string is empty, the first alone suffices.
const PAIRS: &[(&str, &str)] = &[
    ("SELECT ", ""),
    ("INSERT INTO ", ""),
    ("UPDATE ", " SET "),
    ("DELETE FROM ", ""),
    ("CREATE TABLE ", ""),
    ("CREATE INDEX ", ""),
    ("DROP TABLE ", ""),
    ("ALTER TABLE ", ""),
    ("PRAGMA ", ""),
    ("BEGIN IMMEDIATE", ""),
    ("ON CONFLICT", ""),
];

/// Checks that SQL occurs only in the files that may contain it.
pub(crate) fn one_place(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for file in production(tree).filter(|file| !may_hold_sql(&file.path)) {
        for text in file.code().strings.iter().filter(|text| !file.code().in_tests(text)) {
            if let Some(word) = sql_word(&text.text) {
                faults.push(file.fault(
                    text.line,
                    format!("SQL (`{}`) outside `engine/src/store/` and `src/data/`", word.trim()),
                ));
            }
        }
    }
    faults
}

/// Checks that a future with an open transaction runs to completion: it is not in a `select!` or a timeout.
pub(crate) fn undropped(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    let files = production(tree);
    let folders = ["engine/src/store/", "verbs/src/", "trade/src/"];
    for file in files.filter(|file| folders.iter().any(|folder| file.path.starts_with(folder))) {
        for (line, code) in file.code().production_lines() {
            let selects = code.contains("select!");
            let times_out = words(code, "timeout")
                .any(|at| code[..at].trim_end().ends_with("time::"))
                || words(code, "timeout_at").next().is_some();
            if selects || times_out {
                faults.push(file.fault(
                    line,
                    "a dropped statement leaves its transaction open: no `select!` or `timeout` here",
                ));
            }
        }
    }
    faults
}

fn production(tree: &Tree) -> impl Iterator<Item = &File> {
    tree.rust().filter(|file| file.path.contains("/src/") && !file.is_test())
}

fn sql_word(text: &str) -> Option<&'static str> {
    let (first, _) = PAIRS
        .iter()
        .find(|(first, then)| text.find(first).is_some_and(|at| text[at..].contains(then)))?;
    Some(first)
}

mod tests {
    use super::super::{accepts, holds, rejects};
    use super::{one_place, undropped};

    #[test]
    fn sql_is_in_one_place() {
        holds(one_place);
        let code = "fn f() {\n g(\"SELECT 1\") }";
        accepts(
            one_place,
            &[("engine/src/store/run.rs", code), ("verbs/src/data/person.rs", code)],
        );
        accepts(
            one_place,
            &[("engine/src/driver/tick.rs", "// SELECT 1\nfn f() { g(\"UPDATE your method\") }")],
        );
        rejects(one_place, &[("engine/src/driver/tick.rs", code)], &["tick.rs:2: SQL (`SELECT`)"]);
        rejects(
            one_place,
            &[("verbs/src/assign.rs", "const S: &str = r#\"UPDATE a SET b\"#;")],
            &["SQL (`UPDATE`)"],
        );
    }

    #[test]
    fn nothing_drops_a_statement() {
        holds(undropped);
        accepts(undropped, &[("engine/src/driver/tick.rs", "tokio::select! {}")]);
        accepts(undropped, &[("verbs/src/wait.rs", "let timeout = args.timeout;")]);
        rejects(
            undropped,
            &[("engine/src/store/tx.rs", "fn f() { tokio::select! {} }")],
            &["tx.rs:1: a dropped statement"],
        );
        rejects(
            undropped,
            &[("verbs/src/ask.rs", "tokio::time::timeout(a, b)")],
            &["a dropped statement"],
        );
    }
}
