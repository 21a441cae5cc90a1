//! Records the results of sending messages through the gateway and of looking them up there.
//! Results that arrive together are recorded in one transaction. If that transaction fails,
//! each result is recorded in a transaction of its own, so that one bad result does not affect the others.
//! If a result cannot be recorded, the provider is asked later whether it has the message.

use std::sync::Arc;

use super::super::core::Core;
use super::next_state::{CallResult, NextState, decide};
use crate::base::Problem;
use crate::domain::FailedDelivery;
use crate::store::{AttemptResult, Outgoing, Tx};
use crate::transaction;

/// Records the results of sending or looking up these messages.
pub(super) async fn record(core: &Arc<Core>, came: Vec<(Outgoing, CallResult)>) {
    let now = core.now();
    // When a message fails or ends as unknown, its request changes too. The request must be locked before
    // the row of any message, so each such message needs a transaction of its own.
    let ends = |(outgoing, came): &(Outgoing, CallResult)| {
        matches!(decide(outgoing, came, now), NextState::Failed(_) | NextState::Unknown(_))
    };
    let in_doubt = |(outgoing, came): &(Outgoing, CallResult)| {
        matches!(decide(outgoing, came, now), NextState::InDoubt(_))
    };
    let mut to_ask = came.iter().any(in_doubt);
    let (ended, mut others): (Vec<_>, Vec<_>) = came.into_iter().partition(ends);
    // Every node locks the rows of messages in the sequence of their ids, so that two nodes that record
    // results of the same messages do not deadlock.
    others.sort_by_key(|(outgoing, _)| outgoing.id);
    let others = Arc::new(others);
    let mut alone = ended;
    if !others.is_empty() && together(core, &others).await.is_err() {
        alone.extend(others.iter().cloned());
    }
    for one in alone {
        let id = one.0.id;
        if let Err(problem) = together(core, &Arc::new(vec![one])).await {
            let detail = problem.detail.as_deref().unwrap_or("");
            tracing::warn!(message = %id, code = %problem.code, detail, "the provider's answer is not recorded: {problem}");
            to_ask = true;
        }
    }
    if to_ask {
        core.bells.answers.ring();
    }
}

async fn together(
    core: &Arc<Core>,
    came: &Arc<Vec<(Outgoing, CallResult)>>,
) -> Result<(), Problem> {
    let task = transaction!([core = Arc::clone(core), came = Arc::clone(came)], |tx| {
        for (outgoing, came) in came.iter() {
            inside(&core, tx, outgoing, came).await?;
        }
        Ok(())
    });
    core.store.write(task).await
}

async fn inside(
    core: &Core,
    tx: &mut Tx,
    outgoing: &Outgoing,
    came: &CallResult,
) -> Result<(), Problem> {
    let this = outgoing.attempt();
    match decide(outgoing, came, tx.now()) {
        NextState::Sent(reference) => {
            tx.record_attempt(this, AttemptResult::Sent { provider_ref: &reference }).await?;
        }
        NextState::InDoubt(reason) => {
            tx.record_attempt(this, AttemptResult::InDoubt { why: &reason }).await?;
        }
        NextState::AskAgain(at) => tx.postpone_lookup(this, at).await?,
        NextState::Again(at, why) => tx.requeue(this, at, &why).await?,
        NextState::Failed(why) => {
            end(core, tx, outgoing, AttemptResult::Failed { why: &why }).await?
        }
        NextState::Unknown(why) => {
            end(core, tx, outgoing, AttemptResult::Unknown { why: &why }).await?
        }
    }
    Ok(())
}

/// Ends a message that failed, or a message for which it stays unknown whether the provider has it.
/// Ending the message also changes its request, so the request is locked first.
async fn end(
    core: &Core,
    tx: &mut Tx,
    outgoing: &Outgoing,
    result: AttemptResult<'_>,
) -> Result<(), Problem> {
    if let Some(request) = outgoing.request {
        tx.lock_request(&outgoing.tenant, request).await?;
    }
    if !tx.record_attempt(outgoing.attempt(), result).await? {
        return Ok(());
    }
    let (AttemptResult::Failed { why } | AttemptResult::Unknown { why }) = result else {
        return Ok(());
    };
    let settings = core.settings(tx, &outgoing.tenant).await?;
    let library = core.library();
    let cx = core.domain_context(&outgoing.tenant, &settings, &library);
    let delivery = FailedDelivery {
        message: outgoing.id,
        kind: outgoing.kind.clone(),
        person: outgoing.person,
        request: outgoing.request,
        error: why.to_owned(),
    };
    match result {
        AttemptResult::Failed { .. } => core.domain.delivery_failed(tx, &cx, &delivery).await,
        _ => core.domain.delivery_unknown(tx, &cx, &delivery).await,
    }
}
