//! How SQLite and PostgreSQL execute each statement that the engine sends, when each table holds a hundred thousand rows.
//!
//! The test program `it` records the statements; this one runs after it. A statement must find its rows through an
//! index: without statistics and with those of small or quiet tables as well as with current ones, it reads no table from
//! its beginning and not all rows of a tenant to use a few, builds no index of its own, and sorts no more than a page of
//! rows. The exceptions are listed in `known.rs`, each with its reason. With `ABIDE_PLANS=FILE`, the test writes every
//! plan to a file.

mod fill;
mod known;
mod plan;
#[path = "../postgres.rs"]
#[expect(dead_code, reason = "the test program `it` uses all of it")]
mod postgres;
#[path = "../support.rs"]
#[expect(dead_code, reason = "the test program `it` uses all of it")]
mod support;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use plan::{Connection, faults};
use postgres::TestDb;

/// The file that the test program `it` writes.
const FILE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/statements.jsonl");
/// Fewer statements than this were not recorded by all tests.
const STATEMENTS_MIN: usize = 600;

/// What a database knows of its tables when it plans a statement. A server keeps a plan until it learns more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Statistics {
    /// Nothing: the tables are new, and still empty.
    None,
    /// That they have few rows, as they do. The server keeps the plans that it makes now until its statistics change.
    OfSmallTables,
    /// That they had few rows. Now they are full.
    OfGrownTables,
    /// How full they are.
    Current,
    /// That nothing was open in them, as at night. Now a burst has begun.
    OfQuietTables,
    /// That no row was left in those whose rows come and go. The server keeps the plans that it makes now, and then a burst
    /// begins.
    OfEmptiedTables,
}

impl Statistics {
    /// All of them, in the order in which they are prepared.
    const ALL: [Self; 6] = [
        Self::None,
        Self::OfSmallTables,
        Self::OfGrownTables,
        Self::Current,
        Self::OfQuietTables,
        Self::OfEmptiedTables,
    ];

    /// Brings a database from the state before into this one.
    async fn prepare(self, connection: &mut Connection) {
        match self {
            Self::None => {}
            Self::OfSmallTables => {
                fill::all(connection, fill::FEW_ROWS).await;
                connection.watch().await;
            }
            Self::OfGrownTables => fill::all(connection, fill::ROWS).await,
            Self::Current => connection.run("ANALYZE").await,
            Self::OfQuietTables => {
                fill::quieten(connection).await;
                connection.watch().await;
            }
            Self::OfEmptiedTables => {
                fill::empty(connection).await;
                connection.watch().await;
            }
        }
    }
}

/// Returns the recorded statements for a database.
fn recorded(database: &TestDb) -> BTreeSet<String> {
    let lines = std::fs::read_to_string(FILE).unwrap_or_default();
    let all = lines.lines().map(|line| serde_json::from_str::<(String, String)>(line).expect(FILE));
    let of = database.to_string();
    all.filter(|(name, _)| *name == of).map(|(_, sql)| sql).collect()
}

/// Checks every statement on one database. Returns what is wrong, and adds all plans to `told`.
async fn check(database: &TestDb, told: &mut String) -> Vec<String> {
    let statements = recorded(database);
    assert!(
        statements.len() >= STATEMENTS_MIN,
        "{database}: {} statements are recorded: run all tests of `it` first",
        statements.len()
    );
    postgres::migrate(database.url()).await;
    let mut connection = Connection::open(database).await;
    assert_eq!(
        connection.uncollated().await,
        [""; 0],
        "{database}: joins cannot use their indexes"
    );
    let first_columns = connection.first_columns().await;
    let mut wrong = BTreeSet::new();
    for statistics in Statistics::ALL {
        statistics.prepare(&mut connection).await;
        for sql in &statements {
            let plan = connection.plan(sql).await;
            let _ = writeln!(told, "-- {database}, {statistics:?}\n{sql}\n{plan}\n");
            let found = faults(sql, &plan, &first_columns);
            if !found.is_empty() && !known::is_known(sql, statistics) {
                wrong.insert(format!("{database}, {statistics:?}: {found:?}\n{sql}\n{plan}"));
            }
        }
    }
    wrong.into_iter().collect()
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the environment of a test, read in this place")]
fn every_statement_finds_its_rows_through_an_index() {
    let (mut told, mut wrong) = (String::new(), Vec::new());
    for database in postgres::databases() {
        wrong.extend(support::block_on(check(&database, &mut told)));
    }
    if let Ok(file) = std::env::var("ABIDE_PLANS") {
        std::fs::write(file, told).expect("the plans are written");
    }
    assert!(wrong.is_empty(), "{} statements:\n\n{}", wrong.len(), wrong.join("\n\n"));
}
