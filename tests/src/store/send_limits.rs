//! Messages are postponed while their tenant is paused, or while its budget is used up.
//! Messages that answer nobody are also postponed while a limit on such messages is reached.

use abide_engine::base::{OfferId, PersonId, TypedId as _};
use abide_engine::policy::ExpiryOnResume::{self, AsPlanned, FromSend};
use abide_engine::store::{Cause, OutboxMessage, StoredCause};

use super::outbox::OutboxFixture;
use super::support::{START, TENANT, minutes, tx};
use crate::postgres::databases;

#[tokio::test]
async fn a_paused_tenant_sends_nothing_until_it_is_resumed() {
    for database in databases() {
        let outbox = OutboxFixture::open(&database).await;
        let OutboxFixture { store, .. } = &outbox;
        let id = outbox.queue_one("x", 0).await;
        let pause = async |on: bool| {
            tx!(store.write, |tx| tx.set_tenant_paused(TENANT, on).await?).await.unwrap()
        };
        assert!(pause(true).await && !pause(true).await, "{database}");
        assert!(
            tx!(store.write, |tx| tx.lock_tenant_shared(TENANT).await?).await.unwrap(),
            "{database}"
        );
        assert_eq!(outbox.release(START).await, [], "{database}");
        assert_eq!(outbox.next_due().await, None, "{database}: idle, not spinning");
        let now = START + minutes(90);
        let held = tx!(store.read, |tx| {
            (
                tx.held_sends(TENANT, now, 9).await?,
                tx.count_queued(TENANT).await?,
                tx.count_queued("hope").await?,
            )
        });
        let (held, queued, elsewhere) = held.await.unwrap();
        assert_eq!((held.len(), queued, elsewhere), (1, 1, 0), "{database}");
        assert_eq!(held[0].request, Some(outbox.request), "{database}");
        let cause = StoredCause { kind: "offer".to_owned(), id: Some(outbox.offer.uuid()) };
        assert_eq!(held[0].cause, cause, "{database}");
        assert!(pause(false).await, "{database}");
        tx!(store.write, |tx| tx.permit_sends(&[id], now, ExpiryOnResume::AsPlanned).await?)
            .await
            .unwrap();
        let held = tx!(store.read, |tx| tx.held_sends(TENANT, now, 9).await?).await.unwrap();
        assert_eq!(held, [], "{database}: all are permitted");
        assert_eq!(outbox.release(START).await, [], "{database}");
        assert_eq!(outbox.release(now).await, [(id, 1)], "{database}");
    }
}

#[tokio::test]
async fn a_message_held_by_a_pause_keeps_its_lifetime() {
    for database in databases() {
        let outbox = OutboxFixture::open(&database).await;
        let OutboxFixture { store, .. } = &outbox;
        let now = START + minutes(90);
        // Each case: the message's key, its planned minute, the rule for its expiry, its minute of expiry.
        for (key, minute, expiry, until) in
            [("kept", 0, AsPlanned, 60), ("moved", 10, FromSend, 140), ("later", 95, FromSend, 60)]
        {
            let not_after = Some(START + minutes(60));
            let message = OutboxMessage { not_after, ..outbox.message(key, minute) };
            outbox.queue(vec![message]).await;
            let permitted = tx!(store.write, |tx| {
                let held = tx.held_sends(TENANT, now, 9).await?;
                let ids: Vec<_> = held.iter().map(|held| held.id).collect();
                tx.permit_sends(&ids, now, expiry).await?
            });
            permitted.await.unwrap();
            let then = START + minutes(100);
            let found = tx!(store.read, |tx| tx.release_candidates(TENANT, then, 9).await?);
            let found = found.await.unwrap();
            let found: Vec<_> = found.iter().map(|c| (c.id, c.not_after)).collect();
            assert_eq!(found.len(), 1, "{database}: {key}");
            assert_eq!(found[0].1, Some(START + minutes(until)), "{database}: {key}");
            let id = found[0].0;
            tx!(store.write, |tx| tx.end_queued(&[id], "cancelled", "x").await?).await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_budget_is_never_overspent() {
    for database in databases() {
        let outbox = OutboxFixture::open(&database).await;
        let OutboxFixture { store, .. } = &outbox;
        let rivals: Vec<_> = (0..30)
            .map(|i| {
                let store = store.clone();
                tokio::spawn(async move {
                    let amount = 1 + i % 3;
                    let spent =
                        tx!(store.write, |tx| tx.spend(TENANT, START, amount, 20).await?).await;
                    if spent.unwrap() { amount } else { 0 }
                })
            })
            .collect();
        let mut spent = 0;
        for rival in rivals {
            spent += rival.await.expect("no panic");
        }
        let kept = tx!(store.read, |tx| {
            (tx.spent(TENANT, START).await?, tx.spent(TENANT, START + minutes(1)).await?)
        });
        assert_eq!(kept.await.unwrap(), (spent, 0), "{database}");
        assert!((18..=20).contains(&spent), "{database}: {spent}");
    }
}

#[tokio::test]
async fn a_budget_is_reached_once_in_a_period() {
    for database in databases() {
        let outbox = OutboxFixture::open(&database).await;
        let OutboxFixture { store, .. } = &outbox;
        let reached = async |from| {
            tx!(store.write, |tx| tx.budget_reached(TENANT, from).await?).await.unwrap()
        };
        assert!(tx!(store.write, |tx| tx.spend(TENANT, START, 3, 3).await?).await.unwrap());
        assert!(reached(START).await && !reached(START).await, "{database}");
        assert!(reached(START + minutes(1)).await, "{database}: nothing was sent in that period");
        let spent = tx!(store.read, |tx| tx.spent(TENANT, START).await?).await.unwrap();
        assert_eq!(spent, 3, "{database}");
    }
}

#[tokio::test]
async fn a_deadline_that_is_set_wakes_the_process() {
    for database in databases() {
        let outbox = OutboxFixture::open(&database).await;
        let OutboxFixture { store, .. } = &outbox;
        store.take_work_due();
        tx!(store.write, |tx| tx.note_timer()).await.unwrap();
        assert!(store.take_work_due().timers, "{database}");
    }
}

#[tokio::test]
async fn a_number_has_opted_out_until_it_opts_in() {
    for database in databases() {
        let outbox = OutboxFixture::open(&database).await;
        let OutboxFixture { store, .. } = &outbox;
        let phone = "+15550177";
        let out =
            async || tx!(store.write, |tx| tx.has_opted_out(TENANT, phone).await?).await.unwrap();
        assert!(!out().await, "{database}: nobody knows it");
        let contacts =
            tx!(store.write, |tx| tx.contacts(TENANT, &[phone.to_owned()]).await?).await.unwrap();
        assert!(!out().await, "{database}");
        let contact = contacts[0];
        tx!(store.write, |tx| tx.suppress(TENANT, contact, "opt_out", START).await?).await.unwrap();
        assert!(out().await, "{database}");
    }
}

#[tokio::test]
async fn unasked_texts_count_by_tenant_and_person_unless_cancelled() {
    for database in databases() {
        let outbox = OutboxFixture::open(&database).await;
        let OutboxFixture { store, request, offer, .. } = &outbox;
        let (ana, ben): (PersonId, PersonId) = (store.id(), store.id());
        let unasked = |key: &str, minute, person| OutboxMessage {
            person: Some(person),
            unasked: true,
            ..outbox.message(key, minute)
        };
        let other = Cause { kind: "offer", id: Some(store.id::<OfferId>().uuid()) };
        outbox
            .queue(vec![
                unasked("a", 3, ana),
                unasked("b", 1, ana),
                unasked("c", 2, ben),
                unasked("early", -1, ben),
                OutboxMessage { cause: other, ..unasked("kept", 4, ben) },
                OutboxMessage { unasked: false, ..unasked("asked", 1, ben) },
            ])
            .await;
        let at = |minute| START + minutes(minute);
        let from = || tx!(store.read, |tx| tx.unasked_from(TENANT, START).await?);
        assert_eq!(from().await.expect("read"), [1, 2, 3, 4].map(at), "{database}");
        let people = [ana, ben];
        let to = || tx!(store.read, [people], |tx| tx.unasked_to(&people, START).await?);
        let told = to().await.expect("read");
        let instants = |person| told[&person].iter().map(|(at, _)| *at).collect::<Vec<_>>();
        assert_eq!(instants(ana), [1, 3].map(at), "{database}");
        assert_eq!(instants(ben), [2, 4].map(at), "{database}");
        let (request, offer) = (*request, *offer);
        let cancel = tx!(store.write, [request, offer], |tx| {
            tx.cancel_queued(request, "offer", &[offer], "withdrawn").await?
        });
        cancel.await.expect("cancelled");
        assert_eq!(from().await.expect("read"), [at(4)], "{database}");
        assert_eq!(to().await.expect("read").keys().copied().collect::<Vec<_>>(), [ben]);
        let nobody = tx!(store.read, |tx| tx.unasked_from("north", START).await?);
        assert_eq!(nobody.await.expect("read"), [], "{database}");
    }
}
