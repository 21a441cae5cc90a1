//! What falls due by itself: schedules, and in the domain offers that expire, requests that close.

use std::sync::Arc;

use super::core::Core;
use super::schedules;
use crate::base::{Problem, Timestamp};
use crate::store::{Tx, work};

/// Does everything that is due; how many things that were.
pub(super) async fn pump(core: &Arc<Core>) -> Result<u64, Problem> {
    let mut done = 0;
    while !core.is_stopping() {
        let (due, domain) = core.due_with_domain().await?;
        let mut did = 0;
        if due.has_come(due.schedule) {
            did += schedules::pump(core).await?;
        }
        if due.has_come(domain) {
            did += sweep_once(core).await?;
        }
        if did == 0 {
            break;
        }
        done += did;
    }
    Ok(done)
}

async fn sweep_once(core: &Arc<Core>) -> Result<u64, Problem> {
    let shared = Arc::clone(core);
    let task = work(move |tx| {
        let core = shared.clone();
        Box::pin(async move { sweep(&core, tx).await })
    });
    core.store.write(false, task).await
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

/// When something falls due next.
pub(super) async fn next_due(core: &Arc<Core>) -> Result<Option<Timestamp>, Problem> {
    let (due, domain) = core.due_with_domain().await?;
    Ok(due.schedule.into_iter().chain(domain).min())
}
