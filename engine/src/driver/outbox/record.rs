//! Records the results of sending messages through the gateway and of looking them up there.
//! Results that arrive together are recorded with one statement. If that fails, each result is recorded
//! in a transaction of its own, so that one bad result does not affect the others.
//! If a result cannot be recorded, the provider is asked later whether it has the message.

use std::sync::Arc;

use super::super::core::Core;
use super::call_result::{CallResult, decide};
use crate::base::Problem;
use crate::domain::FailedDelivery;
use crate::store::{AttemptResult, Outgoing, TriedSend, Tx};
use crate::transaction;

/// A message, and the result of the attempt to send it.
#[derive(Clone)]
struct Tried {
    outgoing: Outgoing,
    result: AttemptResult,
}

impl Tried {
    fn record(&self) -> TriedSend {
        TriedSend { attempt: self.outgoing.attempt(), result: self.result.clone() }
    }

    /// Whether the message ends without being sent, as far as anybody knows. Its request changes too. The request must be
    /// locked before the row of any message, so such a message needs a transaction of its own.
    fn ends(&self) -> bool {
        matches!(self.result, AttemptResult::Failed { .. } | AttemptResult::Unknown { .. })
    }
}

/// Records the results of sending or looking up these messages.
pub(super) async fn record(core: &Arc<Core>, came: Vec<(Outgoing, CallResult)>) {
    let now = core.now();
    let tried = came.into_iter().map(|(outgoing, came)| {
        let result = decide(&outgoing, came, now);
        Tried { outgoing, result }
    });
    let (mut alone, others): (Vec<_>, Vec<_>) = tried.partition(Tried::ends);
    let in_doubt = |tried: &Tried| matches!(tried.result, AttemptResult::InDoubt { .. });
    let mut to_ask = others.iter().any(in_doubt);
    if together(core, &others).await.is_err() {
        alone.extend(others);
    }
    for tried in alone {
        let id = tried.outgoing.id;
        if let Err(problem) = by_itself(core, tried).await {
            let detail = problem.detail.as_deref().unwrap_or("");
            tracing::warn!(message = %id, code = %problem.code, detail, "the provider's answer is not recorded: {problem}");
            to_ask = true;
        }
    }
    if to_ask {
        core.bells.answers.ring();
    }
}

async fn together(core: &Core, tried: &[Tried]) -> Result<(), Problem> {
    if tried.is_empty() {
        return Ok(());
    }
    let tried: Vec<TriedSend> = tried.iter().map(Tried::record).collect();
    core.store.write(transaction!([tried], |tx| Ok(tx.record_attempts(&tried).await?))).await?;
    Ok(())
}

async fn by_itself(core: &Arc<Core>, tried: Tried) -> Result<(), Problem> {
    let task = transaction!([core = Arc::clone(core), tried], |tx| {
        record_one(&core, tx, &tried).await
    });
    core.store.write(task).await
}

/// Records one result. Tells the domain if the message failed, or if it stays unknown whether the provider has it.
async fn record_one(core: &Core, tx: &mut Tx, tried: &Tried) -> Result<(), Problem> {
    let Tried { outgoing, result } = tried;
    if let Some(request) = outgoing.request.filter(|_| tried.ends()) {
        tx.lock_request(&outgoing.tenant, request).await?;
    }
    if tx.record_attempts(&[tried.record()]).await?.is_empty() {
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
        error: why.clone(),
    };
    match result {
        AttemptResult::Failed { .. } => core.domain.delivery_failed(tx, &cx, &delivery).await,
        _ => core.domain.delivery_unknown(tx, &cx, &delivery).await,
    }
}
