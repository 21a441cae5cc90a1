//! Runs all parts of the driver until the process stops. On PostgreSQL, also renews the node's lease,
//! listens for notifications, and polls for due work.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::sync::watch;

use super::core::Core;
use super::node;
use super::part::{PARTS, PartMode};
use crate::store::Dialect;

/// Runs the driver until `shutdown` becomes true, then finishes the commits in progress and returns.
pub async fn serve(core: Arc<Core>, mut shutdown: watch::Receiver<bool>) {
    let mut parts = tokio::task::JoinSet::new();
    core.bells.wake_all();
    core.served.store(true, Ordering::SeqCst);
    for part in &PARTS {
        let mode = PartMode { shutdown: shutdown.clone(), failed: None };
        parts.spawn(part.work(Arc::clone(&core), mode));
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
    // The lease is kept until no run is in progress. As soon as the lease ends, other nodes free this
    // node's runs and count each run as claimed without a commit, which leads to quarantine.
    leave.send_replace(true);
    while beating.join_next().await.is_some() {}
    core.served.store(false, Ordering::SeqCst);
}
