//! Documents name only files that exist.

use super::tree::{Fault, Tree};

/// Folders of this repository. A word in backticks that begins with one of these folders must be a path.
const FOLDERS: &[&str] = &[
    "language/",
    "engine/",
    "verbs/",
    "trade/",
    "simulator/",
    "server/",
    "tests/",
    "methods/",
    "templates/",
    "contracts/",
    "migrations/",
    "docs/",
    "bench/",
    "scenarios/",
    "examples/",
    ".ci/",
    ".config/",
];

/// Checks that every path that a document names exists.
pub(crate) fn paths(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for file in tree.files().filter(|file| file.path.ends_with(".md")) {
        for (ix, line) in file.text.lines().enumerate() {
            for path in named(line).filter(|path| !exists(tree, path)) {
                faults.push(file.fault(ix + 1, format!("names `{path}`, which does not exist")));
            }
            for link in links(line).filter(|link| !exists(tree, &resolve(&file.path, link))) {
                faults.push(file.fault(ix + 1, format!("links to `{link}`, which does not exist")));
            }
        }
    }
    faults
}

/// Returns the paths that a line names in backticks.
/// Patterns such as `docs/errors/*.md` or `{a,b}` are left out, because they do not name a single file.
fn named(line: &str) -> impl Iterator<Item = &str> {
    let quoted = line.split('`').skip(1).step_by(2);
    quoted.filter(|word| {
        FOLDERS.iter().any(|folder| word.starts_with(folder))
            && !word.contains(['*', '{', '<', ' ', '…', '$', ':'])
    })
}

/// Returns the targets of the links in a line, without their anchors.
/// Only links to files of the repository count.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target)
        .filter_map(|target| {
            let path = target.split('#').next().unwrap_or_default();
            (!path.is_empty() && !path.contains("://") && !path.starts_with("mailto:"))
                .then_some(path)
        })
}

/// Resolves the target of a link, which is relative to the folder of its document.
fn resolve(document: &str, link: &str) -> String {
    let mut parts: Vec<&str> = document.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "." | "" => {}
            ".." => _ = parts.pop(),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// Whether a path exists. A module may be named as a folder, as a file, or without `.rs`.
fn exists(tree: &Tree, path: &str) -> bool {
    path.is_empty() || tree.has(path) || tree.has(&format!("{}.rs", path.trim_end_matches('/')))
}

mod tests {
    use super::super::{accepts, holds, rejects};
    use super::paths;

    #[test]
    fn documents_name_what_exists() {
        holds(paths);
        let engine = ("engine/src/store/tx.rs", "");
        accepts(
            paths,
            &[
                engine,
                (
                    "docs/a.md",
                    "`engine/src/store/` `engine/src/store/tx` `docs/*.md` [up](../engine/src/store/tx.rs#x) [a](https://b)",
                ),
            ],
        );
        rejects(
            paths,
            &[engine, ("docs/a.md", "\nsee `engine/src/run/`")],
            &["docs/a.md:2: names `engine/src/run/`"],
        );
        rejects(paths, &[engine, ("docs/a.md", "[b](b.md)")], &["links to `b.md`"]);
    }
}
