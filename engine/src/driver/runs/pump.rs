//! Claims due runs and starts driving them.

use std::sync::Arc;

use super::super::core::{Core, DriveMode, NO_CAPABLE_NODE};
use super::super::current_part::{RUNS, as_part};
use super::super::step::RunInMemory;
use super::actor::drive;
use super::heads::load;
use crate::base::{Problem, Timestamp, limits};

/// Claims due runs and starts driving them, until no run is due or this process has no room
/// for another run. Returns the number of claimed runs.
pub(in crate::driver) async fn pump(core: &Arc<Core>) -> Result<u64, Problem> {
    let mut done = 0;
    core.claims.settle().await?;
    loop {
        let room = core.drive_mode.workers().saturating_sub(at_work(core));
        let free = room.min(limits::CLAIM_RUNS_MAX);
        if free == 0 || core.is_stopping() {
            return Ok(done);
        }
        let claims = core.claims.claim(free, core.unfit()).await?;
        if claims.is_empty() {
            return Ok(done);
        }
        done += claims.len() as u64;
        for (claim, loaded) in load(core, claims).await {
            match loaded {
                Ok(None) => core.claims.release(claim.run),
                Ok(Some(live)) => spawn(core, *live),
                Err(problem) if problem.code == NO_CAPABLE_NODE => {
                    core.claims.release_as_stuck(claim.fence(), &problem).await;
                }
                Err(problem) => {
                    core.claims.give_back_later(claim.fence(), &problem).await;
                }
            }
        }
    }
}

/// Drives a run in a task of its own. When the task ends, wakes the part of the driver that claims runs, if
/// this process had no room for another run while the task worked.
pub(super) fn spawn(core: &Arc<Core>, live: RunInMemory) {
    let core = Arc::clone(core);
    tokio::spawn(as_part(RUNS, async move {
        Box::pin(drive(&core, live)).await;
        if at_work(&core) + 1 >= core.drive_mode.workers() {
            core.bells.runs.ring();
        }
    }));
}

/// Returns the number of runs that occupy a worker. A process that drives one run at a time waits for outside
/// systems too, so that the same input always has the same result.
fn at_work(core: &Core) -> usize {
    match core.drive_mode {
        DriveMode::InLine => core.claims.active(),
        DriveMode::Tasks(_) => core.claims.at_work(),
    }
}

/// Whether this process may drive one more run besides the runs that it already works on.
pub(super) fn has_room(core: &Core) -> bool {
    at_work(core) < core.drive_mode.workers() && core.claims.may_take() && !core.is_stopping()
}

/// Returns the time at which the next run falls due, among the runs that are unclaimed and not due yet;
/// `None` if there is no such run.
pub(in crate::driver) async fn next_due(core: &Core) -> Result<Option<Timestamp>, Problem> {
    Ok(core.due().await?.later_run)
}
