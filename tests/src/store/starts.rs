//! Lane A starts: committed in groups with whatever else is waiting, each answered by itself.

use abide_engine::store::{NewRun, Store, StoreError};

use super::support::{Opened, new_run, open, owned, tx};
use crate::postgres::databases;

fn keyed(store: &Opened, key: &str) -> NewRun {
    NewRun { start_key: Some(key.to_owned()), ..new_run(store.id()) }
}

/// Starts runs side by side, so that they share batches; who was new.
async fn start_all(store: &Store, runs: Vec<NewRun>) -> Vec<bool> {
    let mut starts = tokio::task::JoinSet::new();
    for (ix, run) in runs.into_iter().enumerate() {
        let store = store.clone();
        starts.spawn(async move { (ix, store.start(run, true).await.expect("answered")) });
    }
    let mut answers = starts.join_all().await;
    answers.sort_unstable();
    answers.into_iter().map(|(_, new)| new).collect()
}

#[tokio::test]
async fn of_many_starts_with_one_key_one_is_new() {
    for database in databases() {
        let store = open(&database).await;
        let mut runs: Vec<NewRun> = (0..40).map(|_| keyed(&store, "same")).collect();
        runs.extend((0..40).map(|ix| keyed(&store, &format!("own {ix}"))));
        let new = start_all(&store.store, runs).await;
        let (same, own) = new.split_at(40);
        assert_eq!(same.iter().filter(|new| **new).count(), 1, "{database}");
        assert!(own.iter().all(|new| *new), "{database}");
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
async fn a_start_that_is_driven_at_once_rings_for_nobody() {
    for database in databases() {
        let store = open(&database).await;
        store.stirred();
        let (mine, anyones) = (new_run(store.id()), new_run(store.id()));
        assert!(store.store.start(mine, true).await.unwrap(), "{database}");
        assert!(!store.stirred().runs, "{database}: its starter works on it");
        assert!(store.store.start(anyones, false).await.unwrap(), "{database}");
        assert!(store.stirred().runs, "{database}: somebody must be told");
    }
}

#[tokio::test]
async fn a_start_with_an_owner_is_due_for_nobody_else_and_takes_its_first_step() {
    for database in databases() {
        let store = open(&database).await;
        let (node, run) = (store.id(), store.id());
        assert!(store.store.start(owned(run, node), true).await.unwrap(), "{database}");
        assert!(store.due(store.now()).await.is_empty(), "{database}");
        assert_eq!(store.must_commit(store.commit(run, 0)).await, 0, "{database}: not woken yet");
    }
}

#[tokio::test]
async fn a_start_that_the_database_refuses_takes_no_other_along() {
    for database in databases() {
        let store = open(&database).await;
        let first = new_run(store.id());
        let twice = NewRun { vars: vec![("x".into(), "1".into()); 2], ..new_run(store.id()) };
        let last = new_run(store.id());
        let answers = tokio::join!(
            store.store.start(first, true),
            store.store.start(twice, true),
            store.store.start(last, true),
        );
        assert!(matches!(answers.0, Ok(true)) && matches!(answers.2, Ok(true)), "{database}");
        assert!(!matches!(answers.1, Ok(_) | Err(StoreError::UnknownCommit(_))), "{database}");
        assert_eq!(database.number("SELECT count(*) FROM run").await, 2, "{database}");
    }
}

#[tokio::test]
async fn lane_b_work_that_stands_alone_leaves_nothing_when_it_fails() {
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
