//! When a store opens a database, it creates the database, rejects it, or shares it with another process.

use std::path::Path;
use std::sync::Arc;

use abide_engine::base::Problem;
use abide_engine::store::{
    Address, CORE, DriverLock, Migration, SchemaStatus, Store, StoreOptions, holder,
};
use abide_simulator::domains::migrations;

use super::support::{open, options, tx};
use crate::postgres::{TestDb, empty_databases};

/// A second migration, which succeeds, and a third migration, which fails halfway.
const SECOND: Migration = Migration {
    number: 2,
    name: "second",
    sqlite: "CREATE TABLE second (n INTEGER) STRICT; INSERT INTO second VALUES (7)",
    postgres: "CREATE TABLE second (n BIGINT); INSERT INTO second VALUES (7)",
};
const BROKEN: Migration = Migration {
    number: 3,
    name: "broken",
    sqlite: "CREATE TABLE third (n INTEGER) STRICT; SELECT nothing FROM nowhere",
    postgres: "CREATE TABLE third (n BIGINT); SELECT nothing FROM nowhere",
};

fn with(database: &TestDb, migrations: &[Migration]) -> StoreOptions {
    StoreOptions { migrations: migrations.to_vec(), ..options(database) }
}

async fn opened(options: &StoreOptions) -> Result<Store, Problem> {
    Store::open(options.clone(), Arc::new(|_| {})).await
}

#[test]
fn every_file_of_a_migration_is_listed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations/sqlite");
    let files = std::fs::read_dir(folder).expect("the migrations");
    let mut files: Vec<_> = files
        .map(|file| file.expect("a file").file_name().to_string_lossy().into_owned())
        .collect();
    files.sort_unstable();
    let listed = migrations();
    let listed: Vec<_> =
        listed.iter().map(|it| format!("{:04}_{}.sql", it.number, it.name)).collect();
    assert_eq!(listed, files);
}

#[tokio::test]
async fn a_database_grows_step_by_step() {
    for database in empty_databases() {
        let first = with(&database, &[CORE]);
        let empty = Store::schema(&first).await.unwrap();
        assert_eq!(empty, SchemaStatus { applied: 0, known: 1 }, "{database}");
        assert!(Store::migrate(&first).await.unwrap().is_current(), "{database}");
        assert!(Store::migrate(&first).await.unwrap().is_current(), "{database}: twice");
        drop(opened(&first).await.expect("opened"));

        let second = with(&database, &[CORE, SECOND]);
        let refused = opened(&second).await.err().expect("refused");
        assert_eq!(refused.code, "schema_outdated", "{database}");
        let status = Store::migrate(&second).await.unwrap();
        assert_eq!(status, SchemaStatus { applied: 2, known: 2 }, "{database}");
        assert_eq!(database.number("SELECT n FROM second").await, 7, "{database}");
        drop(opened(&second).await.expect("opened"));

        let old = opened(&first).await.err().expect("refused");
        assert_eq!(old.code, "schema_newer", "{database}");
        assert!(old.hint.is_some(), "{database}: {old:?}");
    }
}

#[tokio::test]
async fn a_failed_migration_leaves_the_last_whole_one() {
    for database in empty_databases() {
        let broken = with(&database, &[CORE, SECOND, BROKEN]);
        Store::migrate(&broken).await.expect_err("it fails");
        let status = Store::schema(&broken).await.unwrap();
        assert_eq!(status, SchemaStatus { applied: 2, known: 3 }, "{database}");
        drop(opened(&with(&database, &[CORE, SECOND])).await.expect("the old program still works"));
    }
}

#[tokio::test]
async fn an_empty_embedded_file_is_made_ready_by_opening_it() {
    let database = TestDb::sqlite();
    drop(opened(&with(&database, &[CORE, SECOND])).await.expect("opened"));
    assert_eq!(database.number("SELECT n FROM second").await, 7);
    let server = TestDb::empty_postgres();
    let refused = opened(&with(&server, &[CORE]))
        .await
        .err()
        .expect("a server is not migrated by opening it");
    assert_eq!(refused.code, "schema_outdated");
}

#[tokio::test]
async fn several_processes_migrate_at_once() {
    for database in empty_databases() {
        let rivals: Vec<_> = (0..6)
            .map(|_| {
                let options = with(&database, &[CORE, SECOND]);
                tokio::spawn(async move { Store::migrate(&options).await })
            })
            .collect();
        for rival in rivals {
            let status = rival.await.expect("no panic").expect("migrated by one of them");
            assert!(status.is_current(), "{database}: {status:?}");
        }
        assert_eq!(database.number("SELECT count(*) FROM second").await, 1, "{database}");
    }
}

/// SQL statements that create databases. None of these databases is a complete database of abide.
const FOREIGN: &[&str] = &[
    "CREATE TABLE invoices (n INTEGER)",
    "CREATE TABLE meta (k TEXT PRIMARY KEY, v TEXT NOT NULL)",
    "CREATE TABLE meta (k TEXT PRIMARY KEY, v TEXT NOT NULL); INSERT INTO meta VALUES ('schema', 'x')",
    "CREATE TABLE meta (id INTEGER)",
];

#[tokio::test]
async fn a_foreign_or_half_written_database_is_refused_untouched() {
    for case in FOREIGN {
        for database in empty_databases() {
            database.execute(case).await;
            let options = with(&database, &[CORE]);
            for refused in [
                Store::schema(&options).await.map(drop),
                Store::migrate(&options).await.map(drop),
                opened(&options).await.map(drop),
            ] {
                let refused = refused.expect_err("refused");
                assert_eq!(refused.code, "database_foreign", "{database}: {case}");
                assert!(refused.hint.is_some() && refused.detail.is_some(), "{refused:?}");
            }
            let tables = match options.address {
                Address::Sqlite(_) => "SELECT count(*) FROM sqlite_master WHERE type = 'table'",
                Address::Postgres(_) => {
                    "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'public'"
                }
            };
            assert_eq!(database.number(tables).await, 1, "{database}: {case}");
        }
    }
}

#[tokio::test]
async fn a_file_that_is_no_database_is_called_damaged() {
    for (name, bytes) in [("text", b"once upon a time ".repeat(500)), ("noise", vec![0xA5; 8192])] {
        let database = TestDb::sqlite();
        std::fs::write(database.url(), bytes).expect("written");
        let refused = opened(&options(&database)).await.err().expect("refused");
        assert_eq!(refused.code, "database_damaged", "{name}: {refused:?}");
        assert!(refused.hint.is_some(), "{refused:?}");
    }
}

#[tokio::test]
async fn a_file_with_a_torn_page_is_called_damaged() {
    let database = TestDb::sqlite();
    let store = open(&database).await;
    store.start_all(200).await;
    drop(store);
    // The writer closes in the background, and may leave rows in the write-ahead log.
    // The checkpoint moves these rows into the file.
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)").await;
    let mut bytes = std::fs::read(database.url()).expect("read");
    assert!(bytes.len() > 10 * 4096, "{}", bytes.len());
    bytes[4096..].fill(0xFF);
    std::fs::write(database.url(), bytes).expect("written");
    let refused = opened(&options(&database)).await.err().expect("refused");
    assert_eq!(refused.code, "database_damaged", "{refused:?}");
}

#[tokio::test]
async fn an_unreachable_database_is_reported_with_the_remedy() {
    let nowhere = StoreOptions {
        address: Address::parse("/proc/no/such/folder/abide.db"),
        ..options(&TestDb::sqlite())
    };
    let silent = StoreOptions {
        address: Address::parse("postgres://abide:secret@127.0.0.1:1/none"),
        ..options(&TestDb::sqlite())
    };
    let garbled =
        StoreOptions { address: Address::parse("postgres://["), ..options(&TestDb::sqlite()) };
    for options in [nowhere, silent, garbled] {
        let refused = opened(&options).await.err().expect("refused");
        assert_eq!(refused.code, "database_unreachable", "{refused:?}");
        let shown = format!("{refused:?} {}", options.address);
        assert!(!shown.contains("secret"), "{shown}");
    }
}

#[test]
fn one_process_drives_a_file() {
    let database = TestDb::sqlite();
    let path = std::path::Path::new(database.url());
    let mut lock = DriverLock::take(path).expect("free");
    lock.announce("http://127.0.0.1:8080").expect("announced");
    let refused = DriverLock::take(path).expect_err("taken");
    assert_eq!(refused.code, "database_in_use");
    assert_eq!(refused.detail.as_deref(), Some("http://127.0.0.1:8080"));
    lock.announce("x").expect("announced");
    assert_eq!(
        holder(path).as_deref(),
        Some("x"),
        "the shorter text replaces the longer one completely"
    );
    drop(lock);
    drop(DriverLock::take(path).expect("free again"));
}

#[tokio::test]
async fn a_store_sees_that_another_program_migrated_the_schema() {
    for database in empty_databases() {
        let first = with(&database, &[CORE]);
        Store::migrate(&first).await.expect("migrated");
        let store = opened(&first).await.expect("opened");
        assert!(store.schema_now().await.unwrap().is_current(), "{database}");
        Store::migrate(&with(&database, &[CORE, SECOND])).await.expect("migrated");
        let seen = store.schema_now().await.unwrap();
        assert_eq!(seen, SchemaStatus { applied: 2, known: 1 }, "{database}");
    }
}

#[tokio::test]
async fn a_write_blocked_by_another_process_fails_and_changes_nothing() {
    for database in empty_databases() {
        let (one, other) = (open(&database).await, open(&database).await);
        let (begun, mut begins) = tokio::sync::mpsc::unbounded_channel();
        let (go_on, gate) = tokio::sync::watch::channel(false);
        let holding = tokio::spawn(async move {
            let held = tx!(other.write, [begun, gate], |tx| {
                tx.set_meta("x", "theirs").await?;
                begun.send(()).expect("the test listens");
                let mut gate = gate;
                gate.wait_for(|open| *open).await.expect("the test is there");
            });
            held.await
        });
        begins.recv().await.expect("it holds the row, or the file");
        let ours = tx!(one.write, |tx| {
            tx.set_meta("before", "ours").await?;
            tx.set_meta("x", "ours").await?;
        });
        let refused = ours.await.expect_err("refused after a while");
        assert_eq!(refused.code, "database_unavailable", "{database}: {refused:?}");
        assert!(refused.is_transient() && refused.hint.is_some(), "{database}: {refused:?}");
        let kept = tx!(one.read, |tx| tx.meta("before").await?).await.unwrap();
        assert_eq!(kept, None, "{database}: nothing was written");
        go_on.send(true).expect("it waits");
        holding.await.expect("no panic").expect("committed");
        tx!(one.write, |tx| tx.set_meta("x", "ours").await?).await.expect("the lock is free");
    }
}

#[tokio::test]
async fn two_handles_on_one_database_see_each_other() {
    for database in empty_databases() {
        let (one, other) = (open(&database).await, open(&database).await);
        tx!(one.write, |tx| tx.ensure_tenant("grace").await?).await.unwrap();
        let tenants = tx!(other.read, |tx| tx.tenants().await?).await.unwrap();
        assert_eq!(tenants, ["grace"], "{database}");
        let phone = |store: &super::support::Opened| {
            let store = store.clone();
            async move { tx!(store.write, |tx| tx.contact_id("grace", "+15550100")).await.unwrap() }
        };
        assert_eq!(phone(&one).await, phone(&other).await, "{database}: one key per database");
    }
}
