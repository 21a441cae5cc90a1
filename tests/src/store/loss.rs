//! When connections to a server are lost, the work under way fails, and later work succeeds.

use super::support::{open, tx};
use crate::postgres::TestDb;

/// Ends every other connection to this database.
const HANG_UP: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()";

#[tokio::test]
async fn lost_connections_are_replaced() {
    let database = TestDb::postgres();
    let store = open(&database).await;
    let runs = store.start_all(4).await;
    for seq in 0..3 {
        database.execute(HANG_UP).await;
        for run in &runs {
            store.must_commit(store.commit(*run, seq)).await;
        }
        tx!(store.write, |tx| tx.set_meta("x", "1").await?).await.expect("written");
        tx!(store.read, |tx| tx.meta("x").await?).await.expect("read");
    }
}

#[tokio::test]
async fn a_connection_lost_inside_a_transaction_leaves_nothing() {
    let database = TestDb::postgres();
    let store = open(&database).await;
    let cut = tx!(store.write, |tx| {
        tx.set_meta("half", "1").await?;
        tx.execute("SELECT pg_terminate_backend(pg_backend_pid())", &[]).await?;
    });
    assert_eq!(cut.await.expect_err("cut").code, "database_unavailable");
    let kept = tx!(store.read, |tx| tx.meta("half").await?).await.unwrap();
    assert_eq!(kept, None);
    store.store.check().expect("the store still works");
}
