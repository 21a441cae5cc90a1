//! Every table says how long it keeps its rows.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use abide_engine::clock::SystemClock;
use abide_engine::store::{ArchivedTable, Kept, Store};
use abide_simulator::domains;

use crate::engines::store_options;
use crate::postgres::databases;

/// Tables that SQLite has instead of indexes of PostgreSQL: of the words of notes, and of the log of a tenant.
const OF_SQLITE: [&str; 2] = ["notes_words", "event_block"];

/// The engine's own groups are part of the engine; these are the tables that they archive.
const OF_THE_ENGINE: [&str; 9] =
    ["run", "var", "undo", "signal", "upgrade_run", "schedule", "tool_key", "blob", "ledger"];

fn archived_tables() -> impl Iterator<Item = &'static ArchivedTable> {
    domains::archived_groups().iter().flat_map(|group| group.tables)
}

#[tokio::test]
async fn every_table_says_how_long_it_keeps_its_rows() {
    let kept = domains::kept_tables();
    let names: BTreeSet<&str> = kept.iter().map(|table| table.name).collect();
    assert_eq!(names.len(), kept.len(), "each table once");
    for database in databases() {
        let options = store_options(database.url(), Arc::new(SystemClock), 5);
        Store::migrate(&options).await.expect("migrated");
        let mut there = BTreeSet::new();
        for column in database.columns().await {
            let table = column.split(['.', ' ']).next().expect("a table").to_owned();
            if !OF_SQLITE.iter().any(|name| table.starts_with(name)) {
                there.insert(table);
            }
        }
        let there: BTreeSet<&str> = there.iter().map(String::as_str).collect();
        let differ: Vec<&&str> = names.symmetric_difference(&there).collect();
        assert_eq!(differ, [] as [&&str; 0], "{database}");
    }
    let leave: BTreeSet<&str> = kept
        .iter()
        .filter(|table| matches!(table.kept, Kept::Archived(_)))
        .map(|table| table.name)
        .collect();
    let mut listed: BTreeSet<&str> = archived_tables().map(|table| table.name).collect();
    listed.extend(OF_THE_ENGINE);
    assert_eq!(leave, listed);
}

#[tokio::test]
async fn every_column_of_an_archived_table_is_archived() {
    for database in databases() {
        let options = store_options(database.url(), Arc::new(SystemClock), 5);
        Store::migrate(&options).await.expect("migrated");
        let mut there: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        for column in database.columns().await {
            let (name, kind) = column.split_once(' ').expect("a column and its kind");
            let (table, column) = name.split_once('.').expect("a table and a column");
            there.entry(table.to_owned()).or_default().insert(column.to_owned(), kind.to_owned());
        }
        for table in archived_tables() {
            let mut columns = there[table.name].clone();
            // Each database assigns the positions of its events.
            columns.retain(|name, _| (table.name, name.as_str()) != ("ledger", "pos"));
            for (name, kind) in table.columns {
                let is = columns.remove(*name);
                let is = is.unwrap_or_else(|| panic!("{database}: no `{}.{name}`", table.name));
                assert!(is.contains(&format!("{kind:?}")), "{database}: `{name}` is {is}");
            }
            assert_eq!(columns, BTreeMap::new(), "{database}: `{}` is not whole", table.name);
        }
    }
}
