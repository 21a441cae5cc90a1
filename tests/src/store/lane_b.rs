//! Lane B: work with its own SQL, which is applied completely or not at all, whatever its closure does.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use abide_engine::base::{Problem, RequestId, TypedId as _};
use abide_engine::ledger::KindName;
use abide_engine::params;
use abide_engine::store::{
    About, ColumnType, Commit, Committed, Dialect, LockRank, Rows, StoreOptions, Tally, tx_closure,
};
use futures_util::FutureExt as _;
use serde_json::json;

use super::support::{Opened, TENANT, open, open_as, options, tx};
use crate::postgres::{TestDb, databases};

/// How a transaction ends after it has set a value in `meta`.
#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    Well,
    ByProblem,
    ByBadSql,
    ByHiddenBadSql,
    ByRollBack,
    ByPanic,
}

async fn set(store: &Opened, key: String, end: End) -> Result<bool, Problem> {
    let set = tx_closure(move |tx| {
        let key = key.clone();
        Box::pin(async move {
            tx.set_meta(&key, "set").await?;
            match end {
                End::Well => {}
                End::ByProblem => return Err(Problem::caller("no", "this ends badly")),
                End::ByBadSql => drop(tx.execute("SELECT nothing FROM nowhere", &[]).await?),
                End::ByHiddenBadSql => {
                    let hidden = tx.execute("SELECT nothing FROM nowhere", &[]).await;
                    assert!(hidden.is_err());
                }
                End::ByRollBack => tx.roll_back(),
                End::ByPanic => panic!("as asked"),
            }
            Ok(true)
        })
    });
    store.store.write(set).await
}

#[tokio::test]
async fn each_member_of_a_batch_succeeds_or_fails_alone() {
    for database in databases() {
        let store = open(&database).await;
        let ends = [
            (End::Well, "ok"),
            (End::ByProblem, "no"),
            (End::Well, "ok"),
            (End::ByBadSql, "internal"),
            (End::Well, "ok"),
            (End::ByHiddenBadSql, "internal"),
            (End::Well, "ok"),
            (End::ByRollBack, "ok"),
            (End::Well, "ok"),
            (End::ByPanic, "internal"),
            (End::Well, "ok"),
        ];
        let sent: Vec<_> = ends
            .into_iter()
            .enumerate()
            .map(|(i, (end, code))| {
                let store = store.clone();
                (
                    tokio::spawn(async move { set(&store, format!("k{i}"), end).await }),
                    (i, end, code),
                )
            })
            .collect();
        for (answer, (i, end, code)) in sent {
            let answer = answer.await.expect("the caller does not panic");
            let said = answer.map_or_else(|problem| problem.code.into_owned(), |_| "ok".to_owned());
            assert_eq!(said, code, "{database}: {i} {end:?}");
            let key = format!("k{i}");
            let kept = tx!(store.read, [key], |tx| tx.meta(&key).await?).await.unwrap();
            assert_eq!(kept.is_some(), end == End::Well, "{database}: {i} {end:?}");
        }
    }
}

#[tokio::test]
async fn a_panic_does_not_kill_the_writer_and_is_reported() {
    for database in databases() {
        let store = open(&database).await;
        for _ in 0..30 {
            let problem = set(&store, "x".into(), End::ByPanic).await.expect_err("it panicked");
            assert_eq!(problem.code, "internal", "{database}");
            let detail = problem.detail.unwrap_or_default();
            assert!(detail.contains("as asked"), "{database}: {detail}");
        }
        assert!(set(&store, "x".into(), End::Well).await.unwrap(), "{database}");
        for _ in 0..30 {
            let read = tx!(store.read, |tx| {
                assert_eq!(tx.meta("x").await?, None, "as asked");
            });
            assert_eq!(read.await.expect_err("it panicked").code, "internal", "{database}");
        }
        let read = tx!(store.read, |tx| tx.meta("x").await?).await.unwrap();
        assert_eq!(read.as_deref(), Some("set"), "{database}");
    }
}

#[tokio::test]
async fn the_work_of_a_cancelled_caller_is_completed() {
    for database in databases() {
        let store = open(&database).await;
        let (begun, mut begins) = tokio::sync::mpsc::unbounded_channel();
        let (go_on, gate) = tokio::sync::watch::channel(false);
        let slow = tx_closure(move |tx| {
            let (begun, mut gate) = (begun.clone(), gate.clone());
            Box::pin(async move {
                tx.set_meta("first", "1").await?;
                begun.send(()).expect("the test listens");
                gate.wait_for(|open| *open).await.expect("the test is there");
                tx.set_meta("second", "2").await?;
                Ok(())
            })
        });
        let caller = {
            let store = store.store.clone();
            tokio::spawn(async move { store.write(slow).await })
        };
        begins.recv().await.expect("it began");
        caller.abort();
        assert!(caller.await.expect_err("aborted").is_cancelled());
        go_on.send(true).expect("it waits");
        // On an embedded file, later work starts after the first work has ended.
        // On a PostgreSQL server, later work waits for the row locks of the first work.
        let after = tx!(store.write, |tx| {
            tx.set_meta("first", "3").await?;
        });
        after.await.unwrap();
        if store.store.dialect() == Dialect::Sqlite {
            let second = tx!(store.read, |tx| tx.meta("second").await?).await.unwrap();
            assert_eq!(second.as_deref(), Some("2"), "{database}");
        }
        let first = tx!(store.read, |tx| tx.meta("first").await?).await.unwrap();
        assert_eq!(first.as_deref(), Some("3"), "{database}");
    }
}

#[tokio::test]
async fn a_cancelled_reader_leaves_no_old_snapshot_behind() {
    for database in databases() {
        let store = open(&database).await;
        for round in 0..12 {
            let (seen, mut sees) = tokio::sync::mpsc::unbounded_channel();
            let (go_on, gate) = tokio::sync::watch::channel(false);
            let reader = {
                let store = store.store.clone();
                tokio::spawn(async move {
                    let read = tx_closure(move |tx| {
                        let (seen, mut gate) = (seen.clone(), gate.clone());
                        Box::pin(async move {
                            seen.send(tx.meta("n").await?).expect("the test listens");
                            gate.wait_for(|open| *open).await.expect("the test is there");
                            seen.send(tx.meta("n").await?).expect("the test listens");
                            Ok(())
                        })
                    });
                    store.read(read).await
                })
            };
            let first = sees.recv().await.expect("it began");
            reader.abort();
            assert!(reader.await.expect_err("aborted").is_cancelled());
            let n = round.to_string();
            tx!(store.write, [n], |tx| tx.set_meta("n", &n).await?).await.unwrap();
            go_on.send(true).expect("it waits");
            let second = sees.recv().await.expect("it keeps reading");
            assert_eq!(first, second, "{database}: one snapshot");
            let n = format!("{round} and on");
            tx!(store.write, [n], |tx| tx.set_meta("n", &n).await?).await.unwrap();
            for _ in 0..6 {
                let read = tx!(store.read, |tx| tx.meta("n").await?).await.unwrap();
                assert_eq!(read.as_ref(), Some(&n), "{database}: round {round}");
            }
        }
    }
}

#[tokio::test]
async fn outside_work_is_refused_when_the_queue_is_full() {
    const ROOM: usize = 8;
    for database in databases() {
        let store =
            open_as(&database, StoreOptions { queue_max: ROOM, ..options(&database) }).await;
        let (go_on, gate) = tokio::sync::watch::channel(false);
        let (begun, mut begins) = tokio::sync::mpsc::unbounded_channel();
        let behind_the_gate = || {
            let (begun, gate) = (begun.clone(), gate.clone());
            tx_closure(move |_| {
                let (begun, mut gate) = (begun.clone(), gate.clone());
                Box::pin(async move {
                    begun.send(()).expect("the test listens");
                    gate.wait_for(|open| *open).await.expect("the test is there");
                    Ok(())
                })
            })
        };
        let mut waiting = vec![Box::pin(store.store.try_write(behind_the_gate()))];
        assert!((&mut waiting[0]).now_or_never().is_none(), "{database}");
        begins.recv().await.expect("the writer is busy");
        let refused = loop {
            let mut next = Box::pin(store.store.try_write(behind_the_gate()));
            match (&mut next).now_or_never() {
                None => waiting.push(next),
                Some(answer) => break answer.expect_err("refused"),
            }
        };
        assert_eq!(refused.code, "overloaded", "{database}");
        assert!(refused.is_transient(), "{database}");
        let all = [ROOM, ROOM + 1];
        assert!(all.contains(&waiting.len()), "{database}: {}", waiting.len());
        let mut patient = Box::pin(store.store.write(behind_the_gate()));
        assert!((&mut patient).now_or_never().is_none(), "{database}: the driver's work waits");
        go_on.send(true).expect("they wait");
        for waited in waiting {
            waited.await.expect("done");
        }
        patient.await.expect("done");
        store.store.try_write(behind_the_gate()).await.expect("there is room again");
    }
}

/// The order of the work is checked only on SQLite. On PostgreSQL, only the work of applying messages shares batches:
/// each other transaction has its own connection.
#[tokio::test]
async fn urgent_work_comes_first_in_its_batch() {
    for database in databases() {
        let store = open(&database).await;
        let (go_on, gate) = tokio::sync::watch::channel(false);
        let (begun, mut begins) = tokio::sync::mpsc::unbounded_channel();
        let done = Arc::new(Mutex::new(Vec::new()));
        let work = |name: &'static str| {
            let (begun, gate, done) = (begun.clone(), gate.clone(), done.clone());
            tx_closure(move |_| {
                let (begun, mut gate, done) = (begun.clone(), gate.clone(), done.clone());
                Box::pin(async move {
                    begun.send(()).expect("the test listens");
                    gate.wait_for(|open| *open).await.expect("the test is there");
                    done.lock().expect("no panic").push(name);
                    Ok(())
                })
            })
        };
        let mut first = Box::pin(store.store.write(work("first")));
        assert!((&mut first).now_or_never().is_none(), "{database}");
        begins.recv().await.expect("the writer is busy");
        let mut normal = Box::pin(store.store.write(work("normal")));
        let mut urgent = Box::pin(store.store.write_urgent(work("urgent")));
        assert!((&mut normal).now_or_never().is_none(), "{database}");
        assert!((&mut urgent).now_or_never().is_none(), "{database}");
        go_on.send(true).expect("they wait");
        for waited in [first.await, normal.await, urgent.await] {
            waited.expect("done");
        }
        let mut done = done.lock().expect("no panic").clone();
        let mut expected = vec!["first", "urgent", "normal"];
        if database.to_string() == "postgres" {
            done.sort_unstable();
            expected.sort_unstable();
        }
        assert_eq!(done, expected, "{database}");
    }
}

#[tokio::test]
async fn reads_cannot_write() {
    for database in databases() {
        let store = open(&database).await;
        tx!(store.read, |tx| tx.set_meta("x", "1").await?).await.expect_err("refused");
        let kept = tx!(store.read, |tx| tx.meta("x").await?).await.unwrap();
        assert_eq!(kept, None, "{database}");
    }
}

#[tokio::test]
async fn changes_of_one_request_are_serialised() {
    for database in databases() {
        let store = open(&database).await;
        let request: RequestId = store.id();
        tx!(store.write, |tx| tx.set_meta("n", "0").await?).await.unwrap();
        let inside = Arc::new(AtomicU32::new(0));
        let changes: Vec<_> = (0..12)
            .map(|_| {
                let (store, inside) = (store.clone(), inside.clone());
                tokio::spawn(async move {
                    // Each transaction reads a number, yields, and then writes the number plus 1.
                    // If two of these transactions ran concurrently, an update would be lost.
                    let change = tx!(store.write, [inside], |tx| {
                        tx.lock_request(TENANT, request).await?;
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "two at once");
                        let n: i64 = tx.meta("n").await?.expect("a count").parse().expect("n");
                        tokio::task::yield_now().await;
                        tx.set_meta("n", &(n + 1).to_string()).await?;
                        let ord = tx.next_ord(request.uuid())?;
                        tx.log(
                            request,
                            KindName::of("counted"),
                            About::default(),
                            json!({"ord": ord}),
                        )?;
                        inside.fetch_sub(1, Ordering::SeqCst);
                        (n, ord)
                    });
                    change.await.expect("counted")
                })
            })
            .collect();
        let mut seen = Vec::new();
        for change in changes {
            seen.push(change.await.expect("no panic"));
        }
        seen.sort_unstable();
        assert_eq!(seen, (0..12).map(|n| (n, n + 1)).collect::<Vec<_>>(), "{database}");
        the_chain_holds(&database, &store, request).await;
    }
}

async fn the_chain_holds(database: &TestDb, store: &Opened, request: RequestId) {
    let events = tx!(store.read, |tx| tx.stream_events(request.into(), 0, 100).await?)
        .await
        .expect("the store answers");
    let mut last = abide_engine::base::Digest::ZERO;
    for (i, event) in events.iter().enumerate() {
        assert_eq!(event.body, json!({"ord": i + 1}), "{database}");
        let mut again = event.clone();
        last = again.link(last);
        assert_eq!(again.hash, event.hash, "{database}: event {i}");
    }
    assert_eq!(events.len(), 12, "{database}");
    let heads = tx!(store.read, |tx| tx.stream_heads(&[request.into()]).await?).await;
    assert_eq!(heads.expect("the store answers")[0].last_hash, last, "{database}");
}

#[tokio::test]
async fn locks_are_taken_in_one_order_or_refused() {
    for database in databases() {
        let store = open(&database).await;
        let mut requests: Vec<RequestId> = (0..3).map(|_| store.id()).collect();
        requests.sort_unstable();
        let [low, middle, high] = requests[..] else { unreachable!("three") };
        let ascending = tx!(store.write, |tx| {
            tx.lock_request(TENANT, low).await?;
            tx.lock_request(TENANT, low).await?;
            tx.lock_partitions(TENANT, &[high.uuid(), middle.uuid(), high.uuid()]).await?;
            tx.lock_at(LockRank::Person)?;
            tx.lock_at(LockRank::Rows)?;
            tx.next_campaign(high)?
        });
        assert_eq!(ascending.await.unwrap(), 1, "{database}");
        let descending = tx!(store.write, |tx| {
            tx.lock_request(TENANT, high).await?;
            tx.lock_request(TENANT, low).await?;
        });
        assert_eq!(descending.await.expect_err("refused").code, "internal", "{database}");
        let late = tx!(store.write, |tx| {
            tx.lock_at(LockRank::Rows)?;
            tx.lock_request(TENANT, low).await?;
        });
        assert_eq!(late.await.expect_err("refused").code, "internal", "{database}");
        let again = tx!(store.write, |tx| {
            tx.lock_request(TENANT, high).await?;
            tx.next_campaign(high)?
        });
        assert_eq!(again.await.unwrap(), 2, "{database}: the lock ended with its transaction");
    }
}

#[tokio::test]
async fn both_sides_of_a_deadlock_succeed_in_the_end() {
    let database = TestDb::postgres_with_expected_deadlocks();
    let store = open(&database).await;
    let rows = tx!(store.write, |tx| {
        tx.set_meta("a", "0").await?;
        tx.set_meta("b", "0").await?;
    });
    rows.await.unwrap();
    let tries = Arc::new(AtomicU32::new(0));
    let meet = Arc::new(tokio::sync::Barrier::new(2));
    let cross = |first: &'static str, second: &'static str| {
        let (store, tries, meet) = (store.clone(), tries.clone(), meet.clone());
        tokio::spawn(async move {
            let crossing = tx!(store.write, [tries, meet], |tx| {
                let add = "UPDATE meta SET v = CAST(CAST(v AS BIGINT) + 1 AS TEXT) WHERE k = $1";
                tx.execute(add, &params![first]).await?;
                if tries.fetch_add(1, Ordering::SeqCst) < 2 {
                    meet.wait().await; // each transaction has locked its first row, and now wants the other row
                }
                tx.execute(add, &params![second]).await?;
            });
            crossing.await
        })
    };
    let (one, other) = (cross("a", "b"), cross("b", "a"));
    one.await.expect("no panic").expect("done");
    other.await.expect("no panic").expect("done");
    // The server may abort both transactions at the same time. Both are then retried, and deadlock again.
    assert!(tries.load(Ordering::SeqCst) > 2, "at least one of them was aborted");
    let sum = "SELECT CAST(SUM(CAST(v AS BIGINT)) AS BIGINT) FROM meta WHERE k IN ('a', 'b')";
    assert_eq!(database.number(sum).await, 4);
}

#[tokio::test]
async fn a_repeated_failure_is_given_up_in_the_end() {
    for database in databases() {
        let store = open(&database).await;
        let tries = Arc::new(AtomicU32::new(0));
        let stubborn = tx!(store.write, [tries], |tx| {
            tries.fetch_add(1, Ordering::SeqCst);
            tx.set_meta("x", "1").await?;
            Err::<(), _>(Problem::transient("serialization_failure", "again"))?;
        });
        let problem = stubborn.await.expect_err("given up");
        assert_eq!(problem.code, "serialization_failure", "{database}");
        let most = if store.store.dialect() == Dialect::Postgres { 3 } else { 1 };
        assert_eq!(tries.load(Ordering::SeqCst), most, "{database}");
        let kept = tx!(store.read, |tx| tx.meta("x").await?).await.unwrap();
        assert_eq!(kept, None, "{database}");
    }
}

#[tokio::test]
async fn a_step_and_its_verbs_rows_are_one_commit() {
    for database in databases() {
        let store = open(&database).await;
        let (run, request): (_, RequestId) = (store.start().await, store.id());
        let step = |commit: Commit| {
            tx!(store.write, [commit], |tx| {
                tx.lock_request(TENANT, request).await?;
                tx.tally(request, "nursery", Tally { yes: 1, ..Tally::default() }).await?;
                tx.log(request, KindName::of("place.taken"), About::run(Some(run)), json!({}))?;
                let committed = tx.commit_step(commit.clone()).await?;
                if committed == Committed::Stale {
                    tx.roll_back();
                }
                committed
            })
        };
        let done = step(store.commit(run, 0)).await.unwrap();
        assert_eq!(done, Committed::Done { wake: 0 }, "{database}");
        assert_eq!(step(store.commit(run, 0)).await.unwrap(), Committed::Stale, "{database}");
        let foreign = Commit { epoch: 7, ..store.commit(run, 1) };
        assert_eq!(step(foreign).await.unwrap(), Committed::Stale, "{database}");
        assert_eq!(database.number("SELECT yes FROM tally").await, 1, "{database}");
        assert_eq!(database.number("SELECT count(*) FROM ledger").await, 2, "{database}");
        assert_eq!(database.number("SELECT seq FROM partition_head").await, 1, "{database}");
    }
}

#[tokio::test]
async fn a_late_failure_fails_the_member_that_caused_it() {
    for database in databases() {
        let store = open(&database).await;
        // All writes are sent before the writer begins.
        // So on SQLite, the writer executes all of them in one transaction.
        let members =
            [("a", &[1][..]), ("b", &[2, 2]), ("c", &[3]), ("d", &[]), ("e", &[4, 4]), ("f", &[])];
        let writing = members.map(|(key, rows)| {
            let store = store.clone();
            async move {
                let written = tx!(store.write, |tx| {
                    tx.set_meta(key, "set").await?;
                    let mut periods = Rows::new(&[("period", ColumnType::Int)]);
                    rows.iter().for_each(|period| periods.push([(*period).into()]));
                    // On SQLite, this INSERT is sent together with the next statement of the transaction,
                    // so its error is reported late.
                    tx.bulk_unless_empty(
                        "INSERT INTO budget (tenant, period_from, used) SELECT 'grace', period, 0 FROM {rows}",
                        &periods,
                    )
                    .await?;
                });
                (key, written.await.is_err())
            }
        });
        for (key, refused) in futures_util::future::join_all(writing).await {
            assert_eq!(refused, ["b", "e"].contains(&key), "{database}: {key}");
            let kept = tx!(store.read, |tx| tx.meta(key).await?).await.unwrap();
            assert_eq!(kept.is_none(), refused, "{database}: the answer to {key} is right");
        }
        assert_eq!(database.number("SELECT count(*) FROM budget").await, 2, "{database}");
    }
}
