//! Work that applies messages to one partition shares a transaction, and each piece of it stands alone.

use abide_engine::base::{Problem, RequestId, TypedId as _};
use abide_engine::transaction;
use futures_util::FutureExt as _;

use super::support::{TENANT, open, tx};
use crate::postgres::databases;

/// Queues work of one partition behind work that waits, so that it shares a transaction. Each appends its number to a
/// text. One fails, one asks to be rolled back, and one panics.
#[tokio::test]
async fn work_of_a_partition_is_done_in_its_order_and_fails_alone() {
    for database in databases() {
        let store = open(&database).await;
        let request: RequestId = store.id();
        let (go_on, gate) = tokio::sync::watch::channel(false);
        let work = |number: u32| {
            let gate = gate.clone();
            transaction!([gate], |tx| {
                let mut gate = gate;
                if number == 0 {
                    gate.wait_for(|open| *open).await.expect("the test is there");
                }
                tx.lock_request(TENANT, request).await?;
                let before = tx.meta("order").await?.unwrap_or_default();
                tx.set_meta("order", &format!("{before}{number}")).await?;
                match number {
                    2 => Err(Problem::caller("refused", "not this one")),
                    3 => {
                        tx.roll_back();
                        Ok(number)
                    }
                    4 => panic!("by request of the test"),
                    _ => Ok(number),
                }
            })
        };
        let nothing = transaction!(|_tx| Ok(()));
        store.store.write_to_partition(request.uuid(), nothing).await.expect("the writer is there");
        let queued = (0..7).map(|number| {
            let mut done = Box::pin(store.store.write_to_partition(request.uuid(), work(number)));
            assert!((&mut done).now_or_never().is_none(), "{database}: it waits for the first");
            done
        });
        let queued: Vec<_> = queued.collect();
        go_on.send(true).expect("the first waits");
        let mut ends = Vec::new();
        for done in queued {
            ends.push(done.await.map_err(|problem| problem.code.to_string()));
        }
        let (refused, internal) = (Err("refused".to_owned()), Err("internal".to_owned()));
        assert_eq!(ends, [Ok(0), Ok(1), refused, Ok(3), internal, Ok(5), Ok(6)], "{database}");
        let order = tx!(store.read, |tx| tx.meta("order").await?).await.unwrap();
        assert_eq!(order.as_deref(), Some("0156"), "{database}");
    }
}
