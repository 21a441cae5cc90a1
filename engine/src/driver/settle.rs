//! Does all due work, and the work that falls due because of that work, until no work is due.

use std::sync::{Arc, OnceLock};

use futures_util::future::select_all;
use tokio::sync::watch;

use super::core::Core;
use super::part::{PARTS, PartMode};
use crate::base::{Problem, Timestamp};

/// What [`settle`] did, and the time of the next due work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settled {
    /// The number of work items done.
    pub done: u64,
    /// The time at which more work falls due; `None` if none is planned.
    pub next_due: Option<Timestamp>,
}

/// Runs all parts of the driver concurrently until no work is due at this instant.
/// In a server, the parts run anyway, so this function only waits until all of them sleep.
///
/// # Errors
/// The first failure of any part of the driver; `internal` if work keeps falling due at the same instant.
/// A server returns no error, because its parts try again.
pub async fn settle(core: &Arc<Core>) -> Result<Settled, Problem> {
    let before = core.done();
    let next_due = if core.is_served() { rested(core).await } else { alone(core).await? };
    Ok(Settled { done: core.done() - before, next_due })
}

/// Runs the parts of the driver until no work is due, in a process that is not a server. If several
/// callers settle at the same time, they take turns. Returns the time at which the next work falls due;
/// `None` if no work is planned.
async fn alone(core: &Arc<Core>) -> Result<Option<Timestamp>, Problem> {
    let _alone = core.settling.lock().await;
    core.bells.wake_all();
    let (_stays, shutdown) = watch::channel(false);
    let failed = Arc::new(OnceLock::new());
    let mode = PartMode { shutdown, failed: Some(Arc::clone(&failed)) };
    let parts = PARTS.iter().map(|part| part.work(Arc::clone(core), mode.clone()));
    // The future of a part of the driver completes only if that part cannot continue.
    let next_due = tokio::select! {
        biased;
        _ = select_all(parts.map(Box::pin)) => None,
        next_due = rested(core) => next_due,
    };
    if let Some(problem) = failed.get() {
        return Err(problem.clone());
    }
    core.store.check()?;
    Ok(next_due)
}

/// Waits until all parts of the driver sleep and no run is in progress. Returns the time at which the next
/// work falls due, or `None` if no work is planned or the database can no longer be used.
async fn rested(core: &Core) -> Option<Timestamp> {
    let mut moved = core.claims.watch();
    loop {
        match core.bells.asleep(core.now()) {
            Some(next_due) if core.claims.active() == 0 => return next_due,
            _ if core.store.check().is_err() => return None,
            _ => {}
        }
        if moved.changed().await.is_err() {
            return None;
        }
    }
}
