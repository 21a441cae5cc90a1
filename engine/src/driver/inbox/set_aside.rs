//! Sets aside an inbound message that cannot be applied: staff see the message,
//! and it no longer blocks other messages.

use std::sync::Arc;

use serde_json::json;

use super::super::core::{Core, tenant_stream};
use crate::base::problem::Blame;
use crate::base::{Problem, StreamId, TypedId as _};
use crate::domain::HandledAs;
use crate::ledger::EventKind;
use crate::store::{About, InboundResult, InboundRow, Tx};
use crate::transaction;

/// Sets a message aside, unless another process has handled it by now.
/// Returns true in either case: the message need not be tried again.
pub(super) async fn set_aside(
    core: &Arc<Core>,
    message: &Arc<InboundRow>,
    problem: &Problem,
) -> Result<bool, Problem> {
    let (id, code, detail) = (&message.id, &problem.code, problem.detail.as_deref().unwrap_or(""));
    match problem.blame {
        // The sender asked for something impossible. This is no failure of the system, so the log contains
        // a warning and not an error. Staff see the message.
        Blame::Caller => {
            tracing::warn!(message = %id, %code, detail, "the message is set aside: {problem}");
        }
        _ => tracing::error!(message = %id, %code, detail, "the message is set aside: {problem}"),
    }
    let task = transaction!(
        [core = Arc::clone(core), message = Arc::clone(message), why = problem.code.to_string()],
        |tx| inside(&core, tx, &message, &why).await
    );
    core.store.write_urgent(task).await.map(|()| true)
}

async fn inside(core: &Core, tx: &mut Tx, message: &InboundRow, why: &str) -> Result<(), Problem> {
    let tenant = &message.tenant;
    let stream = tenant_stream(tx, tenant).await?;
    tx.lock_partitions(tenant, &[stream]).await?;
    let settings = core.settings(tx, tenant).await?;
    let library = core.library();
    let cx = core.domain_context(tenant, &settings, &library);
    core.domain.set_aside(tx, &cx, message).await?;
    let unmatched = InboundResult::of(message.id, HandledAs::Unmatched.as_str());
    if tx.mark_applied(&[unmatched]).await? == 0 {
        tx.roll_back();
        return Ok(());
    }
    let body = json!({"message": message.id, "why": why});
    Ok(tx.log(StreamId::from_uuid(stream), EventKind::InboundSetAside, About::default(), body)?)
}
