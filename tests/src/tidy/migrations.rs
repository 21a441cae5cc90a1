//! Every migration exists for both databases under the same number and name. The numbers are consecutive.

use std::collections::BTreeSet;

use super::tree::{Fault, Tree};

const FOLDERS: [&str; 2] = ["migrations/sqlite/", "migrations/postgres/"];

/// Checks that every migration exists for both databases.
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

/// The first migration to which the rule [`only_add`] applies. After this migration and each later one,
/// the previous version of the program must still be able to run.
const FIRST_BESIDE: &str = "0004";
/// Beginning of the comment above a statement that removes something. The rest of the comment is the reason
/// why no program needs the removed table or column.
const MARK: &str = "-- contract:";

/// Checks that migrations only add, so that the previous version of the program keeps working next to
/// the new version. A statement that removes something needs a comment `-- contract:` above it.
/// The comment says why no program needs the removed table or column any more.
pub(crate) fn only_add(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    let of_ours = |file: &&super::tree::File| {
        FOLDERS
            .iter()
            .any(|folder| file.path.strip_prefix(folder).is_some_and(|name| name >= FIRST_BESIDE))
    };
    for file in tree.files().filter(of_ours) {
        for (line, statement, marked) in statements(&file.text) {
            if !marked && !adds(&statement) {
                let fault = format!(
                    "`{}` is not only an addition: say why below `{MARK}`",
                    shown(&statement)
                );
                faults.push(file.fault(line, fault));
            }
        }
    }
    faults
}

/// Returns the statements of an SQL file: for each statement, the number of its first line, its SQL,
/// and whether a comment with [`MARK`] is above the statement.
fn statements(text: &str) -> Vec<(usize, String, bool)> {
    let mut all = Vec::new();
    let (mut statement, mut begins, mut marked) = (String::new(), 0, false);
    for (ix, line) in text.lines().enumerate() {
        let code = line.split("--").next().unwrap_or_default().trim();
        if code.is_empty() {
            marked = line.trim_start().starts_with(MARK) || (marked && statement.is_empty());
            continue;
        }
        if statement.is_empty() {
            begins = ix + 1;
        }
        statement.push_str(code);
        statement.push(' ');
        // The statements inside a trigger end with `;` too.
        let end = if statement.starts_with("CREATE TRIGGER ") { "END;" } else { ";" };
        if code.ends_with(end) {
            all.push((begins, std::mem::take(&mut statement), std::mem::take(&mut marked)));
        }
    }
    all
}

/// Whether a statement adds something that an older program does not notice: a table, a view, an index,
/// a trigger, a function, or a column that the older program need not fill.
fn adds(statement: &str) -> bool {
    let is = |start: &str| statement.starts_with(start);
    let column = statement.split_once(" ADD COLUMN ").map(|(_, column)| column);
    let optional = |column: &str| !column.contains("NOT NULL") || column.contains("DEFAULT");
    is("CREATE TABLE ")
        || is("CREATE VIEW ")
        || is("CREATE FUNCTION ")
        || is("CREATE VIRTUAL TABLE ")
        || is("CREATE TRIGGER ")
        || is("CREATE INDEX ")
        || is("CREATE UNIQUE INDEX ")
        || (is("ALTER TABLE ") && column.is_some_and(optional))
}

fn shown(statement: &str) -> String {
    statement.chars().take(40).collect::<String>().trim().to_owned()
}

fn names<'a>(tree: &'a Tree, folder: &str) -> BTreeSet<&'a str> {
    tree.files().filter_map(|file| file.path.strip_prefix(folder)).collect()
}

mod tests {
    use super::super::{accepts, holds, rejects};
    use super::{only_add, twins};

    #[test]
    fn migrations_exist_for_both_databases() {
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

    #[test]
    fn migrations_only_add() {
        holds(only_add);
        let one = |text| [("migrations/sqlite/0009_a.sql", text)];
        accepts(
            only_add,
            &one("-- A table.\nCREATE TABLE a (n INTEGER) STRICT;\nCREATE INDEX b ON a (n);\n"),
        );
        accepts(
            only_add,
            &one("CREATE TRIGGER t AFTER INSERT ON a BEGIN\n    DELETE FROM b;\nEND;\n"),
        );
        rejects(
            only_add,
            &one(
                "CREATE TRIGGER t AFTER INSERT ON a BEGIN\n    DELETE FROM b;\nEND;\nDELETE FROM c;\n",
            ),
            &["0009_a.sql:4: `DELETE FROM c;`"],
        );
        accepts(only_add, &one("ALTER TABLE a ADD COLUMN n INTEGER NOT NULL DEFAULT 0;\n"));
        accepts(only_add, &one("ALTER TABLE a ADD COLUMN n INTEGER;\n"));
        accepts(only_add, &one("-- contract: nobody reads it since 1.4\nDROP TABLE a;\n"));
        rejects(only_add, &one("DROP TABLE a;\n"), &["0009_a.sql:1: `DROP TABLE a;`"]);
        rejects(
            only_add,
            &one("\nALTER TABLE a ADD COLUMN n INTEGER NOT NULL;\n"),
            &["0009_a.sql:2: `ALTER TABLE a"],
        );
        rejects(only_add, &one("UPDATE a SET n = 1;\n"), &["`UPDATE a SET n = 1;`"]);
    }
}
