//! Claims due runs and starts driving them.

use std::sync::Arc;

use super::super::core::{Core, DriveMode, NO_CAPABLE_NODE, Pumped};
use super::super::current_part::{RUNS, as_part};
use super::super::step::RunInMemory;
use super::actor::drive;
use super::heads::load;
use crate::base::{Problem, RunId, limits};

/// The share of its workers that must be free before a process claims more runs: one part of this many. So a claim takes
/// many runs, which share their looks at the database and their commits.
const FREE_PART: usize = 4;

/// Claims due runs and starts driving them, until no run is due, or until this process has no room for more runs. In the
/// latter case, the part of the driver that claims runs is woken when there is room.
pub(in crate::driver) async fn pump(core: &Arc<Core>) -> Result<Pumped, Problem> {
    let mut did = 0;
    core.claims.settle().await?;
    loop {
        if core.is_stopping() || !has_room_for_claims(core) {
            return Ok(Pumped { did, due: None });
        }
        let looked_at = core.now();
        let claims =
            core.claims.claim(room(core).min(limits::CLAIM_RUNS_MAX), core.unfit()).await?;
        if claims.is_empty() {
            // A run that has fallen due since this look was not found by it, and counts as due later.
            return Ok(Pumped { did, due: core.due_at(looked_at).await?.later_run });
        }
        did += claims.len() as u64;
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

/// Drives a run in a task of its own. The end of the task makes room for another run.
pub(super) fn spawn(core: &Arc<Core>, live: RunInMemory) {
    let core = Arc::clone(core);
    tokio::spawn(as_part(RUNS, async move {
        drive(&core, live).await;
        tell_of_room(&core);
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

/// Records that this process no longer works on a run that it has not begun to drive.
pub(super) fn release(core: &Core, run: RunId) {
    core.claims.release(run);
    tell_of_room(core);
}

/// Wakes the part of the driver that claims runs, if it waits for room and there is room now.
fn tell_of_room(core: &Core) {
    if is_room_enough(core) && core.claims.take_want_of_room() {
        core.bells.runs.ring();
    }
}

/// Returns the number of workers that are free.
fn room(core: &Core) -> usize {
    core.drive_mode.workers().saturating_sub(at_work(core))
}

fn is_room_enough(core: &Core) -> bool {
    room(core) >= (core.drive_mode.workers() / FREE_PART).max(1)
}

/// Whether enough workers are free to claim runs. If not, the task that frees the last of them wakes the part of the
/// driver that claims runs.
pub(in crate::driver) fn has_room_for_claims(core: &Core) -> bool {
    core.claims.want_room();
    let has_room = is_room_enough(core);
    if has_room {
        core.claims.take_want_of_room();
    }
    has_room
}

/// Whether this process may drive one more run besides the runs that it already works on.
pub(super) fn has_room(core: &Core) -> bool {
    at_work(core) < core.drive_mode.workers() && core.claims.may_take() && !core.is_stopping()
}
