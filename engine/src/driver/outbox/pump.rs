//! Sends slices of messages until no message is left that may leave now. Slices of several tenants are sent
//! concurrently.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::task::JoinSet;

use super::super::core::{Core, Pumped, failed};
use super::super::current_part::{OUTBOX, as_part};
use super::slice;
use crate::base::Problem;
use crate::store::is_fatal;
use crate::transaction;

/// Maximum number of slices that are sent at the same time, each for a different tenant.
const SLICES_MAX: usize = 8;

/// Releases and sends messages until none is left that may leave now.
pub(in crate::driver) async fn pump(core: Arc<Core>) -> Result<Pumped, Problem> {
    let core = &core;
    let mut pumped = Pumped::default();
    let mut at_work = BTreeMap::new();
    let mut slices = JoinSet::new();
    loop {
        core.bells.outbox.wake(); // if the bell rings after this line, the loop checks again
        for tenant in next_tenants(core, at_work.values().collect()).await? {
            let (shared, own) = (Arc::clone(core), tenant.clone());
            let slice = async move { slice::send(&shared, &own).await };
            at_work.insert(slices.spawn(as_part(OUTBOX, slice)).id(), tenant);
        }
        // When the bell rings, the loop starts more slices.
        // So new messages need not wait until a slow provider has answered.
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
                failed("texts cannot be released", &tenant, &problem);
                core.release_backoff.add(tenant, core.now(), &problem);
                // The transaction that released the slice may be committed although it reported an error.
                // If so, the messages of the slice are marked as being sent, but no task sends them. The
                // part `answers` must ask the provider about these messages.
                core.bells.answers.ring();
            }
        }
    }
    core.release_backoff.end(core.now());
    let next = core.due().await?.release;
    pumped.due = core.release_backoff.next(next, core.now());
    Ok(pumped)
}

/// Returns the tenants whose next slice may begin now.
async fn next_tenants(core: &Core, at_work: Vec<&String>) -> Result<Vec<String>, Problem> {
    let room = SLICES_MAX.saturating_sub(at_work.len());
    if core.is_stopping() || room == 0 {
        return Ok(Vec::new());
    }
    let now = core.now();
    let read_one = transaction!(|tx| Ok(tx.tenants_to_release(now).await?));
    let left_out = core.release_backoff.begin(now);
    let due = core.store.read_one(read_one).await?;
    let free = due.into_iter().filter(|t| !at_work.contains(&t) && !left_out.contains(t));
    Ok(core.release_rotation.next(free.collect(), room))
}
