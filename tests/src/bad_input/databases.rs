//! Databases that have a newer schema, belong to another program, are incomplete or are damaged.
//! Each command rejects such a database with a remedy, and leaves it unchanged.

use std::fs;

use serde_json::Value;

use super::failure_text;
use crate::campaign::church::{Church, on_both};
use crate::postgres::{TestDb, empty_databases};
use crate::process::run_abide;

/// Every command that opens a database.
const COMMANDS: [&[&str]; 13] = [
    &["migrate"],
    &["migrate", "--dry-run", "--json"],
    &["serve", "--listen", "127.0.0.1:0"],
    &["serve", "--listen", "127.0.0.1:0", "--clock", "virtual"],
    &["worker"],
    &["seed"],
    &["say", "--from", "+15125550101", "yes"],
    &["run", "start", "fill_roles", "--goal", "{}"],
    &["run", "list"],
    &["run", "show", "run_1"],
    &["run", "signal", "run_1", "go"],
    &["audit"],
    &["logs"],
];

/// Returns what a command prints about a database that it rejects.
fn refusal(command: &[&str], database: &TestDb) -> String {
    failure_text(&run_abide(&[command, &["--db", database.url()]].concat()))
}

/// Returns what `abide doctor` prints about a database in which it finds an error.
fn diagnosis(database: &TestDb) -> String {
    let output = run_abide(&["doctor", "--db", database.url()]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    [String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)].concat()
}

/// Migrates and seeds a database, and then changes it with `sql`.
/// A database file is checkpointed afterwards, so that its write-ahead log is empty.
async fn changed(database: &TestDb, sql: &'static str) {
    assert!(run_abide(&["migrate", "--db", database.url()]).status.success(), "{database}");
    assert!(run_abide(&["seed", "--db", database.url()]).status.success(), "{database}");
    database.execute(sql).await;
    if is_file(database) {
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)").await;
    }
}

fn is_file(database: &TestDb) -> bool {
    !database.url().starts_with("postgres")
}

/// Returns the bytes of a database file, or `None` if the database is a server.
fn bytes(database: &TestDb) -> Option<Vec<u8>> {
    is_file(database).then(|| fs::read(database.url()).expect("its file"))
}

/// Checks that every command rejects the database with the message `expected` and the hint `remedy`.
/// Checks also that the database file stays unchanged.
fn all_refuse(database: &TestDb, expected: &str, remedy: &str) {
    let before = bytes(database);
    for command in COMMANDS.iter().filter(|command| !command.contains(&"--dry-run")) {
        let said = refusal(command, database);
        assert!(said.contains(expected), "{database}: {command:?}: {said}");
        assert!(said.contains(&format!("hint: {remedy}")), "{database}: {command:?}: {said}");
    }
    let said = diagnosis(database);
    assert!(said.contains(expected) && said.contains(remedy), "{database}: doctor: {said}");
    assert!(bytes(database) == before, "{database}: the file is unchanged");
}

#[tokio::test]
async fn a_newer_schema_is_refused_by_every_command() {
    for database in empty_databases() {
        changed(&database, "UPDATE meta SET v = '99' WHERE k = 'schema'").await;
        all_refuse(&database, "the database has schema 99", "use the newer program");
        let json = run_abide(&["run", "list", "--json", "--db", database.url()]);
        let told: Value = serde_json::from_slice(&json.stderr).expect("JSON on stderr");
        assert_eq!((&told["code"], &told["status"]), (&"schema_newer".into(), &503.into()));
    }
}

#[tokio::test]
async fn an_incomplete_database_is_refused_untouched() {
    let cases = [
        ("DELETE FROM meta WHERE k = 'schema'", "no row `schema`"),
        ("UPDATE meta SET v = '' WHERE k = 'schema'", "`meta` says schema ``"),
        ("DROP TABLE meta", "no table `meta`"),
        ("DROP TABLE outbox", "no table `outbox`"),
        ("DROP TABLE live_fill", "no table `live_fill`"),
    ];
    for (damage, cause) in cases {
        for database in empty_databases() {
            changed(&database, damage).await;
            let before = bytes(&database);
            for command in [&["run", "list"][..], &["migrate"], &["audit"]] {
                let said = refusal(command, &database);
                assert!(said.contains("this is not a complete abide database"), "{damage}: {said}");
                assert!(said.contains(cause), "{database}: {damage}: {said}");
                assert!(
                    said.contains("or restore the last backup"),
                    "{database}: {damage}: {said}"
                );
            }
            assert!(bytes(&database) == before, "{database}: {damage}: the file is unchanged");
        }
    }
}

#[tokio::test]
async fn a_database_without_the_key_of_its_contacts_is_refused() {
    for database in empty_databases() {
        changed(&database, "DELETE FROM meta WHERE k = 'contact_key'").await;
        let before = bytes(&database);
        for command in [&["run", "list"][..], &["say", "--from", "+15125550101", "STOP"]] {
            let said = refusal(command, &database);
            assert!(said.contains("this is not a complete abide database"), "{database}: {said}");
            assert!(said.contains("`meta` has no row `contact_key`"), "{database}: {said}");
            assert!(said.contains("restore the last backup"), "{database}: {said}");
        }
        let kept = "SELECT COUNT(*) FROM meta WHERE k = 'contact_key'";
        assert_eq!(database.number(kept).await, 0, "{database}: no new key is created");
        assert!(bytes(&database) == before, "{database}: the file is unchanged");
    }
}

on_both!(a_garbled_virtual_time_is_refused, async |mut church: Church| {
    church.advance("1h").await;
    let garbled = "UPDATE meta SET v = 'noon' WHERE k = 'virtual_now'";
    let engine = church.reopen_after(garbled).await.expect("opens with its own clock");
    let problem = engine.stored_virtual_now().await.expect_err("refused");
    assert_eq!(problem.code, "database_foreign");
    assert!(problem.detail.is_some_and(|detail| detail.contains("virtual_now `noon`")));
});

on_both!(a_lost_contact_key_is_created_only_if_there_is_no_contact, async |mut church: Church| {
    church.fill(2).await;
    let lost = "DELETE FROM meta WHERE k = 'contact_key'";
    let problem = church.reopen_after(lost).await.map(drop).expect_err("refused");
    assert_eq!(problem.code, "database_foreign");
    assert!(problem.hint.is_some(), "{problem:?}");
    church.reopen_after("DELETE FROM contact").await.map(drop).expect("opens with a new key");
});

#[tokio::test]
async fn a_file_of_another_program_is_refused_untouched() {
    let database = TestDb::sqlite();
    database.execute("CREATE TABLE invoices (n INTEGER); INSERT INTO invoices VALUES (7)").await;
    all_refuse(
        &database,
        "it has a table `invoices`, but no table `meta`",
        "name an empty database",
    );
    assert_eq!(database.number("SELECT n FROM invoices").await, 7);
}

#[tokio::test]
async fn a_file_that_is_cut_short_or_garbled_is_refused_untouched() {
    let whole = TestDb::sqlite();
    changed(&whole, "SELECT 1").await;
    let good = bytes(&whole).expect("a file");
    let cut = |part: usize| good[..good.len() / 8 * part].to_vec();
    let mut torn = good.clone();
    torn[4096..].fill(0xff);
    let mut head = good.clone();
    head[..100].fill(0);
    let cases = [
        ("half of it", cut(4)),
        ("an eighth of it", cut(1)),
        ("its first page", good[..4096].to_vec()),
        ("half a page", good[..2048].to_vec()),
        ("a torn write", torn),
        ("no header", head),
        ("text", b"once upon a time ".repeat(500)),
        ("a few bytes", vec![7; 7]),
    ];
    for (name, bad) in cases {
        let database = TestDb::sqlite();
        fs::write(database.url(), &bad).expect("a file");
        for command in [&["run", "list"][..], &["migrate"], &["serve", "--listen", "127.0.0.1:0"]] {
            let said = refusal(command, &database);
            assert!(said.contains("the last backup"), "{name}: {command:?}: {said}");
            assert!(!said.contains("on our side"), "{name}: {command:?}: {said}");
        }
        assert!(bytes(&database).as_ref() == Some(&bad), "{name}: the file is unchanged");
    }
}
