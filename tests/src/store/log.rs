//! The write-ahead log of an embedded file grows long only while a reader prevents its reset.
//! After the reader has ended, the log is short again.

use abide_engine::store::tx_closure;

use super::support::{Opened, open, tx};
use crate::postgres::TestDb;

const MEGABYTE: usize = 1 << 20;
/// Maximum length of the log, in bytes, while no reader prevents its reset. The log is checkpointed
/// at 8 MB, and truncated to 16 MB when it restarts.
const SHORT: u64 = 16 << 20;

/// Writes about `megabytes` megabytes, one megabyte in each commit.
async fn write(store: &Opened, megabytes: usize) {
    for n in 0..megabytes {
        let (key, much) = (format!("k{}", n % 4), n.to_string().repeat(MEGABYTE / 2));
        tx!(store.write, [key, much], |tx| tx.set_meta(&key, &much[..MEGABYTE / 2]).await?)
            .await
            .expect("written");
    }
}

#[tokio::test]
async fn the_log_is_long_only_while_a_reader_holds_it() {
    let database = TestDb::sqlite();
    let store = open(&database).await;
    let log = || std::fs::metadata(format!("{}-wal", database.url())).expect("the log").len();
    write(&store, 40).await;
    assert!(log() <= SHORT, "{} bytes without a reader", log());

    let (seen, mut sees) = tokio::sync::mpsc::unbounded_channel();
    let (go_on, gate) = tokio::sync::watch::channel(false);
    let reader = tokio::spawn({
        let store = store.store.clone();
        let read = tx_closure(move |tx| {
            let (seen, mut gate) = (seen.clone(), gate.clone());
            Box::pin(async move {
                seen.send(tx.meta("k0").await?).expect("the test listens");
                gate.wait_for(|open| *open).await.expect("the test is there");
                Ok(())
            })
        });
        async move { store.read(read).await }
    });
    sees.recv().await.expect("it holds a snapshot");
    write(&store, 40).await;
    assert!(log() > SHORT, "{} bytes: the reader needs the older pages", log());

    go_on.send(true).expect("it waits");
    reader.await.expect("no panic").expect("read");
    write(&store, 4).await;
    assert!(log() <= SHORT, "{} bytes after the reader has ended", log());
}
