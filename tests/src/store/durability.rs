//! Confirmed commits are durable. The connection that commits has safe settings,
//! and each commit is flushed to disk.

use std::path::Path;
use std::process::Command;

use abide_engine::store::{Durability, Store, StoreOptions};
use abide_simulator::domains;

use super::support::{open, options, tx};
use crate::postgres::{TestDb, databases};

#[tokio::test]
async fn a_database_reports_the_durability_of_its_commits() {
    for database in databases() {
        let facts = Store::durability(&options(&database)).await.expect("facts");
        let named = |name: &str| facts.iter().find(|fact| fact.name == name);
        if let Some(mode) = named("journal_mode") {
            assert_eq!((&*mode.value, mode.safe), ("wal", true), "{database}");
            let synchronous = named("synchronous").expect("a fact");
            assert_eq!((&*synchronous.value, synchronous.safe), ("FULL", true), "{database}");
            let version = named("sqlite_version").expect("a fact");
            assert!(version.safe, "{database}: {version:?}");
        } else {
            for setting in ["fsync", "full_page_writes", "synchronous_commit"] {
                let fact = named(setting).expect("a fact");
                assert_eq!(fact.safe, fact.value == "on", "{database}: {fact:?}");
            }
        }
    }
}

#[tokio::test]
async fn only_the_simulator_does_without_a_flush() {
    let database = TestDb::sqlite();
    let options = StoreOptions { durability: Durability::SimulatorOnly, ..options(&database) };
    let facts = Store::durability(&options).await.expect("facts");
    let synchronous = facts.iter().find(|fact| fact.name == "synchronous").expect("a fact");
    assert_eq!((&*synchronous.value, synchronous.safe), ("OFF", false));
}

/// Number of commits that `commits_in_a_row` makes, half of them through each lane.
const COMMITS: usize = 40;
/// Maximum number of flushes besides those of the `COMMITS` commits and those of the migrations. Creating
/// the file and its log, starting the run, and closing the store cause such flushes.
const MORE_MAX: usize = 12;

#[tokio::test]
async fn commits_in_a_row() {
    let database = TestDb::sqlite();
    let store = open(&database).await;
    let run = store.start().await;
    for seq in 0..COMMITS / 2 {
        let seq = i64::try_from(seq).expect("few");
        store.must_commit(store.commit(run, seq)).await;
        let n = seq.to_string();
        tx!(store.write, [n], |tx| tx.set_meta("n", &n).await?).await.expect("written");
    }
}

/// Runs [`commits_in_a_row`] under `strace` and counts the flushes to disk.
#[test]
fn every_commit_is_flushed_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let calls = folder.path().join("calls");
    let name = concat!(module_path!(), "::commits_in_a_row");
    let name = name.split_once("::").map_or(name, |(_, path)| path);
    let test = std::env::current_exe().expect("the path of this test");
    let traced = Command::new("strace")
        .args(["-f", "-e", "trace=fsync,fdatasync", "-o"])
        .args([calls.as_path(), &test, Path::new(name), Path::new("--exact")])
        .output()
        .unwrap_or_else(|e| panic!("`strace`: {e}\nhint: `apt-get install strace`, or `./check`"));
    let said = String::from_utf8_lossy(&traced.stdout);
    assert!(said.contains("1 passed"), "{traced:?}");
    let calls = std::fs::read_to_string(calls).expect("the calls");
    let flushes = calls.lines().filter(|line| line.contains("sync(")).count();
    let expected = COMMITS..=COMMITS + MORE_MAX + domains::migrations().len();
    assert!(expected.contains(&flushes), "{flushes} flushes of {COMMITS} commits:\n{calls}");
}
