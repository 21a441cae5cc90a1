//! Delays messages that the policy does not allow to leave yet.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::core::Core;
use crate::base::{Problem, RequestId, Timestamp};
use crate::planted::PlantedFault;
use crate::store::Candidate;
use crate::transaction;

/// Delays each message until the instant given with it, and moves the deadlines that count from the
/// departure of the message. Messages that belong to the same request and are delayed until the same
/// instant share one transaction, which locks the request first.
pub(super) async fn hold(
    core: &Arc<Core>,
    tenant: &str,
    held: Vec<(Candidate, Timestamp)>,
) -> Result<(), Problem> {
    let mut by_request: BTreeMap<(Option<RequestId>, Timestamp), Vec<Candidate>> = BTreeMap::new();
    for (candidate, until) in held {
        by_request.entry((candidate.request, until)).or_default().push(candidate);
    }
    for ((request, until), candidates) in by_request {
        let task = transaction!(
            [
                core = Arc::clone(core),
                tenant = tenant.to_owned(),
                candidates = Arc::new(candidates)
            ],
            |tx| {
                if let Some(request) = request {
                    tx.lock_request(&tenant, request).await?;
                }
                let ids: Vec<_> = candidates.iter().map(|candidate| candidate.id).collect();
                let moved = tx.hold_queued(&ids, until).await?;
                let moved = candidates.iter().filter(|candidate| moved.contains(&candidate.id));
                let causes: Vec<_> = moved.map(|candidate| candidate.cause.clone()).collect();
                if PlantedFault::OfferExpiryNotMoved.is_active() {
                    return Ok(());
                }
                core.domain.sends_postponed(tx, &causes, until).await
            }
        );
        core.store.write(task).await?;
    }
    Ok(())
}
