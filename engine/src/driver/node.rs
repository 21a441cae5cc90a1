//! This process among others on one PostgreSQL: its lease, the freeing of dead nodes' runs, the
//! notifications between processes.

use std::sync::Arc;

use tokio::sync::watch;

use super::core::Core;
use super::serve::pause;
use crate::base::{Problem, Span};
use crate::store::work;

/// Heartbeats within one lease: two may be lost before a node is taken for dead.
const BEATS_A_LEASE: i64 = 3;

/// Keeps this node's lease, and frees the runs of nodes whose lease has ended.
pub(super) async fn heartbeat(core: Arc<Core>, mut shutdown: watch::Receiver<bool>) {
    let lease = core.node_lease();
    let every = Span::from_micros(lease.micros() / BEATS_A_LEASE);
    while !*shutdown.borrow() {
        match beat(&core, lease).await {
            Ok(true) => {}
            Ok(false) => {
                tracing::error!(node = %core.node, "this node was taken for dead; it stops claiming");
                core.stopping.store(true, std::sync::atomic::Ordering::SeqCst);
                return;
            }
            Err(problem) => tracing::warn!(code = %problem.code, "no heartbeat: {problem}"),
        }
        tokio::select! {
            () = pause(every) => {}
            _ = shutdown.wait_for(|stop| *stop) => {}
        }
    }
    let _ = leave(&core).await;
}

/// One heartbeat; false if this node was declared dead.
pub(super) async fn beat(core: &Arc<Core>, lease: Span) -> Result<bool, Problem> {
    let (node, name) = (core.node, core.node.to_string());
    let task = work(move |tx| {
        let name = name.clone();
        Box::pin(async move {
            let alive = tx.renew_lease(node, (&name, env!("CARGO_PKG_VERSION")), lease).await?;
            let dead = tx.declare_dead().await?;
            Ok((alive, dead))
        })
    });
    let (alive, dead) = core.store.write(false, task).await?;
    for node in dead {
        tracing::warn!(%node, "a node's lease has ended; its runs are freed");
    }
    free(core).await?;
    Ok(alive)
}

/// Frees the runs of dead nodes, some hundred a transaction.
async fn free(core: &Arc<Core>) -> Result<(), Problem> {
    loop {
        let task = work(|tx| Box::pin(async move { Ok(tx.free_dead_runs().await?) }));
        if core.store.write(false, task).await? == 0 {
            return Ok(());
        }
        core.bells.runs.ring();
    }
}

/// Gives the lease back at a clean stop.
async fn leave(core: &Arc<Core>) -> Result<(), Problem> {
    let node = core.node;
    let task = work(move |tx| Box::pin(async move { Ok(tx.end_lease(node).await?) }));
    core.store.write(false, task).await
}

/// Rings all bells when another process says that something is due. A lost notification costs a
/// poll interval, never correctness.
pub(super) async fn listen(core: Arc<Core>, mut shutdown: watch::Receiver<bool>) {
    while !*shutdown.borrow() {
        let heard = tokio::select! {
            heard = core.store.listen(|| core.bells.ring_all()) => heard,
            _ = shutdown.wait_for(|stop| *stop) => return,
        };
        if let Err(error) = heard {
            tracing::warn!("not listening for notifications: {error}");
        }
        pause(Span::from_secs(1)).await;
    }
}

/// Asks now and then, in one query, whether anything is due that no notification told of.
pub(super) async fn poll(core: Arc<Core>, mut shutdown: watch::Receiver<bool>) {
    loop {
        tokio::select! {
            () = pause(core.poll_interval()) => {}
            _ = shutdown.wait_for(|stop| *stop) => return,
        }
        let task = work(|tx| Box::pin(async move { Ok(tx.anything_due().await?) }));
        match core.store.read(task).await {
            Ok(due) => core.bells.ring_for(due),
            Err(problem) => tracing::warn!(code = %problem.code, "cannot poll: {problem}"),
        }
    }
}
