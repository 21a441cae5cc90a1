//! Reading the event log page by page misses no event, in whatever sequence transactions commit.

use std::sync::Arc;

use abide_engine::base::{EventId, RequestId};
use abide_engine::ledger::KindName;
use abide_engine::store::{About, EventPosition, EventQuery, LedgerRow};
use serde_json::json;
use sqlx::AssertSqlSafe;
use sqlx::postgres::PgConnection;
use tokio::sync::Notify;

use super::support::{Opened, TENANT, law, open, tx};
use crate::postgres::TestDb;

/// A reader that continues after the last event that it has read. It keeps all events that it has read.
struct Reader<'a> {
    store: &'a Opened,
    seen: Vec<LedgerRow>,
}

impl Reader<'_> {
    async fn read_on(&mut self) {
        let (store, last) = (self.store, self.seen.last().map(|event| event.id));
        let page = tx!(store.read, |tx| {
            let after = match last {
                Some(id) => tx.event_place(TENANT, id).await?.expect("an event"),
                None => EventPosition::beginning(),
            };
            tx.events_after(TENANT, after, EventQuery::default(), 50).await?
        });
        self.seen.extend(page.await.expect("read"));
    }
}

/// Writes an event with the id `number`, as the only event of a new stream.
async fn write(transaction: &mut PgConnection, number: u128) {
    let id = sqlx::types::Uuid::from_u128(number);
    let sql = format!(
        "INSERT INTO ledger (id, stream, seq, tenant, kind, at, body, hash)
         VALUES ('{id}', '{id}', 1, '{TENANT}', 'told', 0, '{{}}', sha256(''))"
    );
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(transaction).await.expect("written");
}

async fn commit(transaction: &mut PgConnection) {
    sqlx::raw_sql("COMMIT").execute(transaction).await.expect("committed");
}

#[tokio::test]
async fn an_event_numbered_first_and_committed_last_is_read() {
    // Either transaction may write first. The transaction with the lower number always commits last.
    for lower_writes_first in [true, false] {
        let database = TestDb::postgres();
        let store = open(&database).await;
        let mut reader = Reader { store: &store, seen: Vec::new() };
        let (mut lower, mut higher) = (database.transaction().await, database.transaction().await);
        if lower_writes_first {
            write(&mut lower, 1).await;
            write(&mut higher, 2).await;
        } else {
            write(&mut higher, 2).await;
            write(&mut lower, 1).await;
        }
        commit(&mut higher).await;
        reader.read_on().await;
        commit(&mut lower).await;
        database.wait_until_log_is_readable().await;
        reader.read_on().await;
        let mut numbers: Vec<EventId> = reader.seen.iter().map(|event| event.id).collect();
        numbers.sort_unstable();
        assert_eq!(numbers.len(), 2, "both are read once: {numbers:?}");
        assert!(numbers[0] < numbers[1], "{numbers:?}");
        reader.read_on().await;
        assert_eq!(reader.seen.len(), 2, "no event is read twice");
    }
}

#[tokio::test]
async fn the_events_of_a_stream_are_read_in_its_order() {
    let database = TestDb::postgres();
    let store = open(&database).await;
    let (own, shared): (RequestId, RequestId) = (store.id(), store.id());
    let (begun, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    // This transaction begins to write before the transaction below,
    // but writes to the shared stream after the transaction below.
    let late = {
        let (store, begun, go_on) = (store.clone(), Arc::clone(&begun), Arc::clone(&go_on));
        tokio::spawn(async move {
            tx!(store.write, [begun, go_on], |tx| {
                tx.lock_request(TENANT, own).await?;
                begun.notify_one();
                go_on.notified().await;
                tx.lock_request(TENANT, shared).await?;
                tx.log(shared, KindName::of("second"), About::default(), json!({}))?;
                tx.log(shared, KindName::of("third"), About::default(), json!({}))?;
            })
            .await
        })
    };
    begun.notified().await;
    let first = tx!(store.write, |tx| {
        tx.lock_request(TENANT, shared).await?;
        tx.log(shared, KindName::of("first"), About::default(), json!({}))?;
    });
    first.await.expect("written");
    go_on.notify_one();
    late.await.expect("no panic").expect("written");
    database.wait_until_log_is_readable().await;
    let mut reader = Reader { store: &store, seen: Vec::new() };
    reader.read_on().await;
    let kinds: Vec<&str> = reader.seen.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds, ["first", "second", "third"]);
}

/// Logs `count` events of a request of a tenant in one transaction.
async fn log_some(store: &Opened, tenant: &'static str, request: RequestId, count: usize) {
    let logged = tx!(store.write, |tx| {
        tx.lock_request(tenant, request).await?;
        for _ in 0..count {
            tx.log(request, KindName::of("told"), About::default(), json!({}))?;
        }
    });
    logged.await.expect("logged");
}

law!(the_log_of_a_tenant_leaves_out_those_of_others, async |database: &TestDb, store: Opened| {
    let (ours, theirs) = (store.id::<RequestId>(), store.id::<RequestId>());
    // The events of the other tenant fill whole blocks of the ledger, between ours and beside them.
    for (count, others) in [(3, 600), (1, 250), (300, 1), (2, 513)] {
        log_some(&store, TENANT, ours, count).await;
        log_some(&store, "north", theirs, others).await;
    }
    database.wait_until_log_is_readable().await;
    let mut reader = Reader { store: &store, seen: Vec::new() };
    for _ in 0..8 {
        reader.read_on().await;
    }
    let seqs: Vec<i64> = reader.seen.iter().map(|event| event.seq).collect();
    assert_eq!(seqs, (1..=306).collect::<Vec<_>>(), "{database}: in the order of the commits");
    assert!(reader.seen.iter().all(|event| event.tenant == TENANT), "{database}");
});
