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
        let look = look(core).await?;
        let round = work_off(core, &look).await?;
        if core.pace != Pace::InLine {
            until_idle(core).await;
        }
        did += round;
        if round == 0 {
            return Ok(Tick { did, next_due: look.next_due });
        }
    }
    Err(Problem::bug("something is due again and again").with_hint("see `abide run list`"))
}

/// One round. What has nothing to do is left out until something is done that may have changed that.
async fn work_off(core: &Arc<Core>, look: &Look) -> Result<u64, Problem> {
    let mut done = 0;
    if look.inbox {
        done += inbox::pump(core).await?;
    }
    if look.chores || done > 0 {
        done += chores::pump(core).await?;
    }
    if look.runs || done > 0 {
        done += runs::pump(core).await?;
    }
    if look.outbox || done > 0 {
        done += outbox::pump(core).await?;
    }
    Ok(done)
}

async fn until_idle(core: &Core) {
    let mut idle = core.idle.subscribe();
    let _ = idle.wait_for(|active| *active == 0).await;
}

/// Which parts have something to do, and when anything falls due after that.
struct Look {
    inbox: bool,
    chores: bool,
    runs: bool,
    outbox: bool,
    next_due: Option<Timestamp>,
}

async fn look(core: &Core) -> Result<Look, Problem> {
    let (due, domain) = core.due_with_domain().await?;
    let owed = core.unsettled.any().then_some(due.now);
    Ok(Look {
        inbox: due.inbox,
        chores: due.has_come(due.schedule) || due.has_come(domain),
        runs: due.has_come(due.run) || owed.is_some(),
        outbox: due.has_come(due.outbox()),
        next_due: [due.schedule, domain, due.outbox(), due.later_run, owed]
            .into_iter()
            .flatten()
            .min(),
    })
}
