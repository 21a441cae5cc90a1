//! Processes that share a database server notify each other of due work.

use abide_engine::store::StoreError;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::support::{Opened, open};
use crate::postgres::TestDb;

/// Number of times that the database is asked whether all processes listen.
const LOOKS_MAX: usize = 10_000;
/// Number of notifications that one process sends.
const SENT: usize = 20;

/// A process that counts the notifications which it hears.
struct Listener {
    process: Opened,
    heard: watch::Receiver<usize>,
    _listening: JoinHandle<Result<(), StoreError>>,
}

impl Listener {
    async fn begin(database: &TestDb) -> Self {
        let process = open(database).await;
        let (count, heard) = watch::channel(0);
        let store = process.store.clone();
        let listening =
            tokio::spawn(
                async move { store.listen(|| count.send_modify(|heard| *heard += 1)).await },
            );
        Self { process, heard, _listening: listening }
    }

    async fn hears_more_than(&mut self, count: usize) -> usize {
        *self.heard.wait_for(|heard| *heard > count).await.expect("it listens")
    }
}

#[tokio::test]
async fn a_process_hears_the_notifications_of_others_and_not_its_own() {
    let database = TestDb::postgres();
    let mut sender = Listener::begin(&database).await;
    let mut other = Listener::begin(&database).await;
    let listening = "SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE 'LISTEN%' AND state = 'idle'";
    let mut looks = 0;
    while database.number(listening).await < 2 {
        looks += 1;
        assert!(looks < LOOKS_MAX, "the processes do not listen");
    }
    let run = sender.process.start().await;
    let mut heard = other.hears_more_than(0).await;
    for _ in 0..SENT {
        sender.process.wake(run).await;
        heard = other.hears_more_than(heard).await;
    }
    other.process.wake(run).await;
    sender.hears_more_than(0).await;
    assert_eq!(*sender.heard.borrow(), 1, "the sender hears only the notification of the other");
}

#[tokio::test]
async fn nobody_notifies_the_only_process_of_a_file() {
    let store = open(&TestDb::sqlite()).await.store;
    store.listen(|| panic!("nobody notifies it")).await.expect("it returns at once");
}
