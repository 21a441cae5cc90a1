//! Everything that is due now, until nothing is.

use std::sync::{Arc, OnceLock};

use futures_util::future::select_all;
use tokio::sync::watch;

use super::core::Core;
use super::part::{PARTS, Terms};
use crate::base::{Problem, Timestamp};

/// What one settling came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tick {
    /// How many things were done.
    pub did: u64,
    /// When something falls due next.
    pub next_due: Option<Timestamp>,
}

/// Has all parts work side by side until none of them has anything to do at this instant. Where the process
/// is served they work anyway, and this only waits.
///
/// # Errors
/// What failed, where nobody stays to try it again; `internal` where something is due again and again at
/// one instant.
pub async fn settle(core: &Arc<Core>) -> Result<Tick, Problem> {
    let before = core.done();
    let next_due = if core.is_served() { rested(core).await } else { alone(core).await? };
    Ok(Tick { did: core.done() - before, next_due })
}

/// Works on its own, one caller at a time.
async fn alone(core: &Arc<Core>) -> Result<Option<Timestamp>, Problem> {
    let _alone = core.settling.lock().await;
    core.bells.wake_all();
    let (_stays, shutdown) = watch::channel(false);
    let failed = Arc::new(OnceLock::new());
    let terms = Terms { shutdown, failed: Some(Arc::clone(&failed)) };
    let parts = PARTS.iter().map(|part| part.work(Arc::clone(core), terms.clone()));
    // A part ends where it cannot go on.
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

/// Until all parts sleep and no run is in hand; when the first of them has something to do next.
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
