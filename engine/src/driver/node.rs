//! Does the background work of a process that shares a PostgreSQL database with other processes: renews the
//! lease of this node, frees the runs of dead nodes, listens for notifications, and polls for due work.

use std::sync::Arc;

use tokio::sync::watch;

use super::core::{Core, pause};
use super::schema::check_schema;
use crate::base::{NodeId, Problem, Span};
use crate::policy::{Skew, skew};
use crate::store::Tx;
use crate::transaction;

/// Number of heartbeats per lease: a node may miss two heartbeats in a row before its lease ends.
const BEATS_A_LEASE: i64 = 3;

/// The result of one heartbeat.
struct Beat {
    /// False if another node has declared this node dead.
    alive: bool,
    dead: Vec<NodeId>,
    /// How far this machine's clock is behind the database's clock; negative if this machine's clock is
    /// ahead.
    skew: Span,
}

/// Renews this node's lease, and frees the runs of nodes whose lease has ended.
///
/// Other nodes declare this node dead if it was suspended for longer than a lease, or could not reach the
/// database for that long. A node that is declared dead loses all its runs. If that happens to this node,
/// the process continues under a new node id.
pub(super) async fn heartbeat(core: Arc<Core>, mut shutdown: watch::Receiver<bool>) {
    let lease = core.node_lease();
    let every = Span::from_micros(lease.micros() / BEATS_A_LEASE);
    while !*shutdown.borrow() {
        match beat(&core, lease).await {
            Ok(true) => {}
            Ok(false) => {
                let lost = core.claims.status.node();
                tracing::error!(node = %lost, "this node was declared dead after its lease ended; it continues under a new id");
                core.claims.status.renew_identity(core.ids.mint(core.now()));
                continue;
            }
            Err(problem) => tracing::warn!(code = %problem.code, "heartbeat failed: {problem}"),
        }
        tokio::select! {
            biased;
            _ = shutdown.wait_for(|stop| *stop) => {}
            () = pause(&core, every) => {}
        }
    }
    core.claims.status.set_lease(false);
    let _ = leave(&core).await;
}

/// Makes one heartbeat. Returns false if another node has declared this node dead.
async fn beat(core: &Arc<Core>, lease: Span) -> Result<bool, Problem> {
    let node = core.claims.status.node();
    let task = transaction!([core = Arc::clone(core)], |tx| inside(&core, tx, node, lease).await);
    let Beat { alive, dead, skew } = core.store.write_vital(task).await?;
    for node in dead {
        tracing::warn!(%node, "the lease of a node has ended; its runs are freed");
    }
    if alive {
        stand(core, skew);
        look_for_lost(core);
    }
    check_schema(core).await?;
    core.claims.free(core.now() - lease).await?;
    Ok(alive)
}

async fn inside(core: &Core, tx: &mut Tx, node: NodeId, lease: Span) -> Result<Beat, Problem> {
    let name = node.to_string();
    let alive = tx.renew_lease(node, &name, env!("CARGO_PKG_VERSION"), lease).await?;
    let skew = if core.virtual_time { Span::default() } else { distance(tx).await? };
    let noted = alive && Skew::classify(skew) != Skew::Negligible;
    tx.note_skew(node, noted.then_some(skew)).await?;
    Ok(Beat { alive, dead: tx.declare_dead().await?, skew })
}

/// Measures how far this machine's clock is behind the database's clock. Assumes that the database
/// read its clock in the middle of the round trip.
async fn distance(tx: &mut Tx) -> Result<Span, Problem> {
    let before = tx.now();
    let theirs = tx.database_now().await?;
    let half = Span::from_micros((tx.now() - before).micros() / 2);
    Ok(theirs - (before + half))
}

/// Records that this node holds its lease, and how far this machine's clock is behind the database's clock.
/// Wakes all parts of the driver if this node may take work from now on.
fn stand(core: &Core, skew: Span) {
    let could = core.claims.status.may_take();
    core.claims.status.set_lease(true);
    core.claims.status.note_skew(skew);
    match Skew::classify(skew) {
        Skew::Negligible => {}
        Skew::Warning => tracing::warn!("this machine's clock is {}", skew::describe(skew)),
        Skew::Excessive => {
            tracing::error!(
                "this machine's clock is {}; this node takes no work",
                skew::describe(skew)
            );
        }
    }
    if !could && core.claims.status.may_take() {
        core.bells.ring_all();
    }
}

/// Makes this process look for claims that the database has committed although this process saw an error.
/// If the connection breaks while a claim is committed, the database may still complete the commit much
/// later, for example because the commit waits for a replica.
fn look_for_lost(core: &Core) {
    core.claims.doubt();
    core.bells.runs.ring();
}

/// Ends this node's lease when the process stops normally,
/// so that other nodes need not wait until the lease expires.
async fn leave(core: &Arc<Core>) -> Result<(), Problem> {
    let node = core.claims.status.node();
    let task = transaction!(|tx| Ok(tx.end_lease(node).await?));
    core.store.write(task).await
}

/// Wakes all parts of the driver when another process sends a notification that work is due.
/// If a notification is lost, the work waits for at most one poll interval.
pub(super) async fn listen(core: Arc<Core>, mut shutdown: watch::Receiver<bool>) {
    while !*shutdown.borrow() {
        let heard = tokio::select! {
            biased;
            _ = shutdown.wait_for(|stop| *stop) => return,
            heard = core.store.listen(|| core.bells.ring_all()) => heard,
        };
        if let Err(error) = heard {
            tracing::warn!("cannot listen for notifications: {error}");
        }
        pause(&core, Span::from_secs(1)).await;
    }
}

/// Polls the database for due work whose notification was lost. Each poll is one query.
pub(super) async fn poll(core: Arc<Core>, mut shutdown: watch::Receiver<bool>) {
    loop {
        tokio::select! {
            biased;
            _ = shutdown.wait_for(|stop| *stop) => return,
            () = pause(&core, core.poll_interval()) => {}
        }
        match core.due().await {
            Ok(due) => core.bells.ring_for(&due),
            Err(problem) => {
                tracing::warn!(code = %problem.code, "cannot poll for due work: {problem}");
            }
        }
    }
}
