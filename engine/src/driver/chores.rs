//! What falls due by itself: schedules, and in the domain offers that expire, requests that close.

use std::sync::Arc;

use super::core::Core;
use super::schedules;
use crate::base::{Problem, Timestamp};
use crate::store::{Due, Tx, work};

/// Does what is due by this look, the domain's part of it once; how many things that were.
pub(super) async fn pass(
    core: &Arc<Core>,
    due: &Due,
    domain: Option<Timestamp>,
) -> Result<u64, Problem> {
    let mut done = 0;
    if core.is_stopping() {
        return Ok(done);
    }
    if due.has_come(due.schedule) {
        done += schedules::pump(core).await?;
    }
    if due.has_come(domain) {
        done += sweep_once(core).await?;
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
