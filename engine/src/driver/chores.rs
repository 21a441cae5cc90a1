//! What falls due by itself: schedules, and in the domain offers that expire, requests that close.

use std::sync::Arc;

use super::core::Core;
use super::schedules;
use crate::base::{Problem, Timestamp};
use crate::store::{Tx, work};

/// Does everything that is due; how many things that were.
pub(super) async fn pump(core: &Arc<Core>) -> Result<u64, Problem> {
    let mut done = schedules::pump(core).await?;
    loop {
        let due = next_of_domain(core).await?;
        if core.is_stopping() || due.is_none_or(|at| at > core.now()) {
            return Ok(done);
        }
        let shared = Arc::clone(core);
        let task = work(move |tx| {
            let core = shared.clone();
            Box::pin(async move { sweep(&core, tx).await })
        });
        match core.store.write(false, task).await? {
            0 => return Ok(done),
            did => done += did,
        }
    }
}

async fn sweep(core: &Core, tx: &mut Tx) -> Result<u64, Problem> {
    for tenant in tx.tenants().await? {
        let settings = core.settings(tx, &tenant).await?;
        let library = core.library();
        let cx = core.domain_context(&tenant, &settings, &library);
        let did = core.domain.sweep(tx, &cx).await?;
        if did > 0 {
            return Ok(did);
        }
    }
    Ok(0)
}

async fn next_of_domain(core: &Core) -> Result<Option<Timestamp>, Problem> {
    let domain = Arc::clone(&core.domain);
    let read = work(move |tx| {
        let domain = domain.clone();
        Box::pin(async move { domain.next_due(tx).await })
    });
    core.store.read(read).await
}

/// When something falls due next.
pub(super) async fn next_due(core: &Arc<Core>) -> Result<Option<Timestamp>, Problem> {
    let shared = Arc::clone(core);
    let read = work(move |tx| {
        let core = shared.clone();
        Box::pin(async move { first_due(&core, tx).await })
    });
    core.store.read(read).await
}

/// The same, inside a snapshot.
pub(super) async fn first_due(core: &Core, tx: &mut Tx) -> Result<Option<Timestamp>, Problem> {
    let schedule = tx.first_schedule().await?.and_then(|row| row.stand.next_at);
    let domain = core.domain.next_due(tx).await?;
    Ok(schedule.into_iter().chain(domain).min())
}
