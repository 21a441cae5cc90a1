//! Files stay small enough to be read in one go. (Clippy limits the length of functions to 70 lines.)

use super::tree::{Fault, Tree};

/// Maximum number of lines in a file. A longer file does more than one thing and can be split.
const LINES_MAX: usize = 500;

/// Files that are longer than `LINES_MAX`, each with its own maximum.
/// A maximum may only be lowered or removed.
const RATCHET: &[(&str, usize)] = &[];

/// Checks that no file is longer than `LINES_MAX`, or than its own maximum in `RATCHET`.
pub(crate) fn files(tree: &Tree) -> Vec<Fault> {
    check(tree, RATCHET)
}

fn check(tree: &Tree, ratchet: &[(&str, usize)]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for file in tree.rust() {
        let lines = file.text.lines().count();
        let row = ratchet.iter().find(|(path, _)| *path == file.path).map(|(_, lines)| *lines);
        match row {
            Some(allowed) if lines > allowed => {
                faults.push(file.fault(lines, format!("{lines} lines; its row allows {allowed}")));
            }
            Some(_) if lines <= LINES_MAX => {
                faults.push(
                    file.fault(lines, "is short enough now: take its row out of the ratchet"),
                );
            }
            None if lines > LINES_MAX => {
                faults.push(
                    file.fault(lines, format!("{lines} lines, more than {LINES_MAX}: split it")),
                );
            }
            _ => {}
        }
    }
    let gone = ratchet.iter().filter(|(path, _)| tree.get(path).is_none());
    faults
        .extend(gone.map(|(path, _)| Fault::of(*path, "is gone: take its row out of the ratchet")));
    faults
}

mod tests {
    use super::super::tree::Tree;
    use super::super::{accepts, holds, rejects};
    use super::{LINES_MAX, check, files};

    #[test]
    fn files_stay_small() {
        holds(files);
        accepts(files, &[("engine/src/a.rs", &"\n".repeat(LINES_MAX))]);
        rejects(
            files,
            &[("engine/src/a.rs", &"\n".repeat(LINES_MAX + 1))],
            &["501 lines, more than 500"],
        );
    }

    #[test]
    fn the_ratchet_only_shrinks() {
        let tree = Tree::of(&[("a.rs", &"\n".repeat(900)), ("b.rs", "")]);
        let fault =
            |row| check(&tree, &[row, ("a.rs", 1000)]).iter().map(ToString::to_string).next();
        assert_eq!(check(&tree, &[("a.rs", 900)]).len(), 0);
        assert!(check(&tree, &[("a.rs", 899)])[0].to_string().contains("its row allows 899"));
        assert!(fault(("b.rs", 900)).is_some_and(|words| words.contains("short enough now")));
        assert!(fault(("c.rs", 900)).is_some_and(|words| words.contains("is gone")));
    }
}
