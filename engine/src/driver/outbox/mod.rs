//! The part of the driver that lets messages go, hands them to the gateway, and finds out what became of
//! those whose answer is missing.
//!
//! Texts leave in *slices*: a few of one tenant, each to another recipient, are looked at under today's
//! policy in one transaction, and the calls of the gateway begin within a second of it. So whoever waits
//! for that second after a STOP or the kill switch knows that nothing more begins. Slices of several
//! tenants are under way at a time; each tenant has one.

mod calls;
mod fate;
mod hold;
mod note;
mod reconcile;
mod slice;
mod verdict;

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::task::JoinSet;

use super::core::Core;
use super::part::{OUTBOX, as_part};
use super::pumped::Pumped;
use super::put_off::failed;
use crate::base::{Problem, Span};
use crate::store::{is_fatal, work};

pub(super) use reconcile::pump as reconcile;

/// After its release a message must begin to leave within this time, or it is not sent this time: so long
/// the answer to a STOP may have to wait.
pub(crate) const START_WITHIN: Span = Span::from_secs(1);
/// The gateway's time-out; nobody asks what became of the message before it has passed.
const ANSWER_WITHIN: Span = Span::from_secs(10);
/// Slices under way at a time.
const SLICES_MAX: usize = 8;

/// Lets go and sends until nothing is left that may leave now.
pub(super) async fn pump(core: Arc<Core>) -> Result<Pumped, Problem> {
    let core = &core;
    let mut pumped = Pumped::default();
    let mut at_work = BTreeMap::new();
    let mut slices = JoinSet::new();
    loop {
        core.bells.outbox.wake(); // what is told from here on calls for another look
        for tenant in next_tenants(core, at_work.values().collect()).await? {
            let (shared, own) = (Arc::clone(core), tenant.clone());
            let slice = async move { slice::send(&shared, &own).await };
            at_work.insert(slices.spawn(as_part(OUTBOX, slice)).id(), tenant);
        }
        // What is queued while the gateway takes its time need not wait for it.
        let ended = tokio::select! {
            biased;
            ended = slices.join_next_with_id() => ended,
            () = core.bells.outbox.wait() => continue,
        };
        let (id, done) = match ended {
            None => break,
            Some(Ok((id, done))) => (id, done),
            Some(Err(ended)) => (ended.id(), Err(Problem::bug(ended.to_string()))),
        };
        let tenant = at_work.remove(&id).unwrap_or_default();
        match done {
            Ok(done) => pumped.did += done,
            Err(problem) if is_fatal(&problem) => return Err(problem),
            Err(problem) => {
                failed("texts are not let go", &tenant, &problem);
                core.releases_put_off.add(tenant, core.now(), &problem);
                // Its commit may have been kept all the same, and nobody sends what it let go.
                core.bells.answers.ring();
            }
        }
    }
    core.releases_put_off.end(core.now());
    let next = core.due().await?.release;
    pumped.due = core.releases_put_off.next(next, core.now());
    Ok(pumped)
}

/// The tenants whose next slice may begin.
async fn next_tenants(core: &Core, at_work: Vec<&String>) -> Result<Vec<String>, Problem> {
    let room = SLICES_MAX.saturating_sub(at_work.len());
    if core.is_stopping() || room == 0 {
        return Ok(Vec::new());
    }
    let now = core.now();
    let glance = work(move |tx| Box::pin(async move { Ok(tx.tenants_to_release(now).await?) }));
    let left_out = core.releases_put_off.begin(now);
    let due = core.store.glance(glance).await?;
    let free = due.into_iter().filter(|t| !at_work.contains(&t) && !left_out.contains(t));
    Ok(core.release_turns.next(free.collect(), room))
}
