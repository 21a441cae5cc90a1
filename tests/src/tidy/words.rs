//! Banned words, banned file names, missing doc comments and lint exceptions without a reason are rejected.

use super::rust::{line_of, words};
use super::tree::{Fault, File, Tree};

/// Banned pieces of code. The second string says what to do instead.
const BANNED: &[(&str, &str)] = &[
    ("todo!", "finish it or leave it out"),
    ("unimplemented!", "finish it or leave it out"),
    ("dbg!", "use `tracing`"),
    ("#[ignore", "a test that does not run shows nothing"),
    ("#[allow(", "say `#[expect(lint, reason = \"…\")]`, which tells when it is no longer needed"),
    (
        "#![allow(",
        "say `#![expect(lint, reason = \"…\")]`, which tells when it is no longer needed",
    ),
    ("fn test_", "a test is named by its case"),
];

/// Files that may contain `sleep`.
/// The driver's outer loop waits for the clock, and opening an embedded file waits for other processes.
const WAITS: &[&str] = &["engine/src/clock.rs", "engine/src/store/sqlite/open.rs"];

/// File names that say nothing about the content of a file.
const NAMES: &[&str] =
    &["utils", "util", "helpers", "helper", "common", "manager", "misc", "stuff"];

/// Files whose name is a technical term: Handlebars calls its functions helpers.
const TERMS: &[&str] = &["language/src/template/helpers.rs"];

/// Checks that no code contains a banned word, not even a test.
pub(crate) fn banned(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for file in tree.rust() {
        for (line, code) in file.code().lines() {
            for (word, instead) in BANNED.iter().filter(|(word, _)| code.contains(word)) {
                faults.push(file.fault(line, format!("`{word}`: {instead}")));
            }
            if !WAITS.contains(&file.path.as_str())
                && words(code, "sleep").any(|at| code[at..].starts_with("sleep("))
            {
                faults.push(file.fault(line, "`sleep`: wait for the event itself"));
            }
        }
        faults.extend(unreasoned(file));
        faults.extend(notes(file));
    }
    faults
}

/// Checks that no file and no folder has a name that says nothing about its content.
pub(crate) fn names(tree: &Tree) -> Vec<Fault> {
    let bad =
        |path: &str| path.split('/').any(|part| NAMES.contains(&part.trim_end_matches(".rs")));
    let files = tree.rust().filter(|file| bad(&file.path) && !TERMS.contains(&file.path.as_str()));
    files.map(|file| file.fault(1, "name it by what it holds")).collect()
}

/// Checks that every public item of the language, the engine and the trade has a doc comment.
pub(crate) fn documented(tree: &Tree) -> Vec<Fault> {
    const ITEMS: &[&str] = &["fn", "async", "struct", "enum", "trait", "const", "type", "static"];
    let mut faults = Vec::new();
    let crates = ["language/src/", "engine/src/", "trade/src/"];
    let files = crates.into_iter().flat_map(|folder| tree.rust_in(folder));
    for file in files.filter(|file| !file.is_test()) {
        let lines: Vec<&str> = file.text.lines().collect();
        for (line, code) in file.code().production_lines() {
            let Some(item) = code.trim_start().strip_prefix("pub ") else { continue };
            let mut parts = item.split([' ', '(', '<', ':']);
            if parts.next().is_some_and(|kind| ITEMS.contains(&kind))
                && !has_words(&lines[..line - 1])
            {
                faults.push(
                    file.fault(line, format!("`pub {}` has no doc comment", item.trim_end())),
                );
            }
        }
    }
    faults
}

/// Whether the lines above an item end with a doc comment.
/// Only attributes may be between the doc comment and the item.
fn has_words(above: &[&str]) -> bool {
    let words = |line: &str| ["///", "#[doc", "$(#["].iter().any(|open| line.starts_with(open));
    let attribute =
        |line: &str| line.starts_with("#[") || line.ends_with(")]") || line.ends_with(',');
    let mut near = above.iter().rev().map(|line| line.trim());
    near.find(|line| words(line) || !attribute(line)).is_some_and(words)
}

/// Finds every `#[expect]` without a reason.
fn unreasoned(file: &File) -> Vec<Fault> {
    let code = &file.code().all;
    let opens = ["#[expect(", "#![expect("];
    let places = opens.iter().flat_map(|open| code.match_indices(open)).map(|(at, _)| at);
    let bare = places.filter(|at| {
        let attribute = &code[*at..];
        words(&attribute[..attribute.find(']').unwrap_or(attribute.len())], "reason")
            .next()
            .is_none()
    });
    bare.map(|at| file.fault(line_of(code, at), "`#[expect]` without a `reason`")).collect()
}

/// Finds notes that authors write to themselves, such as `to do`. They belong in an issue.
/// The words are concatenated, so that this file contains none of them.
fn notes(file: &File) -> Vec<Fault> {
    const NOTES: &[&str] =
        &[concat!("FIX", "ME"), concat!("XX", "X"), concat!("TO", "DO"), concat!("HA", "CK")];
    let mut faults = Vec::new();
    for (ix, line) in file.text.lines().enumerate() {
        let comment = line.find("//").map_or("", |at| &line[at..]);
        if let Some(word) = NOTES.iter().find(|word| words(comment, word).next().is_some()) {
            faults.push(file.fault(ix + 1, format!("`{word}`: do it, or file it")));
        }
    }
    faults
}

mod tests {
    use super::super::{accepts, holds, rejects};
    use super::{banned, documented, names};

    #[test]
    fn no_banned_word() {
        holds(banned);
        accepts(
            banned,
            &[(
                "a.rs",
                "fn asleep() { x(\"todo!\") } // sleep(\n#[expect(dead_code, reason = \"so\")]",
            )],
        );
        let reject = |text: &str, fault| rejects(banned, &[("a.rs", text)], &[fault]);
        reject("fn f() {\n todo!() }", "a.rs:2: `todo!`");
        reject("#[ignore = \"slow\"]", "`#[ignore`");
        reject("fn f() { thread::sleep(d) }", "`sleep`: wait");
        reject("#[allow(dead_code)]", "`#[expect(lint, reason");
        reject("#[expect(dead_code)]\nfn f() {}", "without a `reason`");
        reject("fn test_that() {}", "named by its case");
        reject(concat!("// FIX", "ME later"), "do it, or file it");
    }

    #[test]
    fn files_are_named_by_what_they_hold() {
        holds(names);
        accepts(names, &[("engine/src/store/outbox.rs", "")]);
        rejects(
            names,
            &[("engine/src/utils.rs", ""), ("verbs/src/common/a.rs", "")],
            &["utils.rs:1", "common/a.rs:1"],
        );
    }

    #[test]
    fn public_items_are_documented() {
        holds(documented);
        accepts(
            documented,
            &[(
                "engine/src/a.rs",
                "/// Words.\n#[must_use]\npub fn f() {}\npub use b::C;\npub(crate) fn g() {}",
            )],
        );
        rejects(
            documented,
            &[("engine/src/a.rs", "\npub fn f() {}")],
            &["a.rs:2: `pub fn f() {}` has no doc comment"],
        );
        rejects(
            documented,
            &[("engine/src/a.rs", "// Plain.\n#[must_use]\npub async fn f() {}")],
            &["no doc comment"],
        );
    }
}
