//! Everything that is due now, until nothing is.

use std::sync::Arc;

use super::core::{Core, Pace};
use super::{chores, inbox, outbox, runs};
use crate::base::{Problem, Timestamp, limits};

/// What one tick came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tick {
    /// How many things were done.
    pub did: u64,
    /// When something falls due next.
    pub next_due: Option<Timestamp>,
}

/// Does everything that is due at this instant and what that makes due: replies first, then what
/// falls due by itself, then runs, then messages.
///
/// # Errors
/// `never_settles` where something is due again and again at one instant.
pub async fn tick(core: &Arc<Core>) -> Result<Tick, Problem> {
    let mut did = 0;
    for _ in 0..limits::SETTLE_ROUNDS_MAX {
        let round = inbox::pump(core).await?
            + chores::pump(core).await?
            + runs::pump(core).await?
            + outbox::pump(core).await?;
        if core.pace != Pace::InLine {
            until_idle(core).await;
        }
        did += round;
        if round == 0 {
            return Ok(Tick { did, next_due: next_due(core).await? });
        }
    }
    Err(Problem::bug("something is due again and again").with_hint("see `abide run list`"))
}

async fn until_idle(core: &Core) {
    let mut idle = core.idle.subscribe();
    let _ = idle.wait_for(|active| *active == 0).await;
}

/// When anything falls due next.
async fn next_due(core: &Core) -> Result<Option<Timestamp>, Problem> {
    let all =
        [runs::next_due(core).await?, outbox::next_due(core).await?, chores::next_due(core).await?];
    Ok(all.into_iter().flatten().min())
}
