//! Inbound messages are stored once and applied once, in the sequence in which they were received.

use std::collections::{BTreeMap, BTreeSet};

use abide_engine::base::{RequestId, Span, TypedId as _};
use abide_engine::policy::CarrierWord;
use abide_engine::store::{
    Consent, ContactConsent, ContactId, InboundResult, InboundRow, MessageQuery, NewInbound,
    NewReceived, ReceivedStored, UnappliedMessage,
};
use futures_util::future::join_all;

use super::support::{Opened, START, TENANT, inbound, law, minutes, open, tx};
use crate::postgres::databases;

/// The smallest unit of time.
const MICRO: Span = Span::from_micros(1);

fn message(provider_id: &str, from: &str, minute: i64) -> NewInbound {
    NewInbound {
        body: format!("yes {provider_id}"),
        carrier_word: (provider_id == "stop").then_some(CarrierWord::OptOut),
        ..inbound(provider_id, from, START + minutes(minute))
    }
}

async fn receive(store: &Opened, message: NewInbound) -> bool {
    receive_for(store, TENANT, message).await
}

async fn receive_for(store: &Opened, tenant: &'static str, message: NewInbound) -> bool {
    let stored =
        tx!(store.write, [message], |tx| tx.store_inbound(tenant, &message).await?.is_some());
    stored.await.expect("stored")
}

#[tokio::test]
async fn one_message_is_stored_once_however_often_it_comes() {
    for database in databases() {
        let store = open(&database).await;
        let again: Vec<_> = (0..10)
            .map(|_| {
                let store = store.clone();
                tokio::spawn(async move { receive(&store, message("p1", "+15550100", 0)).await })
            })
            .collect();
        let mut new = 0;
        for one in again {
            new += i32::from(one.await.expect("no panic"));
        }
        assert_eq!(new, 1, "{database}");
        let other = NewInbound { gateway: "twilio".to_owned(), ..message("p1", "+15550100", 0) };
        assert!(receive(&store, other).await, "{database}: ids are unique per gateway");
        for (sql, count) in [
            ("SELECT count(*) FROM inbound", 2),
            ("SELECT count(*) FROM contact", 1),
            // One row holds the phone number, and two rows hold the bodies of the messages. A further row
            // would be an error: no row of another table would refer to it, so it could never be erased.
            ("SELECT count(*) FROM pii", 3),
        ] {
            assert_eq!(database.number(sql).await, count, "{database}: {sql}");
        }
    }
}

#[tokio::test]
async fn messages_that_come_together_are_each_stored_or_told_why_not() {
    for database in databases() {
        let store = open(&database).await;
        store.clock.set(START + minutes(100));
        tx!(store.write, |tx| tx.ensure_tenant(TENANT).await?).await.expect("a tenant");
        let to = |tenant: &str, message| NewReceived { tenant: tenant.to_owned(), message };
        let word = |id, minute, word| NewInbound {
            carrier_word: Some(word),
            ..message(id, "+15550300", minute)
        };
        assert!(receive(&store, message("old", "+15550100", 0)).await, "{database}");
        let messages = [
            to(TENANT, message("a", "+15550100", 1)),
            to(TENANT, message("a", "+15550100", 1)),
            to("nobody", message("b", "+15550200", 1)),
            to(TENANT, message("old", "+15550100", 0)),
            to(TENANT, word("start", 9, CarrierWord::OptIn)),
            to(TENANT, word("halt", 8, CarrierWord::OptOut)),
            to(TENANT, message("c", "+15550300", 3)),
        ];
        let received = messages.iter().map(|new| store.store.receive(new.clone()));
        let results: Vec<_> = join_all(received).await;
        let results: Vec<_> = results.into_iter().map(|one| one.expect("answered")).collect();
        let (stored, known) = (ReceivedStored::Stored, ReceivedStored::Known);
        let of_a = BTreeSet::from([results[0] == stored, results[1] == stored]);
        assert_eq!(of_a, BTreeSet::from([false, true]), "{database}: once");
        let expected = [ReceivedStored::NoTenant, known, stored, stored, stored];
        assert_eq!(results[2..], expected, "{database}");
        for (sql, count) in [
            ("SELECT count(*) FROM inbound", 5),
            ("SELECT count(*) FROM contact", 2),
            ("SELECT count(*) FROM pii", 7),
            ("SELECT count(*) FROM contact WHERE suppressed = 1", 0),
        ] {
            assert_eq!(database.number(sql).await, count, "{database}: {sql}");
        }
        let again = store.store.receive(to(TENANT, word("halt", 8, CarrierWord::OptOut))).await;
        assert_eq!(again.expect("answered"), known, "{database}");
        let later = store.store.receive(to(TENANT, word("stop", 10, CarrierWord::OptOut))).await;
        assert_eq!(later.expect("answered"), stored, "{database}");
        let stopped = "SELECT count(*) FROM contact WHERE suppressed = 1";
        assert_eq!(database.number(stopped).await, 1, "{database}: the later word counts");
    }
}

#[tokio::test]
async fn messages_are_applied_in_the_order_of_their_receipt() {
    for database in databases() {
        let store = open(&database).await;
        store.clock.set(START + minutes(100));
        for (id, minute) in [("c", 3), ("a", 1), ("stop", 9), ("b2", 2), ("b1", 2)] {
            assert!(receive(&store, message(id, "+15550100", minute)).await, "{database}");
        }
        let (request, run): (RequestId, _) = (store.id(), store.start().await);
        let mut order = Vec::new();
        loop {
            let next = tx!(store.read, |tx| tx.unapplied(TENANT, 9).await?).await.unwrap();
            assert_eq!(next.len(), 5 - order.len(), "{database}");
            let Some(next) = next.into_iter().next() else { break };
            assert_eq!(next.carrier_word.is_some(), next.provider_id == "stop", "{database}");
            let minute = [1, 2, 2, 3, 9][order.len()];
            let by = tx!(store.read, |tx| tx.latest_due(TENANT).await?).await.unwrap();
            assert_eq!(by, START + minutes(minute) - MICRO, "{database}: {order:?}");
            let earlier = next.clone();
            let before = tx!(store.read, [earlier], |tx| tx.unapplied_up_to(&earlier).await?);
            let first = UnappliedMessage { id: next.id, sender: next.sender };
            assert_eq!(before.await.unwrap(), [first], "{database}: none is before the first");
            let id = next.id;
            let applied = tx!(store.write, |tx| {
                tx.lock_request(TENANT, request).await?;
                let ord = tx.next_ord(request.uuid())?;
                let accepted = InboundResult {
                    message: id,
                    partition: Some(request.uuid()),
                    ord: Some(ord),
                    handled_as: "accepted",
                    run: Some(run),
                };
                let declined = InboundResult { handled_as: "declined", run: None, ..accepted };
                let first = tx.mark_applied(&[accepted]).await?;
                (first, tx.mark_applied(&[declined]).await?)
            });
            assert_eq!(applied.await.unwrap(), (1, 0), "{database}: once");
            order.push(next.provider_id);
        }
        assert_eq!(order, ["a", "b1", "b2", "c", "stop"], "{database}");
        let query = MessageQuery {
            from: Some("+15550100".to_owned()),
            request: Some(request),
            run: Some(run),
            ..MessageQuery::default()
        };
        let page = tx!(store.read, [query], |tx| tx.inbound_page(TENANT, &query, 3).await?);
        let page = page.await.unwrap();
        assert_eq!(page.len(), 3, "{database}");
        let before = MessageQuery { before: Some(page[2].id), ..query };
        let rest = tx!(store.read, [before], |tx| tx.inbound_page(TENANT, &before, 9).await?);
        let rest = rest.await.unwrap();
        assert_eq!(rest.len(), 2, "{database}");
        let ords: Vec<_> = page.iter().chain(&rest).map(|m| m.ord).collect();
        assert_eq!(ords, [2, 3, 5, 1, 4].map(Some), "{database}: newest first");
        let elsewhere = MessageQuery { from: Some("+1999".to_owned()), ..MessageQuery::default() };
        let none =
            tx!(store.read, [elsewhere], |tx| tx.inbound_page(TENANT, &elsewhere, 9).await?);
        assert_eq!(none.await.unwrap(), [], "{database}");
    }
}

#[tokio::test]
async fn the_messages_of_each_tenant_are_found_separately() {
    for database in databases() {
        let store = open(&database).await;
        store.clock.set(START + minutes(100));
        let tenants =
            async || tx!(store.read_one, |tx| tx.tenants_with_inbound().await?).await.unwrap();
        assert_eq!(tenants().await, [""; 0], "{database}");
        for (tenant, id, minute) in
            [("a", "a1", 1), ("a", "a3", 3), ("b", "b2", 2), ("a", "a5", 5), ("b", "b4", 4)]
        {
            let from = if id == "a3" { "+15550103" } else { "+15550100" };
            assert!(receive_for(&store, tenant, message(id, from, minute)).await);
        }
        assert_eq!(tenants().await, ["a", "b"], "{database}");
        let barriers = tx!(store.read_one, |tx| tx.barriers().await?).await.unwrap();
        let (a, b) = (START + minutes(1) - MICRO, START + minutes(2) - MICRO);
        assert_eq!(barriers, [("a".to_owned(), a), ("b".to_owned(), b)], "{database}");
        let found = tx!(store.read, |tx| tx.unapplied("a", 2).await?).await.unwrap();
        let ids: Vec<_> = found.iter().map(|found| found.provider_id.as_str()).collect();
        assert_eq!(ids, ["a1", "a3"], "{database}: the first two");
        let third = found[1].clone();
        let before = tx!(store.read, [third], |tx| tx.unapplied_up_to(&third).await?);
        let unapplied = |row: &InboundRow| UnappliedMessage { id: row.id, sender: row.sender };
        let earlier: Vec<_> = found.iter().map(unapplied).collect();
        assert_eq!(before.await.unwrap(), earlier, "{database}");
        let (first, second) = (found[0].id, found[1].id);
        let noted = [first, second].map(|id| InboundResult::of(id, "noted"));
        let applied = tx!(store.write, |tx| {
            let first = tx.mark_applied(&noted[..1]).await?;
            (first, tx.mark_applied(&noted).await?)
        });
        assert_eq!(applied.await.unwrap(), (1, 1), "{database}: each once");
        let rest = tx!(store.read, |tx| tx.unapplied("a", 9).await?).await.unwrap();
        assert_eq!(rest.len(), 1, "{database}");
    }
}

#[tokio::test]
async fn no_message_was_received_later_than_now() {
    for database in databases() {
        let store = open(&database).await;
        receive(&store, message("early", "+15550100", 60)).await;
        let read =
            tx!(store.read, |tx| { tx.inbound_by_provider(TENANT, "loopback", "early").await? });
        assert_eq!(read.await.unwrap().expect("stored").received_at, START, "{database}");
        let last = tx!(store.read, |tx| {
            (tx.last_received(TENANT).await?, tx.last_received("hope").await?)
        });
        assert_eq!(last.await.unwrap(), (Some(START), None), "{database}");
    }
}

#[tokio::test]
async fn a_number_is_suppressed_and_freed() {
    for database in databases() {
        let store = open(&database).await;
        let phones = vec!["+1".to_owned(), "+2".to_owned(), "+1".to_owned()];
        let contacts =
            tx!(store.write, [phones], |tx| tx.contacts(TENANT, &phones).await?).await.unwrap();
        assert_eq!(contacts[0], contacts[2], "{database}");
        assert_ne!(contacts[0], contacts[1], "{database}");
        let elsewhere = tx!(store.write, |tx| tx.contacts("hope", &["+1".to_owned()]).await?);
        assert_ne!(
            elsewhere.await.unwrap()[0],
            contacts[0],
            "{database}: tenants share no contacts"
        );
        let contact = contacts[0];
        let suppress = async |minute: i64| {
            let at = START + minutes(minute);
            tx!(store.write, |tx| tx.suppress(TENANT, contact, "opt_out", at).await?).await.unwrap()
        };
        let free = async |minute: i64| {
            let at = START + minutes(minute);
            tx!(store.write, |tx| tx.unsuppress(TENANT, contact, at).await?).await.unwrap()
        };
        assert!(!free(0).await, "{database}: it was not suppressed");
        assert_eq!([suppress(5).await, suppress(3).await], [true, false], "{database}");
        assert!(!free(4).await, "{database}: an earlier opt-in does not revoke a later opt-out");
        assert!(suppress(7).await, "{database}: it opted out again, later");
        assert_eq!([free(6).await, free(7).await], [false, true], "{database}");
        assert!(suppress(1).await, "{database}: an opt-out counts however late it arrives");
        let sum = "SELECT CAST(SUM(suppressed) AS BIGINT) FROM contact";
        assert_eq!(database.number(sum).await, 1, "{database}");
    }
}

law!(a_consent_replaces_an_older_one_and_never_an_opt_out, async |database, opened: Opened| {
    let (ana, ben) = ("+15550100", "+15550101");
    let contact = |phone: &'static str| {
        tx!(opened.write, |tx| tx.contacts(TENANT, &[phone.to_owned()]).await?[0])
    };
    let (ana, ben) = (contact(ana).await.expect("stored"), contact(ben).await.expect("stored"));
    let record = |source: &str, minute: i64, wording: Option<&str>| {
        let wording = wording.map(str::to_owned);
        let consent = Consent { source: source.to_owned(), at: START + minutes(minute), wording };
        let consents = BTreeMap::from([(ana, consent)]);
        tx!(opened.write, [consents], |tx| tx.record_consents(TENANT, &consents).await?)
    };
    let known = || tx!(opened.read, |tx| tx.consents(TENANT, &[ana, ben]).await?);
    let source = |known: &BTreeMap<ContactId, ContactConsent>| {
        known[&ana].given.as_ref().map(|it| (it.source.clone(), it.wording.clone()))
    };
    assert_eq!(known().await.expect("read"), BTreeMap::new(), "{database}");
    record("form", 5, Some("Text me.")).await.expect("recorded");
    record("older list", 4, None).await.expect("ignored");
    let found = known().await.expect("read");
    assert_eq!(
        source(&found),
        Some(("form".to_owned(), Some("Text me.".to_owned()))),
        "{database}"
    );
    assert!(!found[&ana].suppressed && !found.contains_key(&ben), "{database}");
    record("the same form, corrected", 5, None).await.expect("recorded");
    let found = known().await.expect("read");
    assert_eq!(source(&found), Some(("the same form, corrected".to_owned(), None)), "{database}");

    let out = START + minutes(6);
    let suppress = tx!(opened.write, |tx| tx.suppress(TENANT, ana, "opt_out", out).await?);
    assert!(suppress.await.expect("opted out"), "{database}");
    record("a later form", 9, None).await.expect("recorded");
    let found = known().await.expect("read");
    assert!(found[&ana].suppressed, "{database}: an import does not undo an opt-out");
    let elsewhere = tx!(opened.read, |tx| tx.consents("north", &[ana]).await?);
    assert_eq!(elsewhere.await.expect("read"), BTreeMap::new(), "{database}");
});

#[tokio::test]
async fn each_opt_in_of_a_sender_is_counted_once_it_is_applied() {
    for database in databases() {
        let store = open(&database).await;
        assert!(receive(&store, message("p1", "+15550100", 0)).await, "{database}");
        assert!(receive(&store, message("p2", "+15550101", 0)).await, "{database}");
        let counted = || {
            tx!(store.read, |tx| {
                let sender = tx.contact_id(TENANT, "+15550100");
                (tx.opt_ins(TENANT, sender).await?, tx.opt_ins("north", sender).await?)
            })
        };
        assert_eq!(counted().await.expect("read"), (0, 0), "{database}");
        let applied = tx!(store.write, |tx| {
            let row = tx.inbound_by_provider(TENANT, "loopback", "p1").await?.expect("is there");
            tx.mark_applied(&[InboundResult::of(row.id, "opt_in")]).await?
        });
        applied.await.expect("applied");
        assert_eq!(counted().await.expect("read"), (1, 0), "{database}");
    }
}
