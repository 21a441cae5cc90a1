//! Migrations are twins: equal numbers and names for both databases, numbered without a gap.

use std::collections::BTreeSet;

use super::tree::{Fault, Tree};

const FOLDERS: [&str; 2] = ["migrations/sqlite/", "migrations/postgres/"];

/// Every migration has its twin.
pub(crate) fn twins(tree: &Tree) -> Vec<Fault> {
    let [sqlite, postgres] = FOLDERS.map(|folder| names(tree, folder));
    let mut faults = Vec::new();
    for (mine, [folder, other]) in [(&sqlite, FOLDERS), (&postgres, [FOLDERS[1], FOLDERS[0]])] {
        let theirs = if folder == FOLDERS[0] { &postgres } else { &sqlite };
        for name in mine.difference(theirs) {
            faults.push(Fault::of(format!("{folder}{name}"), format!("has no twin in `{other}`")));
        }
        for (ix, name) in mine.iter().enumerate() {
            if !name.starts_with(&format!("{:04}_", ix + 1)) || !name.ends_with(".sql") {
                let wanted = format!("is not named `{:04}_name.sql`, the next number", ix + 1);
                faults.push(Fault::of(format!("{folder}{name}"), wanted));
            }
        }
    }
    faults
}

fn names<'a>(tree: &'a Tree, folder: &str) -> BTreeSet<&'a str> {
    tree.files().filter_map(|file| file.path.strip_prefix(folder)).collect()
}

mod tests {
    use super::super::{accepts, holds, rejects};
    use super::twins;

    #[test]
    fn migrations_are_twins() {
        holds(twins);
        let both = |a, b| [(a, ""), (b, "")];
        accepts(
            twins,
            &both("migrations/sqlite/0001_core.sql", "migrations/postgres/0001_core.sql"),
        );
        rejects(
            twins,
            &both("migrations/sqlite/0001_core.sql", "migrations/postgres/0001_base.sql"),
            &["sqlite/0001_core.sql: has no twin", "postgres/0001_base.sql: has no twin"],
        );
        rejects(
            twins,
            &both("migrations/sqlite/0002_a.sql", "migrations/postgres/0002_a.sql"),
            &["sqlite/0002_a.sql: is not named `0001_", "postgres/0002_a.sql: is not named `0001_"],
        );
    }
}
