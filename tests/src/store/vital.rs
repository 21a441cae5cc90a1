//! The heartbeat keeps a process alive. It gets a connection whatever else waits for one.

use std::sync::Arc;

use abide_engine::store::{Dialect, tx_closure};

use super::support::{Opened, law};
use crate::postgres::TestDb;

law!(vital_work_waits_for_no_other_work, async |database: &TestDb, store: Opened| {
    let wait = Arc::new(tokio::sync::Semaphore::new(0));
    let held = if store.store.dialect() == Dialect::Postgres { 40 } else { 0 };
    let others: Vec<_> = (0..held)
        .map(|_| {
            let (store, wait) = (store.clone(), Arc::clone(&wait));
            tokio::spawn(async move {
                let work = tx_closure(move |tx| {
                    let wait = Arc::clone(&wait);
                    Box::pin(async move {
                        tx.meta("any").await?;
                        drop(wait.acquire().await);
                        Ok(())
                    })
                });
                store.store.write(work).await
            })
        })
        .collect();
    tokio::task::yield_now().await;
    let beat = tx_closure(|tx| Box::pin(async move { Ok(tx.set_meta("beat", "1").await?) }));
    let beat = store.store.write_vital(beat).await;
    beat.unwrap_or_else(|problem| panic!("{database}: {problem}"));
    wait.add_permits(held);
    for other in others {
        other.await.expect("no panic").unwrap_or_else(|e| panic!("{database}: {e}"));
    }
});
