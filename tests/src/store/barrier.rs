//! The barrier: a deadline waits until every message that was received before the deadline is applied.
//! Applying the last of these messages wakes the run.

use std::sync::Arc;

use abide_engine::base::{MessageId, RequestId, RunId, TypedId as _};
use abide_engine::ledger::KindName;
use abide_engine::store::{About, Commit, Committed, InboundResult, RunRef, Unwoken};
use tokio::sync::Notify;

use super::support::{Opened, START, TENANT, inbound, law, minutes, open, tx};
use crate::postgres::{TestDb, databases};

async fn receive(store: &Opened, nth: i64) -> MessageId {
    let at = START + minutes(nth);
    let message = inbound(&format!("m{nth}"), &format!("+1555010{nth}"), at);
    let stored = tx!(store.write, [message], |tx| tx.store_inbound(TENANT, &message).await?);
    stored.await.expect("written").expect("new").0
}

async fn bar(store: &Opened, run: RunId, minute: i64) -> bool {
    let deadline = START + minutes(minute);
    tx!(store.write, |tx| tx.hold_until_applied(RunRef { tenant: TENANT, run }, deadline).await?)
        .await
        .expect("looked")
}

async fn apply(store: &Opened, message: MessageId) {
    let noted = InboundResult::of(message, "noted");
    let applied = tx!(store.write, |tx| tx.mark_applied(&[noted]).await?);
    assert_eq!(applied.await.expect("applied"), 1);
}

async fn wakes(store: &Opened, run: RunId) -> i64 {
    let claims = tx!(store.write, |tx| {
        let now = tx.now();
        tx.due_turns(now, 9, &std::collections::BTreeSet::new()).await?
    });
    let claims = claims.await.expect("read");
    claims.iter().find(|claim| claim.run == run).map_or(0, |claim| claim.wake)
}

/// Commits a step of a run in lane A, with which a deadline passes. Returns whether it is committed.
async fn pass(store: &Opened, run: RunId, seq: i64, unless: Unwoken) -> bool {
    let commit = Commit { unless: Some(unless), ..store.commit(run, seq) };
    store.store.commit(commit).await.expect("tried") != Committed::Stale
}

law!(
    a_deadline_passes_in_a_shared_commit_unless_something_came_before_it,
    async |database: &TestDb, store: Opened| {
        store.clock.set(START + minutes(60));
        let run = store.start().await;
        let deadline = |minute| Unwoken { deadline: Some(START + minutes(minute)), seen_wake: 0 };
        let first = receive(&store, 10).await;
        assert!(!pass(&store, run, 0, deadline(30)).await, "{database}: a message is not applied");
        assert!(!pass(&store, run, 0, deadline(10)).await, "{database}: the same instant counts");
        assert!(pass(&store, run, 0, deadline(9)).await, "{database}: it came later");
        apply(&store, first).await;
        assert!(pass(&store, run, 1, deadline(30)).await, "{database}: it is applied");
        store.wake(run).await;
        assert!(!pass(&store, run, 2, deadline(30)).await, "{database}: the run was woken since");
        let seen = Unwoken { seen_wake: 1, ..deadline(30) };
        assert!(pass(&store, run, 2, seen).await, "{database}: it has seen why");
    }
);

law!(
    the_last_message_that_holds_a_deadline_back_wakes_its_run,
    async |database: &TestDb, store: Opened| {
        store.clock.set(START + minutes(60));
        let (run, other) = (store.start().await, store.start().await);
        assert!(!bar(&store, run, 30).await, "{database}: nothing holds it back");
        let (first, second) = (receive(&store, 1).await, receive(&store, 2).await);
        let behind = receive(&store, 40).await;
        assert!(bar(&store, run, 30).await && bar(&store, run, 30).await, "{database}");
        assert!(!bar(&store, other, 0).await, "{database}: its deadline is before all of them");
        assert!(bar(&store, other, 1).await, "{database}: a message at the same instant counts");
        apply(&store, second).await;
        assert_eq!(wakes(&store, run).await, 1, "{database}: it is woken, and waits for the other");
        assert!(bar(&store, run, 30).await, "{database}");
        apply(&store, first).await;
        assert_eq!((wakes(&store, run).await, wakes(&store, other).await), (2, 1), "{database}");
        assert!(!bar(&store, run, 30).await, "{database}: a later message does not hold it back");
        apply(&store, behind).await;
        assert_eq!(wakes(&store, run).await, 2, "{database}: it no longer waits");
        assert_eq!(database.number("SELECT COUNT(*) FROM barred").await, 0, "{database}");
    }
);

/// A run is barred when the database records that the run waits for messages. Barring a run and applying a
/// message are serialised. If barring commits first, applying the message wakes the run.
/// If applying commits first, the run sees the applied message.
#[tokio::test]
async fn a_message_applied_concurrently_is_not_missed() {
    for database in databases() {
        let store = open(&database).await;
        store.clock.set(START + minutes(60));
        let run = store.start().await;
        let message = receive(&store, 1).await;
        let (barred, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let looking = {
            let (store, barred, go_on) = (store.clone(), barred.clone(), go_on.clone());
            tokio::spawn(async move {
                let deadline = START + minutes(30);
                let looked = tx!(store.write, [barred, go_on], |tx| {
                    let held =
                        tx.hold_until_applied(RunRef { tenant: TENANT, run }, deadline).await?;
                    barred.notify_one();
                    go_on.notified().await;
                    held
                });
                looked.await.expect("looked")
            })
        };
        barred.notified().await;
        let applying = {
            let store = store.clone();
            tokio::spawn(async move { apply(&store, message).await })
        };
        tokio::task::yield_now().await;
        go_on.notify_one();
        assert!(looking.await.expect("no panic"), "{database}");
        applying.await.expect("no panic");
        assert_eq!(wakes(&store, run).await, 1, "{database}");
    }
}

law!(a_new_request_may_be_locked_after_any_other, async |database: &TestDb, store: Opened| {
    let (early, late): (RequestId, RequestId) = (store.id(), store.id());
    let written = tx!(store.write, |tx| {
        tx.lock_request(TENANT, late).await?;
        tx.lock_new_request(TENANT, early).await?;
        let body = serde_json::json!({});
        tx.log(early, KindName::of("request"), About::default(), body)?;
        (tx.next_ord(early.uuid())?, tx.next_campaign(early)?)
    });
    assert_eq!(written.await.expect("in order"), (1, 1), "{database}");
    let out_of_order = tx!(store.write, |tx| {
        tx.lock_request(TENANT, late).await?;
        tx.lock_request(TENANT, early).await?;
    });
    assert!(out_of_order.await.is_err(), "{database}: it is no longer new");
});
