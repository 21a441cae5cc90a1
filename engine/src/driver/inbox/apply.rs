//! Applies one message, under the locks of all requests that it concerns.

use std::sync::Arc;

use serde_json::json;
use uuid::Uuid;

use super::super::core::{Core, tenant_stream};
use super::super::start;
use super::reading::Understood;
use crate::base::{Problem, RequestId, RunId, StreamId, TypedId as _};
use crate::domain::{Applied, Asks, DomainContext, HandledAs};
use crate::planted::Planted;
use crate::store::{InboundRow, Tx, work};

/// The result of one try to apply a message.
pub(super) enum Tried {
    /// The message is applied, by this process or by another.
    Applied,
    /// A message that was received earlier must be applied first.
    NotNow,
    /// What the sender was asked has changed since the message was interpreted.
    ReadAgain,
}

/// Applies a message as it was interpreted, if the interpretation still holds under the locks.
pub(super) async fn under_locks(
    core: &Arc<Core>,
    message: &Arc<InboundRow>,
    understood: Understood,
) -> Result<Tried, Problem> {
    let (shared, message) = (Arc::clone(core), Arc::clone(message));
    let task = work(move |tx| {
        let (core, message, understood) = (shared.clone(), message.clone(), understood.clone());
        Box::pin(async move { locked(&core, tx, (&message, &understood)).await })
    });
    core.store.write(true, task).await
}

async fn locked(
    core: &Arc<Core>,
    tx: &mut Tx,
    (message, understood): (&InboundRow, &Understood),
) -> Result<Tried, Problem> {
    let tenant = &message.tenant;
    let home = lock(tx, tenant, (&understood.asks, &understood.requests)).await?;
    if is_overtaking(core, tx, (message, &understood.requests)).await? {
        return Ok(Tried::NotNow);
    }
    let settings = core.settings(tx, tenant).await?;
    let library = core.library();
    let cx = core.domain_context(tenant, &settings, &library);
    let Some(asks) = still_holds(core, tx, (&cx, message, understood)).await? else {
        tx.roll_back();
        return Ok(Tried::ReadAgain);
    };
    let (applied, run) = apply(core, tx, (&cx, message), (&asks, understood)).await?;
    let ord = tx.next_ord(home)?;
    let handled_as = applied.handled_as.as_str();
    if !tx.inbound_applied(message.id, (Some(home), Some(ord)), handled_as, run).await? {
        tx.roll_back(); // another process has applied it
        return Ok(Tried::Applied);
    }
    let body = json!({"message": message.id, "handled_as": handled_as, "ord": ord});
    tx.log(StreamId::from_uuid(home), "inbound.applied", (run, None), body)?;
    Ok(Tried::Applied)
}

/// Locks everything that the message concerns, in one call. Returns the stream that records the
/// application: that of the request which the message is about, else of the first request that it
/// concerns, else of the tenant.
async fn lock(
    tx: &mut Tx,
    tenant: &str,
    (asks, requests): (&Asks, &[RequestId]),
) -> Result<Uuid, Problem> {
    let mut keys: Vec<Uuid> = requests.iter().map(|request| request.uuid()).collect();
    let home = match asks.request.or(requests.first().copied()) {
        Some(request) => request.uuid(),
        None => tenant_stream(tx, tenant).await?,
    };
    if Planted::OneRequestLocked.is_in() {
        keys.clear();
    }
    keys.push(home);
    tx.lock_partitions(tenant, &keys).await?;
    Ok(home)
}

/// Whether a message that was received earlier must be applied first: one from the same sender, or from a
/// person whose answer one of the same requests awaits.
async fn is_overtaking(
    core: &Core,
    tx: &mut Tx,
    (message, requests): (&InboundRow, &[RequestId]),
) -> Result<bool, Problem> {
    let before = tx.senders_before(message).await?;
    if before.contains(&message.sender) {
        return Ok(true);
    }
    if before.is_empty() {
        return Ok(false);
    }
    core.domain.awaits_answer(tx, &message.tenant, (&before, requests)).await
}

/// Returns what the sender is asked now, or `None` if that, or the requests that the message concerns,
/// have changed since the message was interpreted.
async fn still_holds(
    core: &Core,
    tx: &mut Tx,
    (cx, message, understood): (&DomainContext<'_>, &InboundRow, &Understood),
) -> Result<Option<Asks>, Problem> {
    let asks = core.domain.asks(tx, cx, message).await?;
    if asks.digest != understood.asks.digest || asks.request != understood.asks.request {
        return Ok(None);
    }
    let meaning = (&asks, &*understood.meaning);
    let concerned = core.domain.concerned(tx, cx, message, meaning).await?;
    Ok((concerned == understood.requests).then_some(asks))
}

async fn apply(
    core: &Arc<Core>,
    tx: &mut Tx,
    (cx, message): (&DomainContext<'_>, &InboundRow),
    (asks, understood): (&Asks, &Understood),
) -> Result<(Applied, Option<RunId>), Problem> {
    if message.carrier_word.as_deref() == Some("opt_out") {
        core.domain.opted_out(tx, cx, message).await?;
        return Ok((Applied { handled_as: HandledAs::OptOut, run: None, start: None }, None));
    }
    if Planted::ReplyDropped.is_in() {
        return Ok((Applied { handled_as: HandledAs::Reply, run: None, start: None }, None));
    }
    let applied = core.domain.apply(tx, cx, message, (asks, &understood.meaning)).await?;
    let run = match &applied.start {
        Some(wanted) => {
            start::refused_or_started(core, tx, &message.tenant, wanted).await?.or(applied.run)
        }
        None => applied.run,
    };
    Ok((applied, run))
}
