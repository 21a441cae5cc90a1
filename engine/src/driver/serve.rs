//! The outer loops of a process that lives: all parts, and on a server its life among others.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::sync::watch;

use super::core::Core;
use super::node;
use super::part::{PARTS, Terms};
use crate::store::Dialect;

/// Works until `shutdown` turns true, then finishes the commits in hand.
pub async fn serve(core: Arc<Core>, mut shutdown: watch::Receiver<bool>) {
    let mut parts = tokio::task::JoinSet::new();
    core.bells.wake_all();
    core.served.store(true, Ordering::SeqCst);
    for part in &PARTS {
        let terms = Terms { shutdown: shutdown.clone(), failed: None };
        parts.spawn(part.work(Arc::clone(&core), terms));
    }
    let (leave, leaving) = watch::channel(false);
    let mut beating = tokio::task::JoinSet::new();
    if core.store.dialect() == Dialect::Postgres {
        beating.spawn(node::heartbeat(Arc::clone(&core), leaving));
        parts.spawn(node::listen(Arc::clone(&core), shutdown.clone()));
        parts.spawn(node::poll(Arc::clone(&core), shutdown.clone()));
    }
    let _ = shutdown.wait_for(|stop| *stop).await;
    core.stopping.store(true, Ordering::SeqCst);
    core.bells.ring_all();
    while parts.join_next().await.is_some() {}
    let mut idle = core.claims.watch();
    let _ = idle.wait_for(|active| *active == 0).await;
    // Others free what a node has in hand as soon as its lease ends, and count it against the runs.
    leave.send_replace(true);
    while beating.join_next().await.is_some() {}
    core.served.store(false, Ordering::SeqCst);
}
