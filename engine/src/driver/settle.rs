//! Does all work that is due now, until nothing is due.

use std::sync::{Arc, OnceLock};

use futures_util::future::select_all;
use tokio::sync::watch;

use super::core::Core;
use super::part::{PARTS, PartMode};
use crate::base::{Problem, Timestamp};

/// The result of one call of `settle`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settled {
    /// The number of work items done.
    pub done: u64,
    /// When more work falls due.
    pub next_due: Option<Timestamp>,
}

/// Runs all parts concurrently until none of them has work to do at this instant. In a process that serves,
/// the parts run anyway, so this only waits until all of them sleep.
///
/// # Errors
/// The failure of a part, in a process that does not serve and so does not try again.
/// `internal` if work keeps falling due at the same instant.
pub async fn settle(core: &Arc<Core>) -> Result<Settled, Problem> {
    let before = core.done();
    let next_due = if core.is_served() { rested(core).await } else { alone(core).await? };
    Ok(Settled { done: core.done() - before, next_due })
}

/// Runs the parts for one caller at a time, in a process that does not serve.
async fn alone(core: &Arc<Core>) -> Result<Option<Timestamp>, Problem> {
    let _alone = core.settling.lock().await;
    core.bells.wake_all();
    let (_stays, shutdown) = watch::channel(false);
    let failed = Arc::new(OnceLock::new());
    let mode = PartMode { shutdown, failed: Some(Arc::clone(&failed)) };
    let parts = PARTS.iter().map(|part| part.work(Arc::clone(core), mode.clone()));
    // A part's future returns only if the part cannot continue.
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

/// Waits until all parts sleep and no run is in progress. Returns when the first part has work to do next,
/// or `None` if nothing falls due or the database can no longer be used.
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
