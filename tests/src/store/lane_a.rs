//! Lane A: steps of many runs in one commit. Each step is applied completely or not at all.

use abide_engine::base::{CallId, Digest, RunId, TypedId as _};
use abide_engine::store::{Commit, Committed, Inserted, SignalKind, TurnChange, VarRow};
use serde_json::json;

use super::support::{code, commit, minutes, new_run, open, parked, tx, wait};
use crate::postgres::databases;

#[tokio::test]
async fn a_commit_writes_all_that_it_holds() {
    for database in databases() {
        let store = open(&database).await;
        let (run, request) = (store.start().await, store.id());
        let sent = json!({"by": "pat"});
        let signalled = tx!(store.write, [sent], |tx| {
            tx.signal(run, SignalKind::Named("go"), Some("k1"), &sent).await?
        });
        assert!(signalled.await.unwrap(), "{database}");
        let open_signals = tx!(store.read, |tx| tx.open_signals(run).await?.named).await.unwrap();
        assert_eq!(open_signals.len(), 1, "{database}");
        assert_eq!(open_signals[0].payload, sent, "{database}");

        let long = json!("x".repeat(5_000));
        let digest = Digest::of_value(&long);
        let var = |name: &str, value: Option<&str>, blob| VarRow {
            name: name.to_owned(),
            value: value.map(str::to_owned),
            blob,
        };
        let commit = Commit {
            vars: vec![var("goal", Some("7"), None), var("list", None, Some(digest))],
            blobs: vec![(digest, long.to_string())],
            consumed: vec![open_signals[0].id],
            armed: Some(wait(request, 2)),
            ..store.commit(run, 0)
        };
        let hash = commit.head.last_hash;
        let wake = store.must_commit(commit).await;
        assert_eq!(wake, 1, "{database}: the signal woke it");

        let names = vec!["goal".to_owned(), "list".to_owned(), "never".to_owned()];
        let vars = tx!(store.read, [names], |tx| tx.vars(run, &names).await?).await.unwrap();
        let expected = [("goal".to_owned(), json!(7)), ("list".to_owned(), long.clone())];
        assert_eq!(vars, expected, "{database}");
        let all = tx!(store.read, |tx| tx.all_vars(run).await?).await.unwrap();
        assert_eq!(all[1].1, json!({"digest": digest.to_string()}), "{database}");
        assert_eq!(tx!(store.read, |tx| tx.blob(digest).await?).await.unwrap(), long);
        let open_signals = tx!(store.read, |tx| tx.open_signals(run).await?.named).await.unwrap();
        assert_eq!(open_signals, [], "{database}");
        let head = tx!(store.read, |tx| tx.run(run).await?).await.unwrap().expect("the run");
        assert_eq!(
            (head.seq, head.status.as_str(), head.last_hash),
            (1, "running", hash),
            "{database}"
        );
        assert_eq!(head.state, json!({"at": 1}), "{database}");
        assert_eq!(database.number("SELECT count(*) FROM wait").await, 1, "{database}");

        let end = Commit {
            disarmed: Some("steps/1".to_owned()),
            turn: TurnChange::End,
            ..store.commit(run, 1)
        };
        store.must_commit(end).await;
        assert_eq!(database.number("SELECT count(*) FROM wait").await, 0, "{database}");
        assert_eq!(database.number("SELECT count(*) FROM turn").await, 0, "{database}");
        let receipts = tx!(store.read, |tx| tx.receipts(&[run]).await?).await.unwrap();
        assert_eq!(receipts.iter().map(|r| r.seq).collect::<Vec<_>>(), [1, 2], "{database}");
    }
}

/// Sends all commits concurrently, so that they are batched.
/// Returns the results in the sequence of `commits`.
async fn together(
    store: &super::support::Opened,
    commits: Vec<Commit>,
) -> Vec<Result<Committed, abide_engine::store::StoreError>> {
    let sent: Vec<_> = commits
        .into_iter()
        .map(|commit| {
            let store = store.store.clone();
            tokio::spawn(async move { store.commit(commit).await })
        })
        .collect();
    let mut answers = Vec::with_capacity(sent.len());
    for answer in sent {
        answers.push(answer.await.expect("no panic"));
    }
    answers
}

#[tokio::test]
async fn a_stale_member_leaves_nothing_and_the_others_everything() {
    for database in databases() {
        let store = open(&database).await;
        let runs = store.start_all(60).await;
        let marked = |run: RunId, seq, epoch| {
            let var = VarRow { name: "x".into(), value: Some("1".into()), blob: None };
            Commit { epoch, vars: vec![var], ..commit(run, seq, store.id()) }
        };
        let commits = runs.iter().enumerate().map(|(i, run)| match i % 3 {
            0 => marked(*run, 0, 1),
            1 => marked(*run, 1, 1), // a seq that the head has not reached
            _ => marked(*run, 0, 2), // an epoch that was never assigned
        });
        let answers = together(&store, commits.collect()).await;
        for (i, answer) in answers.into_iter().enumerate() {
            let expected = if i % 3 == 0 { Committed::Done { wake: 0 } } else { Committed::Stale };
            assert_eq!(answer.expect("an answer"), expected, "{database}: {i}");
        }
        for sql in [
            "SELECT count(*) FROM ledger",
            "SELECT count(*) FROM var WHERE name = 'x'",
            "SELECT count(*) FROM run WHERE seq = 1",
        ] {
            assert_eq!(database.number(sql).await, 20, "{database}: {sql}");
        }
    }
}

#[tokio::test]
async fn exactly_one_of_several_commits_of_a_run_wins() {
    for database in databases() {
        let store = open(&database).await;
        let run = store.start().await;
        for seq in 0..10 {
            let mut rivals: Vec<Commit> = (0..8).map(|_| store.commit(run, seq)).collect();
            if seq % 2 == 1 {
                // Without events, the commits insert no rows with the same unique key.
                // So only the guard of the head can detect that the commits conflict.
                rivals.iter_mut().for_each(|rival| rival.events.clear());
            }
            let answers = together(&store, rivals).await;
            let won = answers.iter().filter(|a| matches!(a, Ok(Committed::Done { .. }))).count();
            let lost = answers.iter().filter(|a| matches!(a, Ok(Committed::Stale))).count();
            assert_eq!((won, lost), (1, 7), "{database}: seq {seq}: {answers:?}");
        }
        assert_eq!(database.number("SELECT seq FROM run").await, 10, "{database}");
        assert_eq!(
            database.number("SELECT count(*) - count(DISTINCT seq) FROM ledger").await,
            0,
            "{database}"
        );
    }
}

#[tokio::test]
async fn two_steps_of_one_run_in_a_row_both_count() {
    for database in databases() {
        let store = open(&database).await;
        let run = store.start().await;
        let answers = together(&store, vec![store.commit(run, 0), store.commit(run, 1)]).await;
        assert!(answers.iter().all(|a| matches!(a, Ok(Committed::Done { .. }))), "{answers:?}");
        assert_eq!(database.number("SELECT seq FROM run").await, 2, "{database}");
    }
}

#[tokio::test]
async fn a_failing_member_of_a_batch_affects_no_other() {
    for database in databases() {
        let store = open(&database).await;
        let runs = store.start_all(30).await;
        let taken: CallId = store.id();
        store.must_commit(commit(runs[0], 0, taken)).await;
        let commits = runs[1..].iter().enumerate().map(|(i, run)| {
            // A call has only one receipt. Every tenth commit is for a call that already has a receipt.
            commit(*run, 0, if i % 10 == 3 { taken } else { store.id() })
        });
        let answers = together(&store, commits.collect()).await;
        for (i, answer) in answers.into_iter().enumerate() {
            if i % 10 == 3 {
                assert_eq!(code(answer), "duplicate", "{database}: {i}");
            } else {
                assert_eq!(answer.expect("no error"), Committed::Done { wake: 0 }, "{database}");
            }
        }
        let moved = database.number("SELECT count(*) FROM run WHERE seq = 1").await;
        assert_eq!(moved, 27, "{database}");
        assert_eq!(database.number("SELECT count(*) FROM ledger").await, 27, "{database}");
    }
}

#[tokio::test]
async fn a_big_batch_of_parks_and_ends_is_written() {
    for database in databases() {
        let store = open(&database).await;
        let runs = store.start_all(300).await;
        let later = store.now() + minutes(5);
        let commits = runs.iter().enumerate().map(|(i, run)| match i % 2 {
            0 => parked(store.commit(*run, 0), Some(later), 0),
            _ => Commit { turn: TurnChange::End, ..store.commit(*run, 0) },
        });
        for answer in together(&store, commits.collect()).await {
            assert!(matches!(answer, Ok(Committed::Done { .. })), "{database}: {answer:?}");
        }
        assert_eq!(store.due(store.now()).await, [], "{database}");
        assert_eq!(store.due(later).await.len(), 100, "{database}: one page");
        assert_eq!(database.number("SELECT count(*) FROM turn").await, 150, "{database}");
        let next = store.now();
        let next = tx!(store.read, |tx| tx.due(next).await?.later_run).await.unwrap();
        assert_eq!(next, Some(later), "{database}");
    }
}

#[tokio::test]
async fn starts_with_one_key_are_one_start() {
    for database in databases() {
        let store = open(&database).await;
        let keyed = |key: &str| {
            let mut run = new_run(store.id());
            run.start_key = Some(key.to_owned());
            run.vars.push(("mine".to_owned(), format!("\"{}\"", run.id.uuid())));
            run
        };
        let first = vec![keyed("a"), keyed("b")];
        let inserted = tx!(store.write, [first], |tx| tx.insert_runs(&first).await?).await.unwrap();
        assert_eq!(inserted, [Inserted::Free; 2], "{database}");
        let second = vec![keyed("b"), keyed("c")];
        let inserted =
            tx!(store.write, [second], |tx| tx.insert_runs(&second).await?).await.unwrap();
        assert_eq!(inserted, [Inserted::LeftOut, Inserted::Free], "{database}");
        for (sql, count) in [
            ("SELECT count(*) FROM run", 3),
            ("SELECT count(*) FROM turn", 3),
            ("SELECT count(*) FROM var", 6),
        ] {
            assert_eq!(database.number(sql).await, count, "{database}: {sql}");
        }
        let found = tx!(store.read, |tx| {
            let none = tx.run_by_key(TENANT_OTHER, Some("b")).await?;
            (tx.run_by_key(super::support::TENANT, Some("b")).await?, none)
        });
        assert_eq!(found.await.unwrap(), (Some(first[1].id), None), "{database}");
    }
}

/// A tenant that has no runs.
const TENANT_OTHER: &str = "hope";
