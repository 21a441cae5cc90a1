//! Everything that is due now, until nothing is.

use std::sync::Arc;

use super::core::{Core, Pace};
use super::{chores, inbox, outbox, runs};
use crate::base::{Problem, Timestamp, limits};
use crate::store::Due;

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
    let (mut did, mut again) = (0, Again::default());
    for _ in 0..limits::SETTLE_ROUNDS_MAX {
        let (due, domain) = core.due_with_domain().await?;
        let owed = core.unsettled.any().then_some(due.now);
        let done = work_off(core, &due, (domain, owed), &mut again).await?;
        if core.pace != Pace::InLine {
            until_idle(core).await;
        }
        did += done;
        if done == 0 {
            let release = core.releases_put_off.next(due.release, due.now);
            let next =
                [due.schedule, domain, release, due.answer, due.later_run, owed, again.inbox];
            return Ok(Tick { did, next_due: next.into_iter().flatten().min() });
        }
    }
    Err(Problem::bug("something is due again and again").with_hint("see `abide run list`"))
}

/// What could not be done now, and when it is tried again.
#[derive(Default)]
struct Again {
    inbox: Option<Timestamp>,
}

/// Has the first part work that has something to do and can do it.
async fn work_off(
    core: &Arc<Core>,
    due: &Due,
    (domain, owed): (Option<Timestamp>, Option<Timestamp>),
    again: &mut Again,
) -> Result<u64, Problem> {
    let mut done = 0;
    *again = Again::default();
    if due.inbox {
        let pumped = inbox::pump(core).await?;
        done += pumped.done;
        again.inbox = pumped.again;
    }
    if done == 0 {
        done += chores::pass(core, due, domain).await?;
    }
    if done == 0 && (due.has_come(due.run) || owed.is_some()) {
        done += runs::pump(core).await?;
    }
    if done == 0 {
        if due.has_come(due.answer) {
            done += outbox::reconcile(core).await?.done;
        }
        if due.has_come(due.release) {
            done += outbox::pump(core).await?.done;
        }
    }
    Ok(done)
}

async fn until_idle(core: &Core) {
    let mut idle = core.idle.subscribe();
    let _ = idle.wait_for(|active| *active == 0).await;
}
