//! Shadow runs are told apart from real runs, and the messages that they would send are never sent.

use abide_engine::base::{CallId, MessageId, RequestId, RunId, TypedId as _};
use abide_engine::ledger::EventKind;
use abide_engine::library::{Definition, DefinitionKind};
use abide_engine::store::{MethodRef, NewRun, ParentLink, RunRef, ShadowMessage};
use abide_simulator::domains::copied_tables;
use serde_json::json;

use super::outbox::OutboxFixture;
use super::support::{Opened, START, TENANT, law, minutes, new_run, tx};
use crate::postgres::{TestDb, databases};

async fn insert(store: &Opened, run: NewRun) -> RunId {
    let id = run.id;
    tx!(store.write, [run], |tx| tx.insert_runs(&[run]).await?).await.expect("started");
    id
}

async fn shadow_run(store: &Opened) -> RunId {
    insert(store, NewRun { shadow: true, ..new_run(store.id()) }).await
}

#[tokio::test]
async fn a_shadowed_message_is_recorded_once_and_takes_no_key() {
    for database in databases() {
        let outbox = OutboxFixture::open(&database).await;
        let store = &outbox.store;
        let run = shadow_run(store).await;
        let message = |key: &str| ShadowMessage {
            id: store.id(),
            key: key.to_owned(),
            kind: "invite".to_owned(),
            to: "+15550100".to_owned(),
            person: None,
            body: "Hi".to_owned(),
            segments: 1,
            at: START + minutes(5),
        };
        let record = async |messages: Vec<ShadowMessage>| {
            tx!(store.write, [messages], |tx| tx.record_shadowed(TENANT, run, &messages).await?)
                .await
                .expect("recorded");
        };
        let first = message("soon");
        record(vec![first.clone(), message("kept")]).await;
        record(vec![message("soon")]).await;
        record(Vec::new()).await;
        let query = abide_engine::store::MessageQuery { run: Some(run), ..Default::default() };
        let listed =
            tx!(store.read, [query], |tx| tx.outbound_page(TENANT, &query, 10).await?).await;
        let listed = listed.expect("listed");
        assert_eq!(listed.len(), 2, "{database}: {listed:?}");
        assert!(listed.iter().all(|message| message.body == "Hi" && message.to == "+15550100"));
        assert!(listed.iter().any(|message| message.id == first.id), "{database}");
        outbox.queue_one("soon", 0).await; // the key is free
        let released: Vec<MessageId> =
            outbox.release(START + minutes(9)).await.into_iter().map(|(id, _)| id).collect();
        assert_eq!(released.len(), 1, "{database}: only the real message leaves");
        assert!(!released.contains(&first.id));
    }
}

law!(shadow_runs_are_listed_apart, async |database: &TestDb, store: Opened| {
    let real = store.start().await;
    let shadow = shadow_run(&store).await;
    let since = async |shadow: bool, minute: i64| {
        let from = START + minutes(minute);
        let read = tx!(store.read, |tx| tx.runs_since(TENANT, shadow, from, 10).await?);
        read.await.expect("read").into_iter().map(|run| (run.id, run.shadow)).collect::<Vec<_>>()
    };
    assert_eq!(since(true, 0).await, [(shadow, true)], "{database}");
    assert_eq!(since(false, 0).await, [(real, false)], "{database}");
    assert_eq!(since(true, 1).await, [], "{database}");
});

law!(a_run_is_found_with_its_children_at_any_depth, async |database: &TestDb, store: Opened| {
    let root = store.start().await;
    let under = async |parent: RunId, branch: bool| {
        let link = ParentLink { parent, call: store.id::<CallId>(), ordinal: 0, branch };
        insert(&store, NewRun { parent_link: Some(link), ..new_run(store.id()) }).await
    };
    let branch = under(root, true).await;
    let called = under(branch, false).await;
    store.start().await;
    let found = tx!(store.read, |tx| tx.with_descendants(root).await?).await.expect("read");
    assert_eq!(found, [root, branch, called], "{database}");
});

#[tokio::test]
async fn what_real_runs_sent_is_counted_for_the_run_that_was_started() {
    for database in databases() {
        let outbox = OutboxFixture::open(&database).await;
        let (store, run) = (&outbox.store, outbox.run);
        outbox.queue_one("soon", 0).await;
        let link =
            ParentLink { parent: run, call: store.id::<CallId>(), ordinal: 0, branch: false };
        let child = insert(store, NewRun { parent_link: Some(link), ..new_run(store.id()) }).await;
        let of_child =
            abide_engine::store::OutboxMessage { run: Some(child), ..outbox.message("kept", 0) };
        outbox.queue(vec![of_child]).await;
        let count = async |limit: i64| {
            let read = tx!(store.read, |tx| tx.sent_by_runs(&[run], limit).await?);
            read.await.expect("read")
        };
        let sent = count(10).await;
        assert_eq!(sent.len(), 2, "{database}: {sent:?}");
        assert!(sent.iter().all(|message| message.run == run), "{database}: {sent:?}");
        assert_eq!(count(1).await.len(), 1, "{database}");
    }
}

law!(the_events_of_one_kind_are_read, async |database: &TestDb, store: Opened| {
    let (one, other) = (store.start().await, store.start().await);
    for run in [one, other] {
        store.must_commit(store.commit(run, 0)).await;
    }
    let all = tx!(store.read, |tx| tx.stream_events(one.into(), 0, 10).await?).await;
    let kinds: Vec<_> = all.expect("read").into_iter().map(|event| event.kind).collect();
    let kind = EventKind::parse(kinds[0].as_str()).expect("a kind of the engine");
    let read = async |kind: EventKind, limit: i64| {
        let read = tx!(store.read, |tx| tx.events_of_runs(&[one, other], kind, limit).await?);
        read.await.expect("read").len()
    };
    assert_eq!(read(kind, 10).await, 2 * kinds.iter().filter(|k| **k == kind).count());
    assert_eq!(
        (read(kind, 1).await, read(EventKind::ShadowPlayed, 10).await),
        (1, 0),
        "{database}"
    );
});

law!(shadow_mode_is_stored_with_a_new_version, async |database: &TestDb, store: Opened| {
    let state = async || {
        let read = tx!(store.read, |tx| tx.tenant(TENANT).await?).await.expect("read");
        read.map(|row| (row.shadow, row.version)).expect("a tenant")
    };
    tx!(store.write, |tx| tx.ensure_tenant(TENANT).await?).await.expect("made");
    let (off, version) = state().await;
    tx!(store.write, |tx| tx.set_tenant_shadow(TENANT, true).await?).await.expect("on");
    assert_eq!((off, state().await), (false, (true, version + 1)), "{database}");
});

law!(the_newest_version_in_shadow_is_tried, async |database: &TestDb, store: Opened| {
    const METHOD: MethodRef<'static> = MethodRef { tenant: TENANT, method: "m" };
    let publish = async |text: &'static str, shadow: bool| {
        let pins = json!({"method": "m", "text": text}).to_string();
        let bundle = Definition {
            digest: abide_engine::base::Digest::of(pins.as_bytes()),
            kind: DefinitionKind::Bundle,
            name: "m".to_owned(),
            body: pins,
            graph: Some("{}".to_owned()),
        };
        let digest = bundle.digest;
        let done = tx!(store.write, [bundle], |tx| {
            let version = tx.store_bundle(METHOD, digest, || vec![bundle]).await?;
            tx.mark_published(METHOD, version, shadow).await?;
            if !shadow {
                tx.activate(METHOD, Some(version)).await?;
            }
            version
        });
        (done.await.expect("published"), digest)
    };
    let tried = async || {
        let read = tx!(store.read, |tx| {
            (tx.shadow_version(METHOD).await?, tx.has_shadow_versions(TENANT).await?)
        });
        read.await.expect("read")
    };
    publish("one", false).await;
    assert_eq!(tried().await, (None, false), "{database}");
    publish("two", true).await;
    let third = publish("three", true).await;
    assert_eq!(tried().await, (Some(third), true), "{database}");
    publish("four", false).await;
    assert_eq!(tried().await, (None, true), "{database}: a newer version is active");
});

law!(a_copy_without_a_run_has_none_of_its_rows, async |database: &TestDb, store: Opened| {
    let request: RequestId = store.id();
    let of_request = || NewRun { request: Some(request), ..new_run(store.id()) };
    let run = insert(&store, of_request()).await;
    let beside = insert(&store, of_request()).await;
    store.must_commit(store.commit(beside, 0)).await;
    let read = tx!(store.read, |tx| {
        tx.copy_run(RunRef { tenant: TENANT, run }, copied_tables()).await?
    });
    let copy = read.await.expect("read").expect("a copy").without(beside);
    let text = format!("{copy:?}");
    assert!(text.contains(&run.uuid().to_string()), "{database}");
    assert!(!text.contains(&beside.uuid().to_string()), "{database}");
});
