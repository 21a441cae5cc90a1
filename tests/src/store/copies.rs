//! Copies: a run is copied from one database to another, with everything that its continuation depends on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use abide_engine::base::{RequestId, RunId, TypedId as _};
use abide_engine::clock::SystemClock;
use abide_engine::store::{CopiedTable, NewRun, RunCopy, RunRef, Store};
use abide_simulator::domains::copied_tables;

use super::support::{Opened, TENANT, law, new_run, owned, tx};
use crate::engines::store_options;
use crate::postgres::{TestDb, databases};

/// Tables and columns that are not copied, each with the reason.
const LEFT_OUT: &[(&str, &str)] = &[
    ("node", "the nodes of the live database do not drive the copy"),
    ("http_key", "a copy has no clients over HTTP to answer again"),
    ("inbox", "only people read it, no step does"),
    ("token", "no client calls a copy, and no step reads tokens"),
    ("archive", "no step reads what has left the database"),
    ("leaving", "no step reads what is about to leave the database"),
    ("chain_base", "nobody audits a copy beside the archives"),
    ("seal", "nobody audits a copy"),
    ("inbox_notice", "nobody is told of what comes into the inbox of a copy"),
    ("event_topic", "the copy lists the events that it gets under their topics"),
    ("event_block", "the copy marks the blocks of the events that it gets"),
    ("erasure", "an erasure is carried out in the live database"),
    ("ledger.pos", "each database assigns the positions of its events"),
    ("notes.row", "each SQLite database numbers its notes for its index of them"),
    ("notes.words", "PostgreSQL computes the words of a note from its texts"),
    ("turn.owner", "the owner of the run does not drive the copy"),
    ("assertion.confidence", "a tool is certain of what it returns, which is the default"),
    ("classification", "no step reads what the operator was told"),
    ("run_plan", "a run has a copy of its plan in its bundle"),
    ("asked", "no step reads what was asked"),
    ("obligation", "no step reads what a text bound the agent to"),
    (
        "standing_obligation",
        "an order is carried out by a run of its own, and binds no copy of another run",
    ),
    ("conversation_session", "no step reads what a conversation is about"),
    ("conversation_goals", "no step reads what a conversation is about"),
    ("conversation_goal_journal", "no step reads what a conversation is about"),
    ("agenda_turn", "no step reads what a conversation is about"),
    ("notes_words", "SQLite keeps this index of the notes, and its parts, by triggers"),
    ("notes_words_config", "a part of the index of the notes"),
    ("notes_words_data", "a part of the index of the notes"),
    ("notes_words_docsize", "a part of the index of the notes"),
    ("notes_words_idx", "a part of the index of the notes"),
];

fn lists() -> impl Iterator<Item = &'static CopiedTable> {
    RunCopy::engine_tables().chain(copied_tables())
}

#[tokio::test]
async fn every_column_is_copied_or_left_out_for_a_reason() {
    for database in databases() {
        let options = super::support::options(&database);
        Store::migrate(&options).await.expect("migrated");
        let left_out: BTreeSet<&str> = LEFT_OUT.iter().map(|(name, _)| *name).collect();
        let mut there = BTreeSet::new();
        let mut kinds = BTreeMap::new();
        for column in database.columns().await {
            let (name, kind) = column.split_once(' ').expect("a column and its kind");
            let table = name.split('.').next().unwrap_or_default();
            if !left_out.contains(name) && !left_out.contains(table) {
                there.insert(name.to_owned());
            }
            kinds.insert(name.to_owned(), kind.to_owned());
        }
        let mut copied = BTreeSet::new();
        for table in lists() {
            for (column, kind) in table.columns {
                let name = format!("{}.{column}", table.name);
                let is = kinds.get(&name).unwrap_or_else(|| panic!("{database}: no `{name}`"));
                assert!(is.contains(&format!("{kind:?}")), "{database}: `{name}` is {is}");
                copied.insert(name);
            }
        }
        assert_eq!(copied, there, "{database}");
    }
}

#[test]
fn all_entries_of_a_table_have_the_same_columns() {
    let mut columns: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for table in lists() {
        let names: Vec<&str> = table.columns.iter().map(|(name, _)| *name).collect();
        let known = columns.entry(table.name).or_insert_with(|| names.clone());
        assert_eq!(*known, names, "{}", table.name);
    }
}

/// Starts a run that belongs to a request.
async fn started(store: &Opened, request: RequestId) -> RunId {
    let run = NewRun { request: Some(request), ..new_run(store.id()) };
    let id = run.id;
    tx!(store.write, [run], |tx| tx.insert_runs(&[run]).await?).await.expect("started");
    id
}

async fn copied(store: &Opened, tenant: &'static str, run: RunId) -> Option<RunCopy> {
    let copy = tx!(store.read, |tx| tx.copy_run(RunRef { tenant, run }, copied_tables()).await?);
    copy.await.expect("read")
}

law!(a_copy_has_the_runs_of_the_same_request_and_no_others, async |_: &TestDb, store: Opened| {
    let (mine, other): (RequestId, RequestId) = (store.id(), store.id());
    let run = started(&store, mine).await;
    let beside = started(&store, mine).await;
    let apart = started(&store, other).await;
    let copy = copied(&store, TENANT, run).await.expect("a copy");
    assert_eq!(copy.runs, 2);
    let text = format!("{copy:?}");
    assert!(text.contains(&run.uuid().to_string()) && text.contains(&beside.uuid().to_string()));
    assert!(!text.contains(&apart.uuid().to_string()));
});

law!(an_unknown_run_or_a_run_of_another_tenant_is_not_copied, async |_: &TestDb, store: Opened| {
    let run = store.start().await;
    assert!(copied(&store, "another", run).await.is_none());
    assert!(copied(&store, TENANT, store.id()).await.is_none());
    assert!(copied(&store, TENANT, run).await.is_some());
});

law!(a_copy_of_a_copy_is_the_same, async |_: &TestDb, store: Opened| {
    let request: RequestId = store.id();
    let run = started(&store, request).await;
    let commit = store.commit(run, 0);
    store.must_commit(commit).await;
    let first = Arc::new(copied(&store, TENANT, run).await.expect("a copy"));

    let folder = tempfile::tempdir().expect("a folder");
    let (draft, file) = (folder.path().join("draft.db"), folder.path().join("whole.db"));
    let other = open_embedded(&draft).await;
    tx!(other.write, [first], |tx| tx.put_copy(&first).await?).await.expect("written");
    Store::back_up(&draft, &file).await.expect("written");
    assert!(!folder.path().join("whole.db-wal").exists(), "the backup is one file");

    let again = open_embedded(&file).await;
    let read =
        tx!(again.read, |tx| tx.copy_run(RunRef { tenant: TENANT, run }, copied_tables()).await?)
            .await;
    let second = read.expect("read").expect("a copy");
    assert_eq!(format!("{first:?}"), format!("{second:?}"));
    assert!(first.rows > 4, "{}", first.rows);
});

law!(the_owner_of_a_run_does_not_own_its_copy, async |_: &TestDb, store: Opened| {
    let run = owned(store.id(), store.id());
    let (id, now) = (run.id, store.now());
    tx!(store.write, [run], |tx| tx.insert_runs(&[run]).await?).await.expect("started");
    assert_eq!(store.due(now).await, [], "it has an owner");
    let copy = Arc::new(copied(&store, TENANT, id).await.expect("a copy"));
    let folder = tempfile::tempdir().expect("a folder");
    let other = open_embedded(&folder.path().join("copy.db")).await;
    tx!(other.write, [copy], |tx| tx.put_copy(&copy).await?).await.expect("written");
    let due = tx!(other.read, |tx| tx.due_turns(now, 100, &BTreeSet::new()).await?).await;
    let due: Vec<RunId> = due.expect("read").into_iter().map(|claim| claim.run).collect();
    assert_eq!(due, [id], "the copy has no owner");
});

/// An open store on an embedded file, which is opened in addition to the test's database.
struct EmbeddedStore {
    store: Store,
}

async fn open_embedded(path: &std::path::Path) -> EmbeddedStore {
    let url = path.to_str().expect("a path in UTF-8");
    let options = store_options(url, Arc::new(SystemClock), 5);
    Store::migrate(&options).await.expect("migrated");
    EmbeddedStore { store: Store::open(options, Arc::new(|_| {})).await.expect("opened") }
}
