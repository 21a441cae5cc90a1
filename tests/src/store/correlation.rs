//! What a message or a request to the API sets going is found by one id, from the first row to the last.

use abide_engine::base::{CorrelationId, MessageId, RunId, StreamId, TypedId as _};
use abide_engine::ledger::KindName;
use abide_engine::store::{
    About, EventPosition, EventQuery, InboundResult, MessageQuery, NewRun, OutboxMessage,
    ParentLink, Queued,
};
use serde_json::json;

use super::outbox::OutboxFixture;
use super::support::{Opened, START, TENANT, inbound, new_run, open, tx};
use crate::postgres::databases;

/// Returns the streams of the events of a correlation.
async fn streams(store: &Opened, correlation: CorrelationId) -> Vec<StreamId> {
    let query = EventQuery { correlation: Some(correlation), ..EventQuery::default() };
    let start = EventPosition::beginning();
    let found = tx!(store.read, |tx| tx.events_after(TENANT, start, query, 99).await?).await;
    found.expect("read").iter().map(|event| event.stream).collect()
}

async fn correlation(store: &Opened, run: RunId) -> Option<CorrelationId> {
    let row = tx!(store.read, |tx| tx.run(run).await?).await.expect("read");
    row.expect("a run").correlation
}

async fn receive(store: &Opened, provider_id: &'static str) -> MessageId {
    let new = inbound(provider_id, "+15550100", START);
    let stored = tx!(store.write, [new], |tx| tx.store_inbound(TENANT, &new).await?).await;
    stored.expect("stored").expect("is new").0
}

#[tokio::test]
async fn runs_and_events_belong_to_the_message_that_set_them_going() {
    for database in databases() {
        let store = open(&database).await;
        let message = receive(&store, "fill").await;
        let story = CorrelationId::from(message);
        let (parent, child) = (store.id::<RunId>(), store.id::<RunId>());
        let link = ParentLink { parent, call: store.id(), ordinal: 0, branch: false };
        let request = store.id::<abide_engine::base::RequestId>();
        let begun = tx!(store.write, |tx| {
            tx.lock_request(TENANT, request).await?;
            tx.correlate(story);
            tx.insert_runs(&[new_run(parent)]).await?;
            tx.log(request, KindName::of("about.nobody"), About::default(), json!({}))?;
            tx.log(request, KindName::of("about.the_run"), About::run(Some(parent)), json!({}))?;
        });
        begun.await.expect("begun");
        let nested = NewRun { parent_link: Some(link), ..new_run(child) };
        let alone = new_run(store.id());
        let (one, other) = (alone.id, [nested, alone]);
        tx!(store.write, [other], |tx| tx.insert_runs(&other).await?).await.expect("started");
        for run in [parent, child, one] {
            store.must_commit(store.commit(run, 0)).await;
        }
        assert_eq!(correlation(&store, parent).await, Some(story), "{database}");
        assert_eq!(correlation(&store, child).await, Some(story), "{database}");
        let own = CorrelationId::from_uuid(one.uuid());
        assert_eq!(correlation(&store, one).await, Some(own), "{database}: it began by itself");

        database.wait_until_log_is_readable().await;
        let (parent, child, one): (StreamId, StreamId, StreamId) =
            (parent.into(), child.into(), one.into());
        let request: StreamId = request.into();
        let mut found = streams(&store, story).await;
        assert!(found.starts_with(&[request, request]), "{database}: in the order of the log");
        found.sort_unstable();
        let mut expected = vec![request, request, parent, child];
        expected.sort_unstable();
        assert_eq!(found, expected, "{database}");
        assert_eq!(streams(&store, own).await, [one], "{database}");
        assert_eq!(streams(&store, store.id()).await, [], "{database}: nothing began so");
    }
}

#[tokio::test]
async fn a_reply_and_a_text_belong_to_the_story_of_their_run() {
    for database in databases() {
        let outbox = OutboxFixture::open(&database).await;
        let store = &outbox.store;
        let run = store.id::<RunId>();
        let new = new_run(run);
        tx!(store.write, [new], |tx| tx.insert_runs(&[new]).await?).await.expect("started");
        let own = CorrelationId::from_uuid(run.uuid());
        let (reply, stray) = (receive(store, "yes").await, receive(store, "hello").await);
        let texts = vec![
            OutboxMessage { run: Some(run), ..outbox.message("first", 0) },
            OutboxMessage { run: None, ..outbox.message("second", 0) },
        ];
        let applied = tx!(store.write, [texts], |tx| {
            let result = InboundResult { run: Some(run), ..InboundResult::of(reply, "reply") };
            assert_eq!(tx.mark_applied(&[result]).await?, 1);
            tx.queue(TENANT, texts).await?
        });
        let queued = applied.await.expect("applied");
        for text in queued {
            let Queued::New(text) = text else { panic!("{database}: {text:?}") };
            let known = tx!(store.read, |tx| tx.correlation_of(TENANT, text).await?).await;
            assert_eq!(known.expect("read"), Some(own), "{database}");
        }
        for (message, expected) in [(reply, own), (stray, stray.into())] {
            let known = tx!(store.read, |tx| {
                assert_eq!(tx.correlation_of("north", message).await?, None);
                tx.correlation_of(TENANT, message).await?
            });
            assert_eq!(known.await.expect("read"), Some(expected), "{database}");
        }
        let query = MessageQuery { run: Some(run), ..MessageQuery::default() };
        let page = tx!(store.read, [query], |tx| tx.inbound_page(TENANT, &query, 9).await?).await;
        let page = page.expect("read");
        assert_eq!(page.len(), 1, "{database}");
        assert_eq!(page[0].correlation, Some(own), "{database}");
    }
}
