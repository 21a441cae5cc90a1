//! Outbound messages are queued once, released if the policy permits, and confirmed by the provider.

use std::collections::BTreeSet;

use abide_engine::base::{MessageId, OfferId, RequestId, RunId, Timestamp, TypedId as _};
use abide_engine::store::{
    AttemptResult, Cause, Committed, ContactId, MessageQuery, OutboundRow, OutboxMessage,
    PostponedMessage, Queued, ReadStep, SendAttempt, StoredCause, TriedSend, Tx, tx_closure,
};
use abide_engine::template::{Rendered, Templates};
use futures_util::future::join_all;
use serde_json::json;

use super::support::{Opened, START, TENANT, minutes, open_by_its_clock, tx};
use crate::postgres::{TestDb, databases};

/// An open store with the rows that test messages refer to: recipients, a request, a run and an offer.
#[derive(Clone)]
pub(super) struct OutboxFixture {
    pub(super) store: Opened,
    pub(super) contacts: Vec<ContactId>,
    pub(super) request: RequestId,
    pub(super) run: RunId,
    pub(super) offer: OfferId,
}

impl OutboxFixture {
    pub(super) async fn open(database: &TestDb) -> Self {
        let store = open_by_its_clock(database).await;
        let numbers: Vec<String> = (0..100).map(|n| format!("+155501{n:02}")).collect();
        let contacts = tx!(store.write, [numbers], |tx| {
            tx.ensure_tenant(TENANT).await?;
            tx.contacts(TENANT, &numbers).await?
        });
        let contacts = contacts.await.expect("contacts");
        let (request, run, offer) = (store.id(), store.start().await, store.id());
        Self { store, contacts, request, run, offer }
    }

    /// Builds a message. Its recipient depends on the key: each key in `words`, and each key such as
    /// `k7`, has a recipient of its own.
    pub(super) fn message(&self, key: &str, minute: i64) -> OutboxMessage {
        let words =
            ["x", "late", "first", "second", "held", "ended", "gone", "now", "soon", "kept"];
        let nth = match key.strip_prefix('k').and_then(|n| n.parse::<usize>().ok()) {
            Some(n) => words.len() + n,
            None => words.iter().position(|word| *word == key).unwrap_or(0),
        };
        OutboxMessage {
            key: key.to_owned(),
            request: Some(self.request),
            run: Some(self.run),
            call: Some(self.store.id()),
            person: Some(self.store.id()),
            contact: self.contacts[nth],
            rendered: rendered(key),
            cause: Cause { kind: "offer", id: Some(self.offer.uuid()) },
            not_before: START + minutes(minute),
            not_after: None,
            unasked: false,
        }
    }

    pub(super) async fn queue(&self, messages: Vec<OutboxMessage>) -> Vec<Queued> {
        let Self { store, .. } = self;
        tx!(store.write, [messages], |tx| tx.queue(TENANT, messages.clone()).await?)
            .await
            .expect("queued")
    }

    pub(super) async fn queue_one(&self, key: &str, minute: i64) -> MessageId {
        match self.queue(vec![self.message(key, minute)]).await[..] {
            [Queued::New(id)] => id,
            ref other => panic!("{key}: {other:?}"),
        }
    }

    /// Releases messages as the driver does.
    /// Returns the messages that are being sent now, with their attempts.
    pub(super) async fn release(&self, now: Timestamp) -> Vec<(MessageId, i64)> {
        let Self { store, .. } = self;
        let released = tx!(store.write, |tx| {
            let paused = tx.lock_tenant_shared(TENANT).await?;
            let mut candidates = tx.release_candidates(TENANT, now, 50).await?;
            candidates.retain(|_| !paused);
            let mut recipients = BTreeSet::new();
            candidates.retain(|candidate| recipients.insert(candidate.contact));
            let recipients: Vec<ContactId> = recipients.into_iter().collect();
            tx.lock_contacts(TENANT, &recipients).await?;
            let ids: Vec<MessageId> = candidates.iter().map(|c| c.id).collect();
            let ids: Vec<MessageId> = tx.lock_queued(&ids).await?.into_iter().collect();
            tx.mark_sending(&ids, now, now + minutes(1)).await?;
            tx.outgoing(&ids).await?
        });
        released.await.expect("released").into_iter().map(|o| (o.id, o.attempt)).collect()
    }

    pub(super) async fn sent(&self, message: MessageId, attempt: i64, state: &'static str) -> bool {
        let why = || state.to_owned();
        let result = match state {
            "sent" => AttemptResult::Sent { provider_ref: "ref".to_owned() },
            "failed" => AttemptResult::Failed { why: why() },
            _ => AttemptResult::Unknown { why: why() },
        };
        self.tried(message, attempt, result).await
    }

    /// Records the result of an attempt. Returns whether the message changed.
    pub(super) async fn tried(
        &self,
        message: MessageId,
        attempt: i64,
        result: AttemptResult,
    ) -> bool {
        let tried = [TriedSend { attempt: SendAttempt { message, attempt }, result }];
        !self.record(tried.into()).await.is_empty()
    }

    pub(super) async fn record(&self, tried: Vec<TriedSend>) -> BTreeSet<MessageId> {
        let Self { store, .. } = self;
        let recorded = tx!(store.write, [tried], |tx| tx.record_attempts(&tried).await?);
        recorded.await.expect("recorded")
    }

    pub(super) async fn page(&self, query: MessageQuery) -> Vec<OutboundRow> {
        let Self { store, .. } = self;
        tx!(store.read, [query], |tx| tx.outbound_page(TENANT, &query, 50).await?)
            .await
            .expect("read")
    }

    pub(super) async fn next_due(&self) -> Option<Timestamp> {
        let Self { store, .. } = self;
        tx!(store.read, |tx| tx.due(tx.now()).await?.outbox()).await.expect("read")
    }
}

fn rendered(name: &str) -> Rendered {
    let text = "---\ndescription: d\nfor: volunteer\n---\nCan you help, {{name}}? Answer in your own words.\n";
    let (templates, found) = Templates::load([("invite.hbs".to_owned(), text.to_owned())]);
    templates.render("invite", &json!({"name": name})).unwrap_or_else(|e| panic!("{e:?} {found:?}"))
}

#[tokio::test]
async fn a_key_is_queued_once_and_leaves_no_orphaned_text() {
    for database in databases() {
        let outbox = OutboxFixture::open(&database).await;
        outbox.store.take_work_due();
        let first = outbox.queue(vec![outbox.message("b", 0), outbox.message("a", 0)]).await;
        assert!(matches!(first[..], [Queued::New(_), Queued::New(_)]), "{database}: {first:?}");
        assert!(outbox.store.take_work_due().outbox, "{database}");
        let pii = "SELECT count(*) FROM pii";
        assert_eq!(database.number(pii).await, 102, "{database}: numbers and two texts");
        let wanted = ["c", "a", "c", "b"].map(|key| outbox.message(key, 0)).to_vec();
        let second = outbox.queue(wanted).await;
        let already = |key: &str| Queued::Duplicate(key.to_owned());
        assert!(matches!(second[0], Queued::New(_)), "{database}: {second:?}");
        assert_eq!(second[1..], [already("a"), already("c"), already("b")], "{database}");
        assert_eq!(database.number(pii).await, 103, "{database}");
        assert_eq!(outbox.queue(Vec::new()).await, [], "{database}");
    }
}

#[tokio::test]
async fn concurrent_messages_with_one_key_are_sent_once() {
    for database in databases() {
        let outbox = OutboxFixture::open(&database).await;
        let rivals: Vec<_> = (0..8)
            .map(|i| {
                let outbox = outbox.clone();
                let mut keys = ["x", "y", "z"];
                keys.rotate_left(i % 3);
                let messages = keys.map(|key| outbox.message(key, 0)).to_vec();
                tokio::spawn(async move { outbox.queue(messages).await })
            })
            .collect();
        let mut new = 0;
        for rival in rivals {
            let queued = rival.await.expect("no panic");
            new += queued.iter().filter(|q| matches!(q, Queued::New(_))).count();
        }
        assert_eq!(new, 3, "{database}");
        assert_eq!(database.number("SELECT count(*) FROM outbox").await, 3, "{database}");
        assert_eq!(database.number("SELECT count(*) FROM pii").await, 103, "{database}");
    }
}

#[tokio::test]
async fn messages_leave_in_order_when_their_time_has_come() {
    for database in databases() {
        let outbox = OutboxFixture::open(&database).await;
        let (late, first, second) = (
            outbox.queue_one("late", 30).await,
            outbox.queue_one("first", 1).await,
            outbox.queue_one("second", 1).await,
        );
        assert_eq!(outbox.next_due().await, Some(START + minutes(1)), "{database}");
        assert_eq!(outbox.release(START).await, [], "{database}");
        let now = START + minutes(2);
        let released = outbox.release(now).await;
        assert_eq!(released, [(first, 1), (second, 1)], "{database}");
        assert_eq!(outbox.release(now).await, [], "{database}: released once");
        assert_eq!(
            outbox.next_due().await,
            Some(now + minutes(1)),
            "{database}: the deadline for its answer"
        );

        assert!(outbox.sent(first, 1, "sent").await, "{database}");
        assert!(!outbox.sent(first, 1, "failed").await, "{database}: it already has its answer");
        assert!(!outbox.sent(second, 7, "sent").await, "{database}: the answer to another attempt");
        assert!(!outbox.sent(late, 0, "sent").await, "{database}: it has not been released");
        let page = outbox.page(MessageQuery::default()).await;
        let shown: Vec<_> = page.iter().map(|m| (&*m.key, m.state.as_str(), m.attempt)).collect();
        let expected = [("second", "sending", 1), ("first", "sent", 1), ("late", "queued", 0)];
        assert_eq!(shown, expected, "{database}");
        assert_eq!(page[1].to, "+15550102", "{database}");
        let to_first = MessageQuery { to: Some("+15550102".into()), ..Default::default() };
        assert_eq!(outbox.page(to_first).await.len(), 1, "{database}");
        assert!(page[1].body.contains("help, first?"), "{database}: {}", page[1].body);
        assert_eq!(page[1].sent_at, Some(START), "{database}");
        for query in [
            MessageQuery { request: Some(outbox.request), ..Default::default() },
            MessageQuery { run: Some(outbox.run), ..Default::default() },
        ] {
            assert_eq!(outbox.page(query).await.len(), 3, "{database}");
        }
        let older = MessageQuery { before: Some(second), ..Default::default() };
        assert_eq!(outbox.page(older).await.len(), 2, "{database}");
        let nobody = MessageQuery { to: Some("+1999".to_owned()), ..Default::default() };
        assert_eq!(outbox.page(nobody).await, [], "{database}");
    }
}

#[tokio::test]
async fn a_message_is_released_by_one_process_only() {
    for database in databases() {
        let outbox = OutboxFixture::open(&database).await;
        let messages = (0..40).map(|i| outbox.message(&format!("k{i}"), 0)).collect();
        outbox.queue(messages).await;
        let rivals: Vec<_> = (0..6)
            .map(|_| {
                let outbox = outbox.clone();
                tokio::spawn(async move { outbox.release(START).await })
            })
            .collect();
        let mut all = Vec::new();
        for rival in rivals {
            all.extend(rival.await.expect("no panic"));
        }
        all.extend(outbox.release(START).await);
        assert!(all.iter().all(|(_, attempt)| *attempt == 1), "{database}");
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 40, "{database}");
    }
}

#[tokio::test]
async fn an_attempt_without_an_answer_is_looked_up_and_repeated() {
    for database in databases() {
        let outbox = OutboxFixture::open(&database).await;
        let OutboxFixture { store, .. } = &outbox;
        let id = outbox.queue_one("x", 0).await;
        assert_eq!(outbox.release(START).await, [(id, 1)], "{database}");
        let overdue = async |minute: i64| {
            let now = START + minutes(minute);
            let found = tx!(store.read, |tx| tx.overdue_sends(now, 9).await?).await.unwrap();
            found.into_iter().map(|o| (o.id, o.attempt)).collect::<Vec<_>>()
        };
        assert_eq!(overdue(0).await, [], "{database}: it is not overdue yet");
        assert_eq!(overdue(1).await, [(id, 1)], "{database}");
        let later = START + minutes(5);
        assert!(outbox.tried(id, 1, AttemptResult::AskAgain { at: later }).await, "{database}");
        assert_eq!((overdue(4).await, overdue(5).await), (vec![], vec![(id, 1)]), "{database}");
        let again = START + minutes(7);
        let result = |why: &str| AttemptResult::Again { at: again, why: why.to_owned() };
        assert!(outbox.tried(id, 1, result("busy")).await, "{database}");
        assert_eq!(overdue(9).await, [], "{database}");
        assert_eq!(outbox.release(START + minutes(6)).await, [], "{database}");
        assert_eq!(outbox.release(again).await, [(id, 2)], "{database}");
        let late = AttemptResult::AskAgain { at: START + minutes(90) };
        assert!(!outbox.tried(id, 1, late).await, "{database}");
        assert_eq!(
            overdue(8).await,
            [(id, 2)],
            "{database}: the first attempt is not looked up again"
        );
        assert!(!outbox.tried(id, 1, result("late")).await, "{database}");
        assert!(!outbox.sent(id, 1, "failed").await, "{database}: the first attempt is over");
        assert!(outbox.sent(id, 2, "sent").await, "{database}");
    }
}

#[tokio::test]
async fn queued_messages_are_held_ended_and_cancelled() {
    for database in databases() {
        let outbox = OutboxFixture::open(&database).await;
        let OutboxFixture { store, request, run, offer, .. } = &outbox;
        let (request, run, offer) = (*request, *run, *offer);
        let [held, ended, gone] = [
            outbox.queue_one("held", 0).await,
            outbox.queue_one("ended", 0).await,
            outbox.queue_one("gone", 0).await,
        ];
        let until = START + minutes(45);
        let changed = tx!(store.write, |tx| {
            let moved = tx.hold_queued(&[held], until).await?;
            assert_eq!((moved, tx.hold_queued(&[held], until).await?), (vec![held], vec![]));
            tx.end_queued(&[ended], "suppressed", "opted_out").await?;
            tx.end_queued(&[], "x", "x").await?;
            tx.hold_queued(&[], until).await?;
            let other: OfferId = tx.mint();
            let mut gone = tx.cancel_queued(request, "request", &[offer], "closed").await?;
            gone.extend(tx.cancel_queued(request, "offer", &[other], "closed").await?);
            gone
        });
        assert_eq!(changed.await.unwrap(), [], "{database}: none has that cause");
        let begin = tx!(store.read, |tx| tx.last_permitted_send(run).await?).await.unwrap();
        assert_eq!(begin, Some(until), "{database}");
        let answered = tx!(store.read, |tx| tx.tenants_to_release(START).await?).await.unwrap();
        assert_eq!(answered, [TENANT], "{database}");
        assert_eq!(outbox.release(START).await, [(gone, 1)], "{database}");
        let cancelled = tx!(store.write, |tx| tx
            .cancel_queued(request, "offer", &[offer], "withdrawn")
            .await?);
        let cancelled = cancelled.await.unwrap();
        assert_eq!(cancelled, [offer], "{database}: a message that has left is not cancelled");
        let mut states: Vec<_> = outbox
            .page(MessageQuery::default())
            .await
            .into_iter()
            .map(|m| (m.key, m.state.to_string(), m.error))
            .collect();
        states.sort();
        let said = |error: &str| Some(error.to_owned());
        let expected = [
            ("ended".to_owned(), "suppressed".to_owned(), said("opted_out")),
            ("gone".to_owned(), "sending".to_owned(), None),
            ("held".to_owned(), "cancelled".to_owned(), said("withdrawn")),
        ];
        assert_eq!(states, expected, "{database}");
    }
}

#[tokio::test]
async fn waits_count_from_the_last_message_that_can_be_or_was_sent() {
    for database in databases() {
        let outbox = OutboxFixture::open(&database).await;
        let OutboxFixture { store, run, .. } = &outbox;
        let run = *run;
        let left = outbox.queue_one("first", 1).await;
        let (withdrawn, refused) =
            (outbox.queue_one("late", 50).await, outbox.queue_one("second", 40).await);
        let begin =
            async || tx!(store.read, |tx| tx.last_permitted_send(run).await?).await.expect("read");
        assert_eq!(begin().await, Some(START + minutes(50)), "{database}");
        tx!(store.write, |tx| {
            tx.end_queued(&[withdrawn], "cancelled", "withdrawn").await?;
            tx.end_queued(&[refused], "suppressed", "opted_out").await?;
        })
        .await
        .expect("ended");
        assert_eq!(
            begin().await,
            Some(START + minutes(1)),
            "{database}: the ended ones are never sent"
        );
        assert_eq!(outbox.release(START + minutes(1)).await, [(left, 1)], "{database}");
        assert!(outbox.sent(left, 1, "sent").await);
        assert_eq!(begin().await, Some(START + minutes(1)), "{database}");
        // Steps that share a commit ask once which of their runs have messages.
        let asked = [store.start().await, run, store.start().await].map(|run| {
            let commit = store.commit(run, 0);
            let step = tx_closure(move |tx: &mut Tx| {
                let commit = commit.clone();
                Box::pin(async move { Ok(Some((commit, tx.last_permitted_send(run).await?))) })
            });
            store.store.commit_read_step(run, step)
        });
        let begins = join_all(asked).await.into_iter().map(|step| match step {
            Ok(ReadStep::Taken(begin, Committed::Done { .. })) => begin,
            other => panic!("{database}: {other:?}"),
        });
        let expected = [None, Some(START + minutes(1)), None];
        assert_eq!(begins.collect::<Vec<_>>(), expected, "{database}");
    }
}

#[tokio::test]
async fn a_recipient_gets_one_text_at_a_time_and_answers_first() {
    for database in databases() {
        let outbox = OutboxFixture::open(&database).await;
        let OutboxFixture { store, contacts, .. } = &outbox;
        let to = |key: &str, nth: usize| OutboxMessage {
            contact: contacts[nth],
            ..outbox.message(key, 0)
        };
        let answer = |message: OutboxMessage| OutboxMessage {
            cause: Cause { kind: "inbound", id: None },
            ..message
        };
        let queued = outbox.queue(vec![to("a", 50), to("b", 50), to("c", 51), answer(to("d", 52))]);
        let ids: Vec<MessageId> = queued
            .await
            .into_iter()
            .map(|queued| match queued {
                Queued::New(id) => id,
                other => panic!("{other:?}"),
            })
            .collect();
        let tenants =
            async || tx!(store.read, |tx| tx.tenants_to_release(START).await?).await.expect("read");
        let first = tx!(store.read, |tx| tx.release_candidates(TENANT, START, 1).await?);
        assert_eq!(first.await.unwrap()[0].id, ids[3], "{database}: the answer goes first");
        let released: Vec<_> = outbox.release(START).await.into_iter().map(|(id, _)| id).collect();
        assert_eq!(released.len(), 3, "{database}");
        assert!(
            !released.contains(&ids[1]),
            "{database}: another text to the same number goes first"
        );
        assert!(tenants().await.is_empty() && outbox.release(START).await.is_empty(), "{database}");
        let on_its_way = outbox.next_due().await;
        assert_eq!(on_its_way, Some(START + minutes(1)), "{database}: idle until its answer");
        let contact = contacts[50];
        let beginning = async || {
            let both = tx!(store.read, |tx| {
                (tx.count_in_flight(TENANT).await?, tx.count_in_flight_to(TENANT, contact).await?)
            });
            both.await.expect("read")
        };
        store.clock.set(START - minutes(1));
        assert_eq!(beginning().await, (3, 1), "{database}: they may be sent until their deadline");
        store.clock.set(START);
        assert_eq!(beginning().await, (0, 0), "{database}: the deadline has passed");
        assert!(outbox.sent(ids[0], 1, "sent").await, "{database}");
        assert_eq!(tenants().await, [TENANT], "{database}");
        assert_eq!(outbox.release(START).await, [(ids[1], 1)], "{database}");
        let nobody = contacts[99];
        tx!(store.write, |tx| tx.suppress(TENANT, nobody, "opt_out", START).await?).await.unwrap();
        let out = tx!(store.write, |tx| tx.lock_contacts(TENANT, &[nobody, contact]).await?);
        assert_eq!(out.await.unwrap().into_iter().collect::<Vec<_>>(), [nobody], "{database}");
    }
}

#[tokio::test]
async fn a_run_knows_which_of_its_messages_are_held_back() {
    for database in databases() {
        let outbox = OutboxFixture::open(&database).await;
        let OutboxFixture { store, run, .. } = &outbox;
        let run = *run;
        let held =
            async || tx!(store.read, |tx| tx.postponed_messages(run).await?).await.expect("read");
        outbox.queue_one("now", 0).await;
        assert_eq!(held().await, [], "{database}: it may be sent");
        for (key, minute) in [("late", 50), ("soon", 20)] {
            outbox.queue_one(key, minute).await;
        }
        let expected = [20, 50].map(|minute| PostponedMessage {
            cause: StoredCause { kind: "offer".to_owned(), id: Some(outbox.offer.uuid()) },
            until: START + minutes(minute),
            tried: false,
        });
        assert_eq!(held().await, expected, "{database}");
        let other = store.start().await;
        let nothing = tx!(store.read, |tx| tx.postponed_messages(other).await?).await.unwrap();
        assert_eq!(nothing, [], "{database}: another run's");
        outbox.release(START + minutes(30)).await;
        let back = tx!(store.read, |tx| tx.postponed_messages(run).await?).await.unwrap();
        assert_eq!(back.len(), 1, "{database}: a message being sent is not held back");
    }
}

#[tokio::test]
async fn an_unsent_message_is_found_by_its_key() {
    for database in databases() {
        let outbox = OutboxFixture::open(&database).await;
        outbox.queue_one("first", 0).await;
        let OutboxFixture { store, .. } = &outbox;
        let unsent = |key: &'static str| tx!(store.read, |tx| tx.never_left(TENANT, key).await?);
        assert!(unsent("first").await.expect("read"), "{database}");
        assert!(!unsent("gone").await.expect("read"), "{database}: there is no such message");
        assert_eq!(outbox.release(START + minutes(1)).await.len(), 1, "{database}");
        assert!(!unsent("first").await.expect("read"), "{database}: it is being sent");
    }
}

#[tokio::test]
async fn a_message_is_found_by_its_id_in_its_own_tenant() {
    for database in databases() {
        let outbox = OutboxFixture::open(&database).await;
        outbox.queue_one("first", 0).await;
        let OutboxFixture { store, .. } = &outbox;
        let listed = outbox.page(MessageQuery::default()).await;
        let id = listed[0].id;
        let found = |tenant: &'static str| tx!(store.read, |tx| tx.outbound(tenant, id).await?);
        assert_eq!(found(TENANT).await.expect("read").as_ref(), listed.first(), "{database}");
        assert_eq!(found("other").await.expect("read"), None, "{database}");
    }
}
