//! Phrases that no plain sentence needs are banned from every file that people read.

use super::tree::{Fault, Tree};

/// Banned phrases in lower case, each with what to write instead.
/// The list contains only phrases that are always wrong, and no everyday words.
const PHRASES: &[(&str, &str)] = &[
    ("anew", "`again`, or name what is repeated"),
    ("behind our back", "say who does it"),
    ("by and by", "`gradually`, or say when"),
    ("can be had", "`is available`, or name what provides it"),
    ("come to nothing", "name the failure"),
    ("comes to nothing", "name the failure"),
    ("for good and all", "`permanently`"),
    ("go by the text", "`are pinned to`"),
    ("goes by the text", "`is pinned to`"),
    ("may be had", "`is available`, or name what provides it"),
    ("so-manieth", "`n-th`"),
    ("what became of it", "name the result"),
    ("whereupon", "`then`"),
    ("who it is to the others", "name the relation"),
    ("whose it is", "name the owner: `the run's tenant`"),
    ("whose they are", "name the owner"),
];

/// The files that quote banned phrases as examples.
const EXAMPLES: &[&str] = &["CONTRIBUTING.md", "tests/src/tidy/plain.rs"];

/// File name extensions of the files that people read.
const KINDS: &[&str] = &[".rs", ".md", ".yaml", ".sh", ".toml", ".html"];

/// Checks that no comment, message or document contains a banned phrase.
pub(crate) fn phrases(tree: &Tree) -> Vec<Fault> {
    let read = |path: &str| KINDS.iter().any(|kind| path.ends_with(kind));
    let files = tree.files().filter(|file| read(&file.path));
    let mut faults = Vec::new();
    for file in files.filter(|file| !EXAMPLES.contains(&file.path.as_str())) {
        for (ix, line) in file.text.lines().enumerate() {
            let line = line.to_lowercase();
            for (phrase, instead) in PHRASES.iter().filter(|(phrase, _)| has(&line, phrase)) {
                faults.push(file.fault(ix + 1, format!("`{phrase}`: write {instead}")));
            }
        }
    }
    faults
}

/// Whether `line` contains the phrase between word boundaries.
fn has(line: &str, phrase: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    line.match_indices(phrase).any(|(at, _)| {
        !line[..at].ends_with(inside) && !line[at + phrase.len()..].starts_with(inside)
    })
}

mod tests {
    use super::super::{accepts, holds, rejects};
    use super::phrases;

    #[test]
    fn sentences_are_plain() {
        holds(phrases);
        accepts(phrases, &[("engine/src/a.rs", "// a janew_b lane wanew\nlet anew_b = 1;")]);
        rejects(
            phrases,
            &[("engine/src/a.rs", "fn f() {}\n/// Anew, for the tenant whose it is.")],
            &["engine/src/a.rs:2: `anew`", "engine/src/a.rs:2: `whose it is`"],
        );
        rejects(phrases, &[("docs/a.md", "It comes to nothing.")], &["name the failure"]);
        accepts(phrases, &[("CONTRIBUTING.md", "| drawn anew | refreshed |")]);
    }
}
