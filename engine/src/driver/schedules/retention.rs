//! Archives what is old, once a day for each tenant, a small chunk at a time, and only while nothing else is due.
//!
//! Only servers archive by themselves. A process that ends soon, a simulation and a rehearsal never do.

use std::collections::VecDeque;
use std::sync::Arc;

use super::super::archive::{ArchiveStep, step};
use super::super::core::{ArchivePass, Core, Pumped, archive_cutoffs, failed};
use crate::base::{Problem, Span, Timestamp, limits};
use crate::store::is_fatal;
use crate::transaction;

/// Time between two passes over the rows of a tenant.
const INTERVAL: Span = Span::from_secs(86_400);
/// Time for which archiving waits when other work is due.
const GIVE_WAY: Span = Span::from_secs(1);

/// Does one step of archiving if it is time and nothing else is due. Returns when the next step falls due.
pub(super) async fn pump(core: &Arc<Core>) -> Result<Pumped, Problem> {
    if !core.is_served() || core.is_stopping() || core.archives.get().is_none() {
        return Ok(Pumped::default());
    }
    let mut retention = core.retention.lock().await;
    let now = core.now();
    if retention.passes.is_empty() {
        if let Some(at) = retention.next_at.filter(|at| *at > now) {
            return Ok(Pumped { did: 0, due: Some(at) });
        }
        retention.passes = todays_passes(core, now).await?;
        retention.next_at = Some(now + INTERVAL);
    }
    if is_busy(core, now) {
        return Ok(Pumped { did: 0, due: Some(now + GIVE_WAY) });
    }
    let Some(pass) = retention.passes.front_mut() else {
        return Ok(Pumped { did: 0, due: retention.next_at });
    };
    let did = match step(core, pass).await {
        Ok(ArchiveStep::Moved(_)) => 1,
        Ok(ArchiveStep::Looked) => 0,
        Ok(ArchiveStep::Done) => {
            retention.passes.pop_front();
            0
        }
        Err(problem) if !is_fatal(&problem) => {
            failed("a tenant cannot be archived", &pass.tenant, &problem);
            retention.passes.pop_front();
            0
        }
        Err(problem) => return Err(problem),
    };
    Ok(Pumped { did, due: Some(now) })
}

/// Whether this process works on runs, or another part of the driver has work.
fn is_busy(core: &Core, now: Timestamp) -> bool {
    let parts = [&core.bells.runs, &core.bells.inbox, &core.bells.outbox];
    core.claims.active() > 0 || parts.iter().any(|bell| bell.asleep(now).is_none())
}

async fn todays_passes(core: &Arc<Core>, now: Timestamp) -> Result<VecDeque<ArchivePass>, Problem> {
    let read = transaction!([core = Arc::clone(core)], |tx| {
        let mut passes = VecDeque::new();
        for tenant in tx.tenants().await? {
            let settings = core.settings(tx, &tenant).await?;
            let mut pass = ArchivePass::new(&tenant, archive_cutoffs(&settings, now));
            pass.rows_max = limits::ARCHIVE_ROWS_BESIDE_WORK;
            passes.push_back(pass);
        }
        Ok(passes)
    });
    core.store.read(read).await
}
