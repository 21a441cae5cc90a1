//! Erasing a person: the order is kept until it is carried out, and texts that name or quote the person are redacted.

use std::sync::Arc;

use abide_engine::base::{PersonId, RunId};
use abide_engine::erasure::{ERASED, PersonalData, Redactor};
use abide_engine::store::{ErasureOrder, Leftovers, MessageTable, Param, SignalKind, TextTable};
use serde_json::json;

use super::support::{Opened, START, TENANT, inbound, law, tx};
use crate::postgres::TestDb;

const PHONE: &str = "+13125550147";
const NAME: &str = "Zebedia Quillfeather";

fn data() -> PersonalData {
    PersonalData {
        names: vec![NAME.to_owned()],
        phones: vec![PHONE.to_owned()],
        ..PersonalData::default()
    }
}

/// Stores a text from the person, a text of somebody else about her, and the order to erase her.
async fn ordered(store: &Opened) -> ErasureOrder {
    let person: PersonId = store.id();
    let own = inbound("m1", PHONE, START);
    let mut other = inbound("m2", "+15550102", START);
    other.body = format!("call {NAME} at 312-555-0147");
    let id = store.id();
    let order = tx!(store.write, [own, other], |tx| {
        let (_, contact) = tx.store_inbound(TENANT, &own).await?.expect("new");
        tx.store_inbound(TENANT, &other).await?;
        let tenant = TENANT.to_owned();
        let order =
            ErasureOrder { id, tenant, person, contact, is_number_shared: false, data: data() };
        tx.put_erasure(&order).await?;
        order
    });
    order.await.expect("stored")
}

fn first() -> Vec<Param> {
    TextTable::of_engine().next().expect("a table").beginning()
}

law!(an_order_is_kept_until_it_is_carried_out, async |database: &TestDb, store: Opened| {
    let order = ordered(&store).await;
    let open = tx!(store.read, |tx| tx.open_erasures().await?).await.expect("read");
    assert_eq!(open, std::slice::from_ref(&order), "{database}");
    let id = order.id;
    tx!(store.write, |tx| tx.end_erasure(id).await?).await.expect("ended");
    let open = tx!(store.read, |tx| tx.open_erasures().await?).await.expect("read");
    assert_eq!(open, [], "{database}");
});

law!(
    messages_of_a_person_are_erased_and_those_of_others_redacted,
    async |database: &TestDb, store: Opened| {
        let order = ordered(&store).await;
        let words = tx!(store.read, [order], |tx| tx.words_of(&order).await?).await.expect("read");
        assert_eq!(words.len(), 1, "{database}");
        let redactor = Arc::new(Redactor::new(&data()).expect("a redactor"));
        let changed = tx!(store.write, [order, redactor], |tx| {
            let table = MessageTable::Inbound;
            let others = tx.redacted_messages(&order, table, &first(), &redactor).await?.redacted;
            tx.write_texts(&others).await?;
            let own = tx.own_messages(&order, table, &first()).await?.redacted;
            tx.write_texts(&own).await?;
            let cancelled = tx.cancel_to_person(&order).await?;
            tx.erase_number(&order).await?;
            [others.len(), own.len(), usize::try_from(cancelled).expect("a number")]
        });
        assert_eq!(changed.await.expect("erased"), [1, 1, 0], "{database}");
        let mut texts = database.texts("SELECT value FROM pii", "SELECT value FROM pii").await;
        texts.retain(|text| !text.starts_with('{'));
        texts.sort_unstable();
        let expected = ["+15550102", ERASED, ERASED, "call [erased] at [erased]"];
        assert_eq!(texts, expected, "{database}");
    }
);

law!(texts_of_tables_runs_and_events_are_redacted, async |database: &TestDb, store: Opened| {
    let run: RunId = store.start().await;
    let sent = json!({ "by": NAME });
    let signalled = tx!(store.write, [sent], |tx| {
        tx.signal(run, SignalKind::Named("go"), Some(PHONE), &sent).await?
    });
    assert!(signalled.await.expect("sent"), "{database}");
    store.must_commit(store.commit(run, 0)).await;
    let redactor = Arc::new(Redactor::new(&data()).expect("a redactor"));
    let found = tx!(store.read, [redactor], |tx| {
        let table = TextTable::of_engine().next().expect("a table");
        let rows = tx.rows_with_data(TENANT, table, &table.beginning(), &redactor).await?;
        let events = tx.redacted_events(TENANT, &first(), &redactor).await?;
        [
            rows.redacted,
            tx.runs_with_data(TENANT, &first(), &redactor).await?.redacted,
            !events.redacted.is_empty(),
        ]
    });
    assert_eq!(found.await.expect("read"), [false, true, false], "{database}");
    let changed = tx!(store.write, [redactor], |tx| {
        let table = TextTable::of_engine().next().expect("a table");
        let rows = tx.redact_rows(TENANT, table, &table.beginning(), &redactor).await?;
        tx.write_redacted_events(&[]).await?;
        [rows, tx.redact_runs(TENANT, &first(), &redactor).await?]
    });
    assert_eq!(changed.await.expect("redacted"), [0, 1], "{database}");
    let signals = tx!(store.read, |tx| tx.open_signals(run).await?.named).await.expect("read");
    assert_eq!(signals[0].payload, json!({ "by": ERASED }), "{database}");
    let left = store.store.clear_leftovers(redactor).await.expect("searched");
    assert!(left != Leftovers::Found, "{database}");
});
