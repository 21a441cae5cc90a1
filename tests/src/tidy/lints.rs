//! The lints of the compiler and of Clippy that this project relies on stay switched on.

use super::tree::{Fault, Tree};

/// Files and the lines that they must contain.
const KEPT: &[(&str, &[&str])] = &[
    (
        "Cargo.toml",
        &[
            "unsafe_code = \"forbid\"",
            "unreachable_pub = \"warn\"",
            "unwrap_used = \"deny\"",
            "too_many_lines = \"warn\"",
            "todo = \"deny\"",
            "dbg_macro = \"deny\"",
            "redundant_test_prefix = \"warn\"",
        ],
    ),
    (
        "clippy.toml",
        &[
            "too-many-lines-threshold = 70",
            "too-many-arguments-threshold = 5",
            "std::time::SystemTime::now",
            "std::time::Instant::now",
            "tokio::time::sleep",
            "std::thread::sleep",
            "std::env::var",
            "uuid::Uuid::now_v7",
        ],
    ),
];

/// Checks that all required lints are switched on,
/// and that every crate inherits the lints of the workspace.
pub(crate) fn kept(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (path, lines) in KEPT {
        let text = tree.get(path).map_or("", |file| &file.text);
        for line in lines.iter().filter(|line| !text.contains(**line)) {
            faults.push(Fault::of(*path, format!("`{line}` is missing")));
        }
    }
    for file in tree.files().filter(|file| file.path.ends_with("/Cargo.toml")) {
        if !file.text.contains("[lints]\nworkspace = true") {
            faults.push(Fault::of(&file.path, "does not inherit the lints of the workspace"));
        }
    }
    faults
}

mod tests {
    use super::super::{accepts, holds, rejects};
    use super::{KEPT, kept};

    #[test]
    fn lints_stay_on() {
        holds(kept);
        let texts: Vec<String> = KEPT.iter().map(|(_, lines)| lines.join("\n")).collect();
        let good = [("Cargo.toml", texts[0].as_str()), ("clippy.toml", texts[1].as_str())];
        accepts(kept, &good);
        let weaker = texts[1].replace("= 70", "= 700");
        let weaker = weaker.replace("lines-threshold = 700", "lines-threshold = 7");
        rejects(
            kept,
            &[good[0], ("clippy.toml", &weaker)],
            &["clippy.toml: `too-many-lines-threshold = 70` is missing"],
        );
        rejects(
            kept,
            &[good[0], good[1], ("a/Cargo.toml", "[package]")],
            &["a/Cargo.toml: does not inherit"],
        );
    }
}
