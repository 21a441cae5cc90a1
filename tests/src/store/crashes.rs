//! A crash before or after a commit: the database keeps either all of the commit or nothing.

use std::sync::Arc;

use abide_engine::store::{CommitPoint, FaultAction};

use super::support::{Opened, open, open_with, tx};
use crate::faults::FaultAtCommit;
use crate::postgres::databases;

/// The lane of the commit at which the process crashes.
#[derive(Debug, Clone, Copy)]
enum Lane {
    A,
    B,
}

#[tokio::test]
async fn a_crash_leaves_everything_or_nothing() {
    for database in databases() {
        let mut key = 0;
        for lane in [Lane::A, Lane::B] {
            for (point, kept) in [(CommitPoint::Before, false), (CommitPoint::After, true)] {
                key += 1;
                let what = format!("{database}, lane {lane:?}, {point:?} the commit");
                let faults = Arc::new(FaultAtCommit::new(FaultAction::Crash));
                let store = open_with(&database, faults.clone()).await;
                let run = store.start().await;
                let name = format!("k{key}");
                faults.arm(point, 1);
                let code = match lane {
                    Lane::A => super::support::code(store.store.commit(store.commit(run, 0)).await),
                    Lane::B => {
                        let set = tx!(store.write, [name], |tx| tx.set_meta(&name, "1").await?);
                        set.await.expect_err("crashed").code.into_owned()
                    }
                };
                assert_eq!(code, "crashed", "{what}");
                assert_refuses_everything(&store, &what).await;
                drop(store);

                let again = open(&database).await;
                let found = match lane {
                    Lane::A => {
                        let head = tx!(again.read, |tx| tx.run(run).await?).await.unwrap();
                        head.expect("it was started").seq == 1
                    }
                    Lane::B => {
                        let meta = tx!(again.read, [name], |tx| tx.meta(&name).await?).await;
                        meta.unwrap().is_some()
                    }
                };
                assert_eq!(found, kept, "{what}");
                // The crashed process left no lock that would block the next process.
                again
                    .must_commit(again.commit(run, i64::from(found && matches!(lane, Lane::A))))
                    .await;
                tx!(again.write, [name], |tx| tx.set_meta(&name, "2").await?).await.expect(&what);
            }
        }
    }
}

async fn assert_refuses_everything(store: &Opened, what: &str) {
    let run = store.id();
    assert_eq!(
        super::support::code(store.store.commit(store.commit(run, 0)).await),
        "crashed",
        "{what}"
    );
    let write = tx!(store.write, |tx| tx.set_meta("x", "1").await?).await;
    assert_eq!(write.expect_err("crashed").code, "crashed", "{what}");
    let read = tx!(store.read, |tx| tx.meta("x").await?).await;
    assert_eq!(read.expect_err("crashed").code, "crashed", "{what}");
    assert!(store.store.check().is_err(), "{what}");
}

#[tokio::test]
async fn only_confirmed_commits_survive_a_concurrent_crash() {
    for database in databases() {
        let faults = Arc::new(FaultAtCommit::new(FaultAction::Crash));
        let store = open_with(&database, faults.clone()).await;
        let runs = store.start_all(40).await;
        faults.arm(CommitPoint::Before, 3);
        let sent: Vec<_> = runs
            .iter()
            .map(|run| {
                let (store, commit) = (store.store.clone(), store.commit(*run, 0));
                tokio::spawn(async move { store.commit(commit).await })
            })
            .collect();
        let mut confirmed = 0;
        for answer in sent {
            confirmed += i64::from(answer.await.expect("no panic").is_ok());
        }
        // It is not fixed which commits share a batch. So the number of commits before the crash varies.
        // Exactly the confirmed commits must be kept.
        let set = tx!(store.write, |tx| tx.set_meta("x", "1").await?);
        let more = set.await.is_ok();
        drop(store);
        let again = open(&database).await;
        let moved = database.number("SELECT count(*) FROM run WHERE seq = 1").await;
        assert_eq!(moved, confirmed, "{database}");
        let kept = tx!(again.read, |tx| tx.meta("x").await?).await.unwrap();
        assert_eq!(kept.is_some(), more, "{database}");
    }
}
