//! Runs are started through lane A.
//! The starts are committed in batches, and each start gets its own result.

use abide_engine::store::{DrivenBy, Inserted, NewRun, Store, StoreError};

use super::support::{Opened, TENANT, new_run, open, owned, tx};
use crate::postgres::databases;

fn keyed(store: &Opened, key: &str) -> NewRun {
    NewRun { start_key: Some(key.to_owned()), ..new_run(store.id()) }
}

/// Starts runs concurrently, so that several starts share a batch. Returns the results in the sequence of
/// `runs`.
async fn start_all(store: &Store, runs: Vec<NewRun>) -> Vec<Inserted> {
    let mut starts = tokio::task::JoinSet::new();
    for (ix, run) in runs.into_iter().enumerate() {
        let store = store.clone();
        starts.spawn(
            async move { (ix, store.start(run, DrivenBy::Caller).await.expect("answered")) },
        );
    }
    let mut answers = starts.join_all().await;
    answers.sort_unstable();
    answers.into_iter().map(|(_, inserted)| inserted).collect()
}

#[tokio::test]
async fn only_one_of_many_starts_with_one_key_is_new() {
    for database in databases() {
        let store = open(&database).await;
        let mut runs: Vec<NewRun> = (0..40).map(|_| keyed(&store, "same")).collect();
        runs.extend((0..40).map(|ix| keyed(&store, &format!("own {ix}"))));
        let answers = start_all(&store.store, runs).await;
        let (same, own) = answers.split_at(40);
        let many = |what| same.iter().filter(|answer| **answer == what).count();
        assert_eq!((many(Inserted::Free), many(Inserted::LeftOut)), (1, 39), "{database}");
        assert!(own.iter().all(|answer| *answer == Inserted::Free), "{database}");
        for table in ["run", "turn"] {
            let sql = match table {
                "run" => "SELECT count(*) FROM run",
                _ => "SELECT count(*) FROM turn",
            };
            assert_eq!(database.number(sql).await, 41, "{database}: {table}");
        }
    }
}

#[tokio::test]
async fn a_start_that_is_driven_at_once_notifies_nobody() {
    for database in databases() {
        let store = open(&database).await;
        store.take_work_due();
        let (mine, anyones) = (new_run(store.id()), new_run(store.id()));
        assert_eq!(
            store.store.start(mine, DrivenBy::Caller).await.unwrap(),
            Inserted::Free,
            "{database}"
        );
        assert!(!store.take_work_due().runs, "{database}: its starter drives it");
        assert_eq!(
            store.store.start(anyones, DrivenBy::AnyClaimer).await.unwrap(),
            Inserted::Free,
            "{database}"
        );
        assert!(store.take_work_due().runs, "{database}: the driver is notified");
    }
}

#[tokio::test]
async fn a_start_with_an_owner_is_not_due_and_can_commit_its_first_step() {
    for database in databases() {
        let store = open(&database).await;
        let (node, run) = (store.id(), store.id());
        let answer = store.store.start(owned(run, node), DrivenBy::Caller).await.unwrap();
        assert_eq!(answer, Inserted::Free, "{database}");
        assert!(store.due(store.now()).await.is_empty(), "{database}");
        assert_eq!(store.must_commit(store.commit(run, 0)).await, 0, "{database}: not woken yet");
    }
}

#[tokio::test]
async fn a_start_while_the_switch_is_on_is_held_and_unowned() {
    for database in databases() {
        let store = open(&database).await;
        let (node, run) = (store.id(), store.id());
        let paused = tx!(store.write, |tx| {
            tx.ensure_tenant(TENANT).await?;
            tx.set_tenant_paused(TENANT, true).await?
        });
        assert!(paused.await.unwrap(), "{database}");
        let answer = store.store.start(owned(run, node), DrivenBy::Caller).await.unwrap();
        assert_eq!(answer, Inserted::Held, "{database}");
        assert_eq!(database.number("SELECT count(owner) FROM turn").await, 0, "{database}");
        assert!(store.due(store.now()).await.is_empty(), "{database}");
        let freed = tx!(store.write, |tx| tx.free_turns(TENANT, None, 10).await?).await.unwrap();
        assert_eq!((freed, store.due(store.now()).await), (vec![run], vec![]), "{database}");
        tx!(store.write, |tx| tx.mark_unpaused(TENANT).await?).await.unwrap();
        assert_eq!(store.due(store.now()).await, [run], "{database}");
    }
}

#[tokio::test]
async fn a_start_that_the_database_refuses_affects_no_other() {
    for database in databases() {
        let store = open(&database).await;
        let first = new_run(store.id());
        let twice = NewRun { vars: vec![("x".into(), "1".into()); 2], ..new_run(store.id()) };
        let last = new_run(store.id());
        let answers = tokio::join!(
            store.store.start(first, DrivenBy::Caller),
            store.store.start(twice, DrivenBy::Caller),
            store.store.start(last, DrivenBy::Caller),
        );
        for answer in [answers.0, answers.2] {
            assert_eq!(answer.expect("answered"), Inserted::Free, "{database}");
        }
        assert!(!matches!(answers.1, Ok(_) | Err(StoreError::UnknownCommit(_))), "{database}");
        assert_eq!(database.number("SELECT count(*) FROM run").await, 2, "{database}");
    }
}

#[tokio::test]
async fn failing_lane_b_work_that_is_alone_leaves_nothing() {
    for database in databases() {
        let store = open(&database).await;
        let run = new_run(store.id());
        let failed = tx!(store.write, [run], |tx| {
            tx.insert_runs(&[run]).await?;
            Err::<(), _>(abide_engine::base::Problem::caller("unknown_run", "no"))?
        });
        assert_eq!(failed.await.expect_err("refused").code, "unknown_run", "{database}");
        assert_eq!(database.number("SELECT count(*) FROM run").await, 0, "{database}");
        store.start().await;
        assert_eq!(database.number("SELECT count(*) FROM run").await, 1, "{database}");
    }
}
