//! Events are listed under topics: by the run they are about, by their correlation, by tool and by status.

use abide_engine::base::{CorrelationId, Digest, RequestId, RunId, StreamId};
use abide_engine::ledger::KindName;
use abide_engine::store::{About, Commit, EventPosition, EventQuery, ReceiptFilter};
use serde_json::json;

use super::support::{Opened, TENANT, law, new_run, tx};
use crate::postgres::TestDb;

/// What the migration that brought the topics writes for the events that are there.
const MIGRATION: [&str; 2] = [
    include_str!("../../../migrations/sqlite/0052_topics.sql"),
    include_str!("../../../migrations/postgres/0052_topics.sql"),
];

/// Lists the stored events under their topics, as the migration does.
pub(super) async fn list_as_migrated(database: &TestDb) {
    let [sqlite, postgres] = MIGRATION.map(|text| {
        let (_, rest) = text.split_once("INSERT INTO event_topic").expect("a statement");
        let (insert, _) = rest.split_once(';').expect("its end");
        format!("INSERT INTO event_topic {insert} RETURNING ''")
    });
    database.texts(&sqlite, &postgres).await;
}

async fn topics(database: &TestDb) -> Vec<String> {
    let sqlite = "SELECT topic || ' ' || lower(hex(id)) || ' ' || seq FROM event_topic ORDER BY 1";
    let postgres = "SELECT topic || ' ' || replace(id::text, '-', '') || ' ' || seq FROM event_topic ORDER BY 1";
    database.texts(sqlite, postgres).await
}

/// Commits the receipt of a run's first call.
async fn receive(store: &Opened, run: RunId, tool: &str, status: &str) {
    let mut commit: Commit = store.commit(run, 0);
    let event = &mut commit.events[0];
    event.id = store.id();
    (event.tool, event.status) = (Some(tool.to_owned()), Some(status.to_owned()));
    commit.head.last_hash = event.link(Digest::ZERO);
    store.must_commit(commit).await;
}

/// Starts four runs and lets them call tools; logs two events of a request, one of them about the first run.
async fn events(store: &Opened) -> (Vec<RunId>, RequestId, CorrelationId) {
    let (request, story) = (store.id::<RequestId>(), store.id::<CorrelationId>());
    let runs: Vec<RunId> = (0..4).map(|_| store.id()).collect();
    let new: Vec<_> = runs.iter().map(|run| new_run(*run)).collect();
    let about = runs[0];
    let begun = tx!(store.write, [new], |tx| {
        tx.lock_request(TENANT, request).await?;
        tx.correlate(story);
        tx.insert_runs(&new).await?;
        tx.log(request, KindName::of("about.nobody"), About::default(), json!({}))?;
        tx.log(request, KindName::of("about.the_run"), About::run(Some(about)), json!({}))?;
    });
    begun.await.expect("begun");
    let calls = [
        ("ask", "succeeded"),
        ("ask", "failed"),
        ("leads.create", "succeeded"),
        ("leads.create", "failed"),
    ];
    for (run, (tool, status)) in runs.iter().zip(calls) {
        receive(store, *run, tool, status).await;
    }
    (runs, request, story)
}

law!(events_are_listed_as_a_migration_lists_them, async |database: &TestDb, store: Opened| {
    let (runs, _, story) = events(&store).await;
    let listed = topics(database).await;
    let words: Vec<&str> =
        listed.iter().filter_map(|listed| listed.rsplitn(3, ' ').nth(2)).collect();
    let (run, story) = (runs[0].to_string(), story.to_string());
    let expected = [
        story.as_str(),
        run.as_str(),
        "status failed",
        "status failed",
        "tool ask failed",
        "tool leads.create",
        "tool leads.create",
        "tool leads.create failed",
        "tool leads.create succeeded",
    ];
    assert_eq!(words, expected, "{database}: the step that succeeded has no topic");
    database.execute("DELETE FROM event_topic").await;
    list_as_migrated(database).await;
    assert_eq!(topics(database).await, listed, "{database}");
});

law!(events_about_a_run_are_found_in_all_streams, async |database: &TestDb, store: Opened| {
    let (runs, request, story) = events(&store).await;
    database.wait_until_log_is_readable().await;
    let find = async |query| {
        let start = EventPosition::beginning();
        let found = tx!(store.read, |tx| tx.events_after(TENANT, start, query, 99).await?).await;
        found.expect("read").iter().map(|event| event.stream).collect::<Vec<_>>()
    };
    let of = async |stream| find(EventQuery { about: Some(stream), ..EventQuery::default() }).await;
    let (run, other, request): (StreamId, StreamId, StreamId) =
        (runs[0].into(), runs[1].into(), request.into());
    assert_eq!(of(run).await, [request, run], "{database}");
    assert_eq!(of(other).await, [other], "{database}");
    assert_eq!(of(request).await, [request, request], "{database}");
    assert_eq!(of(store.id()).await, [], "{database}");
    let query = EventQuery { correlation: Some(story), ..EventQuery::default() };
    assert_eq!(find(query).await.len(), 6, "{database}: each event once");
});

law!(a_receipt_is_found_by_what_it_says, async |database: &TestDb, store: Opened| {
    let (runs, ..) = events(&store).await;
    let cases: [(_, _, &[usize]); 8] = [
        (Some("ask"), None, &[1, 0]),
        (Some("ask"), Some("succeeded"), &[0]),
        (Some("ask"), Some("failed"), &[1]),
        (Some("leads.create"), None, &[3, 2]),
        (Some("leads.create"), Some("succeeded"), &[2]),
        (Some("leads.create"), Some("unknown"), &[]),
        (None, Some("failed"), &[3, 1]),
        (None, Some("succeeded"), &[2, 0]),
    ];
    for (tool, status, expected) in cases {
        let filter = ReceiptFilter { tool, status, before: None };
        let found = tx!(store.read, |tx| tx.tenant_receipts(TENANT, filter, 9).await?).await;
        let found: Vec<_> = found.expect("read").iter().map(|row| row.stream).collect();
        let expected: Vec<_> = expected.iter().map(|nth| StreamId::from(runs[*nth])).collect();
        assert_eq!(found, expected, "{database}: {tool:?} {status:?}");
    }
});
