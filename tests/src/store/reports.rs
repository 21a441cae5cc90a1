//! Delivery reports may arrive late, twice and in any sequence.
//! They never return a message to an earlier state.

use abide_engine::base::MessageId;
use abide_engine::store::{AttemptResult, DeliveryState, MessageQuery, ReportedId};

use super::outbox::OutboxFixture;
use super::support::{START, TENANT, minutes, tx};
use crate::postgres::databases;

use DeliveryState::{Delivered, Failed, Sent, Undelivered};

impl OutboxFixture {
    async fn report(&self, id: MessageId, state: DeliveryState) -> bool {
        let Self { store, .. } = self;
        let error = state.is_failure().then_some("30006");
        let reported =
            tx!(store.write, |tx| tx.report_delivery(id, state, error, START + minutes(3)).await?);
        reported.await.expect("reported")
    }

    async fn state(&self, id: MessageId) -> (String, Option<String>, bool) {
        let row = self.page(MessageQuery::default()).await.into_iter().find(|row| row.id == id);
        let row = row.expect("a message");
        (row.state.to_string(), row.error, row.sent_at.is_some())
    }
}

#[tokio::test]
async fn a_report_never_returns_a_message_to_an_earlier_state() {
    // Each case: the reports in sequence,
    // whether each report changes the message, and the message's final state.
    let cases: [(&[DeliveryState], &[bool], &str); 8] = [
        (&[Sent], &[false], "sent"),
        (&[Delivered], &[true], "delivered"),
        (&[Delivered, Sent], &[true, false], "delivered"),
        (&[Delivered, Delivered], &[true, false], "delivered"),
        (&[Undelivered, Sent, Delivered], &[true, false, false], "undelivered"),
        (&[Sent, Undelivered, Undelivered], &[false, true, false], "undelivered"),
        (&[Failed, Sent], &[true, false], "failed"),
        (&[Delivered, Failed], &[true, false], "delivered"),
    ];
    for database in databases() {
        let outbox = OutboxFixture::open(&database).await;
        for (n, (reports, changes, ends)) in cases.into_iter().enumerate() {
            let id = outbox.queue_one(&format!("k{n}"), 0).await;
            outbox.release(START).await;
            assert!(outbox.sent(id, 1, "sent").await, "{database}");
            let mut changed = Vec::new();
            for report in reports {
                changed.push(outbox.report(id, *report).await);
            }
            assert_eq!(changed, changes, "{database}: {reports:?}");
            let error = ["undelivered", "failed"].contains(&ends).then(|| "30006".to_owned());
            assert_eq!(outbox.state(id).await, (ends.to_owned(), error, true), "{database}");
        }
    }
}

#[tokio::test]
async fn a_report_proves_that_a_message_has_left() {
    for database in databases() {
        let outbox = OutboxFixture::open(&database).await;
        let queued = outbox.queue_one("x", 0).await;
        assert!(!outbox.report(queued, Sent).await, "{database}: it was never sent");
        assert_eq!(outbox.state(queued).await.0, "queued", "{database}");

        outbox.release(START).await;
        assert!(
            outbox.report(queued, Delivered).await,
            "{database}: a report may arrive before the answer"
        );
        assert!(!outbox.sent(queued, 1, "sent").await, "{database}: the answer comes too late");
        assert_eq!(outbox.state(queued).await, ("delivered".to_owned(), None, true), "{database}");

        let again = outbox.queue_one("late", 0).await;
        outbox.release(START).await;
        let lost = AttemptResult::Again { at: START, why: "not there".to_owned() };
        assert!(outbox.tried(again, 1, lost).await, "{database}: queued again");
        assert!(outbox.report(again, Sent).await, "{database}: it was sent after all");
        assert_eq!(outbox.release(START).await, [], "{database}: it is not sent twice");

        let unknown = outbox.queue_one("first", 0).await;
        outbox.release(START).await;
        assert!(outbox.sent(unknown, 1, "unknown").await, "{database}");
        assert!(outbox.report(unknown, Undelivered).await, "{database}: its state is known now");
    }
}

#[tokio::test]
async fn a_report_names_a_message_by_our_id_or_by_the_providers() {
    for database in databases() {
        let outbox = OutboxFixture::open(&database).await;
        let id = outbox.queue_one("x", 0).await;
        outbox.release(START).await;
        outbox.sent(id, 1, "sent").await;
        let OutboxFixture { store, request, .. } = &outbox;
        let find = async |tenant: &'static str, id: ReportedId| {
            let found = tx!(store.read, [id], |tx| tx.reported(tenant, &id).await?);
            found.await.expect("read").map(|found| (found.id, found.kind, found.request))
        };
        let expected = Some((id, "invite".to_owned(), Some(*request)));
        assert_eq!(find(TENANT, ReportedId::Ours(id)).await, expected, "{database}");
        let by_theirs = |id: &str| ReportedId::Providers(id.to_owned());
        assert_eq!(find(TENANT, by_theirs("ref")).await, expected, "{database}");
        assert_eq!(find(TENANT, by_theirs("other")).await, None, "{database}");
        assert_eq!(find("north", by_theirs("ref")).await, None, "{database}: another tenant's");
        assert_eq!(find("north", ReportedId::Ours(id)).await, None, "{database}");
    }
}
