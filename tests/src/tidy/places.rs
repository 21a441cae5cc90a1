//! No file contains a path of the machine on which it was written, or the host of a package registry.

use super::tree::{Fault, Tree};

/// Folders that exist only on one machine.
/// Each string is concatenated, so that this file does not contain it.
const MACHINE: &[&str] = &[
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
    concat!("/wo", "rk/"),
    concat!("/Us", "ers/"),
    concat!("C:\\", "Users"),
    concat!("/tmp/", "bash"),
];

/// Prefixes of hosts that serve packages.
const REGISTRIES: &[&str] = &["static.", "index.", "registry.", "files.", "deb."];

/// Checks that no file contains a path of one machine or the host of a package registry.
pub(crate) fn portable(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    for file in tree.files().filter(|file| file.name() != "Cargo.lock") {
        for (ix, line) in file.text.lines().enumerate() {
            for path in MACHINE.iter().filter(|path| names(line, path)) {
                faults.push(file.fault(ix + 1, format!("`{path}` is a folder of one machine")));
            }
            if registry(line) {
                faults.push(file.fault(ix + 1, "the host of a package registry"));
            }
        }
    }
    faults
}

/// Whether a path in the line begins with `path`. A folder of a home folder or of the repository may have the same name,
/// but its path does not begin with it.
fn names(line: &str, path: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || "~._-$}".contains(c);
    line.match_indices(path).any(|(at, _)| !line[..at].ends_with(inside))
}

fn registry(line: &str) -> bool {
    line.match_indices("://")
        .any(|(at, mark)| REGISTRIES.iter().any(|host| line[at + mark.len()..].starts_with(host)))
}

mod tests {
    use super::super::{accepts, holds, rejects};
    use super::portable;

    #[test]
    fn files_contain_no_path_of_one_machine() {
        holds(portable);
        accepts(
            portable,
            &[(
                "README.md",
                concat!("see docs/wo", "rk/a.md, https://rustup.rs and $HOME/wo", "rk/x"),
            )],
        );
        rejects(
            portable,
            &[("README.md", concat!("\ncd /wo", "rk/abide"))],
            &["README.md:2: `/wo"],
        );
        rejects(
            portable,
            &[("a.rs", concat!("// \"/ho", "me/me\""))],
            &["a folder of one machine"],
        );
        rejects(
            portable,
            &[("deny.toml", concat!("\"https:/", "/static.crates.io\""))],
            &["package registry"],
        );
    }
}
