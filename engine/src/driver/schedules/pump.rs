//! Does work with a due time, in this sequence: the work that remains after a kill switch is turned, then
//! schedules, then offers that expire and requests that close. If nothing of this is due, archives what is old.

use std::sync::Arc;

use super::super::core::{Core, Pumped};
use super::sweep::{DueTenant, due_tenants, sweep};
use super::{fire, retention, switch};
use crate::base::{Problem, Timestamp};
use crate::store::Due;

/// Does all work that is due now, except that each request is swept at most once.
pub(in crate::driver) async fn pump(core: Arc<Core>) -> Result<Pumped, Problem> {
    let (due, tenants) = (core.due().await?, due_tenants(&core).await?);
    let first = tenants.iter().map(|tenant| tenant.at).min();
    let first = core.sweep_backoff.next(first, core.now());
    let did = if core.is_stopping() { 0 } else { pass(&core, &due, first, tenants).await? };
    if did > 0 {
        return Ok(Pumped { did, due: Some(due.now) });
    }
    let archived = retention::pump(&core).await?;
    let next = due.schedule.into_iter().chain(first).chain(archived.due).min();
    Ok(Pumped { did: archived.did, due: next })
}

async fn pass(
    core: &Arc<Core>,
    due: &Due,
    first: Option<Timestamp>,
    tenants: Vec<DueTenant>,
) -> Result<u64, Problem> {
    let mut done = 0;
    let switched = if due.switch { switch::pump(core).await } else { Ok(0) };
    if due.has_come(due.schedule) {
        done += fire::pump(core).await?;
    }
    if due.has_come(first) {
        done += sweep(core, tenants).await?;
    }
    match switched {
        Ok(rows) => Ok(done + rows),
        // A failure of the work for kill switches must not delay other due work. The work for kill switches
        // is tried again in the next pass.
        Err(_) if done > 0 => Ok(done),
        Err(problem) => Err(problem),
    }
}
