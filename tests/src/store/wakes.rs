//! No wake-up of a run is lost, at whatever moment it happens.

use abide_engine::base::{Digest, RequestId, RunId};
use abide_engine::store::{Commit, Tally, TurnChange, tx_closure};

use super::support::{minutes, new_run, open, owned, parked, tx, wait};
use crate::postgres::databases;

#[tokio::test]
async fn a_wake_between_check_and_park_makes_the_run_due_at_once() {
    for database in databases() {
        let store = open(&database).await;
        let run = store.start().await;
        let seen = store.must_commit(store.commit(run, 0)).await;
        let later = store.now() + minutes(60);
        // The owner has looked for replies and decides to park the run.
        // Before the run is parked, a reply arrives.
        store.wake(run).await;
        let wake = store.must_commit(parked(store.commit(run, 1), Some(later), seen)).await;
        assert_eq!((seen, wake), (0, 1), "{database}: the owner sees the wake");
        assert_eq!(store.due(store.now()).await, [run], "{database}");
        // The owner looks for replies again and parks the run. This time, no reply arrives in between.
        store.must_commit(parked(store.commit(run, 2), Some(later), wake)).await;
        assert_eq!(store.due(store.now()).await, [], "{database}");
        assert_eq!(store.due(later).await, [run], "{database}");
    }
}

#[tokio::test]
async fn a_run_parked_without_a_due_time_is_woken() {
    for database in databases() {
        let store = open(&database).await;
        let run = store.start().await;
        store.must_commit(parked(store.commit(run, 0), None, 0)).await;
        let ages = store.now() + minutes(1_000_000);
        assert_eq!(store.due(ages).await, [], "{database}");
        store.take_work_due();
        store.wake(run).await;
        assert!(store.take_work_due().runs, "{database}: the driver is notified");
        assert_eq!(store.due(store.now()).await, [run], "{database}");
    }
}

#[tokio::test]
async fn a_wake_never_delays_a_due_run() {
    for database in databases() {
        let store = open(&database).await;
        let run = store.start().await;
        let due = store.now();
        store.clock.set(due + minutes(10));
        store.wake(run).await;
        assert_eq!(store.due(due).await, [run], "{database}: due since its start");
    }
}

#[tokio::test]
async fn an_owned_run_is_woken_when_it_parks() {
    for database in databases() {
        let store = open(&database).await;
        let runs = vec![owned(store.id(), store.id())];
        let run = runs[0].id;
        tx!(store.write, [runs], |tx| tx.insert_runs(&runs).await?).await.unwrap();
        assert_eq!(store.due(store.now()).await, [], "{database}: it has an owner");
        store.wake(run).await;
        assert_eq!(
            store.due(store.now()).await,
            [],
            "{database}: the wake does not take it from its owner"
        );
        let wake = store.must_commit(parked(store.commit(run, 0), None, 0)).await;
        assert_eq!(wake, 1, "{database}");
        assert_eq!(store.due(store.now()).await, [run], "{database}");
    }
}

#[tokio::test]
async fn a_wake_of_an_ended_run_is_no_error() {
    for database in databases() {
        let store = open(&database).await;
        let run = store.start().await;
        store.must_commit(Commit { turn: TurnChange::End, ..store.commit(run, 0) }).await;
        store.wake(run).await;
        assert_eq!(store.due(store.now() + minutes(1)).await, [], "{database}");
        let reopened =
            tx!(store.write, |tx| { (tx.reopen_turn(run).await?, tx.reopen_turn(run).await?) });
        assert_eq!(reopened.await.unwrap(), (true, false), "{database}");
        assert_eq!(store.due(store.now()).await, [run], "{database}");
    }
}

#[tokio::test]
async fn wakes_and_parks_at_once_lose_nothing() {
    for database in databases() {
        let store = open(&database).await;
        let runs = store.start_all(8).await;
        let (mut steps, mut wakers) = (Vec::new(), Vec::new());
        for run in runs.clone() {
            let waker = store.clone();
            wakers.push(tokio::spawn(async move {
                for _ in 0..20 {
                    waker.wake(run).await;
                }
            }));
            let owner = store.clone();
            steps.push(tokio::spawn(async move {
                let mut seen = 0;
                for seq in 0..20 {
                    let before = seen;
                    seen = owner.must_commit(parked(owner.commit(run, seq), None, before)).await;
                }
                seen
            }));
        }
        for waker in wakers {
            waker.await.expect("no panic");
        }
        for (run, step) in runs.into_iter().zip(steps) {
            let seen = step.await.expect("no panic");
            let due = store.due(store.now()).await.contains(&run);
            assert!(due || seen == 20, "{database}: {run} saw {seen} wakes and is parked");
        }
        assert_eq!(database.number("SELECT min(wake) FROM turn").await, 20, "{database}");
    }
}

/// Changes of a request's tally, and whether each change must wake a run that needs two acceptances.
const CHANGES: &[(&str, Tally, bool)] = &[
    ("nursery#1", Tally { open: 3, yes: 0, no: 0, gone: 0 }, false),
    ("nursery#1", Tally { open: -1, yes: 0, no: 1, gone: 0 }, false),
    ("nursery", Tally { open: 0, yes: 1, no: 0, gone: 0 }, false),
    ("children", Tally { open: 0, yes: 5, no: 0, gone: 0 }, false),
    ("nursery", Tally { open: 0, yes: 1, no: 0, gone: 0 }, true),
    ("nursery", Tally { open: 0, yes: -1, no: 0, gone: 0 }, false),
    ("nursery#1", Tally { open: -2, yes: 0, no: 0, gone: 2 }, true),
];

#[tokio::test]
async fn tallies_wake_the_runs_whose_wait_they_end() {
    for database in databases() {
        let store = open(&database).await;
        let request: RequestId = store.id();
        let mut run = new_run(store.id());
        run.request = Some(request);
        let (run, runs) = (run.id, vec![run]);
        tx!(store.write, [runs], |tx| tx.insert_runs(&runs).await?).await.unwrap();
        let arm = Commit { armed: Some(wait(request, 2)), ..store.commit(run, 0) };
        let mut seen = store.must_commit(parked(arm, None, 0)).await;
        for (i, (cell, delta, wakes)) in CHANGES.iter().enumerate() {
            store.tally(request, cell, *delta).await;
            let due = store.due(store.now()).await.contains(&run);
            assert_eq!(due, *wakes, "{database}: change {i} of {cell}");
            if due {
                seen += 1;
                let seq = if i == 4 { 1 } else { 2 };
                store.must_commit(parked(store.commit(run, seq), None, seen)).await;
            }
        }
        let tallies = tx!(store.read, |tx| tx.request_tallies(request).await?).await.unwrap();
        assert_eq!(tallies["nursery#1"], Tally { open: 0, yes: 0, no: 1, gone: 2 }, "{database}");
        assert_eq!(tallies["nursery"].yes, 1, "{database}");
        let heads = tx!(store.read, |tx| tx.stream_heads(&[request.into()]).await?).await.unwrap();
        assert_eq!(heads[0].last_hash, Digest::ZERO, "{database}: nothing was logged");
    }
}

#[tokio::test]
async fn a_read_of_one_statement_refuses_a_second() {
    for database in databases() {
        let store = open(&database).await;
        let two = tx_closure(|tx| {
            Box::pin(async move { Ok((tx.due(tx.now()).await?, tx.meta("schema").await?)) })
        });
        let refused = store.store.read_one(two).await.expect_err("they might see two states");
        assert_eq!(refused.code, "internal", "{database}: {refused}");
    }
}

#[tokio::test]
async fn one_read_returns_what_is_due_now_and_next() {
    for database in databases() {
        let store = open(&database).await;
        let due = async || {
            let due = tx!(store.read_one, |tx| tx.due(tx.now()).await?).await.expect("read");
            (due.run, due.later_run, due.inbox, due.outbox())
        };
        assert_eq!(due().await, (None, None, false, None), "{database}");
        let run = store.start().await;
        let now = store.now();
        assert_eq!(due().await, (Some(now), None, false, None), "{database}");
        let later = now + minutes(1);
        store.must_commit(parked(store.commit(run, 0), Some(later), 0)).await;
        assert_eq!(due().await, (Some(later), Some(later), false, None), "{database}");
        store.clock.set(later);
        assert_eq!(due().await, (Some(later), None, false, None), "{database}");
    }
}

#[tokio::test]
async fn a_tally_needs_its_requests_lock() {
    for database in databases() {
        let store = open(&database).await;
        let request: RequestId = store.id();
        let refused = tx!(store.write, |tx| {
            tx.tally(request, "nursery", Tally::default()).await?;
        });
        assert_eq!(refused.await.expect_err("refused").code, "internal", "{database}");
    }
}

#[tokio::test]
async fn held_runs_are_not_due_until_they_are_freed() {
    for database in databases() {
        let store = open(&database).await;
        let runs = store.start_all(5).await;
        let hold = async |after: Option<RunId>, limit: i64| {
            let done =
                tx!(store.write, |tx| tx.hold_turns(super::support::TENANT, after, limit).await?);
            done.await.expect("held")
        };
        assert_eq!(hold(None, 3).await, runs[..3], "{database}");
        assert_eq!(hold(Some(runs[3]), 3).await, runs[4..], "{database}: only runs after this one");
        assert_eq!(hold(Some(runs[2]), 3).await, runs[3..4], "{database}");
        assert_eq!(hold(None, 3).await, [], "{database}");
        assert_eq!(store.due(store.now()).await, [], "{database}");
        store.wake(runs[0]).await;
        assert_eq!(store.due(store.now()).await, [], "{database}");
        let free = async |after: Option<RunId>, limit: i64| {
            let done =
                tx!(store.write, |tx| tx.free_turns(super::support::TENANT, after, limit).await?);
            done.await.expect("freed")
        };
        assert_eq!(free(None, 3).await, runs[..3], "{database}");
        assert_eq!(free(Some(runs[2]), 100).await, runs[3..], "{database}");
        assert_eq!(store.due(store.now()).await, runs, "{database}");
    }
}

#[tokio::test]
async fn a_run_started_during_a_pause_is_held_from_its_start() {
    for database in databases() {
        let store = open(&database).await;
        let paused = tx!(store.write, |tx| {
            tx.ensure_tenant(super::support::TENANT).await?;
            tx.set_tenant_paused(super::support::TENANT, true).await?
        });
        assert!(paused.await.unwrap(), "{database}");
        let run = store.start().await;
        assert_eq!(store.due(store.now()).await, [], "{database}");
        let freed = tx!(store.write, |tx| {
            tx.mark_unpaused(super::support::TENANT).await?;
            tx.free_turns(super::support::TENANT, None, 9).await?
        });
        assert_eq!(freed.await.unwrap(), [run], "{database}");
        assert_eq!(store.due(store.now()).await, [run], "{database}");
    }
}
