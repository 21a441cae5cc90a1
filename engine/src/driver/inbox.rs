//! The part of the driver that applies stored inbound messages, in one order a tenant.

use std::sync::Arc;

use super::core::Core;
use super::start;
use crate::base::{Problem, TypedId as _, Value};
use crate::domain::{Applied, Asks, HandledAs};
use crate::store::{InboundRow, Tx, is_infrastructure, work};

/// How often a message is understood anew because what it answers changed meanwhile.
const READINGS_MAX: u32 = 3;

/// Applies everything that is stored; how many messages that were.
pub(super) async fn pump(core: &Arc<Core>) -> Result<u64, Problem> {
    let mut done = 0;
    while let Some(inbound) = next(core).await? {
        if core.is_stopping() {
            break;
        }
        apply(core, inbound).await?;
        core.applied.send_modify(|count| *count += 1);
        done += 1;
    }
    Ok(done)
}

async fn next(core: &Core) -> Result<Option<InboundRow>, Problem> {
    let read = work(|tx| Box::pin(async move { Ok(tx.next_inbound().await?) }));
    core.store.glance(read).await
}

/// What one try of applying came to.
enum Tried {
    Applied,
    /// Another process applied it, or a message received earlier goes first.
    NotNow,
    /// What it answers has changed since it was understood.
    ReadAgain,
}

async fn apply(core: &Arc<Core>, inbound: InboundRow) -> Result<(), Problem> {
    let inbound = Arc::new(inbound);
    for _ in 0..READINGS_MAX {
        let tried = match understand(core, &inbound).await {
            Ok(understood) => under_lock(core, &inbound, understood).await,
            Err(problem) => Err(problem),
        };
        match tried {
            Ok(Tried::Applied | Tried::NotNow) => return Ok(()),
            Ok(Tried::ReadAgain) => {}
            Err(problem) if problem.is_transient() || is_infrastructure(&problem) => {
                return Err(problem);
            }
            Err(problem) => {
                tracing::error!(message = %inbound.id, code = %problem.code, "{problem}");
                return set_aside(core, &inbound, &problem.code).await;
            }
        }
    }
    set_aside(core, &inbound, "asks_kept_changing").await
}

/// What a message means against the asks that are open now. No transaction is held meanwhile.
async fn understand(
    core: &Arc<Core>,
    inbound: &Arc<InboundRow>,
) -> Result<(Arc<Asks>, Arc<Value>), Problem> {
    let (shared, message) = (Arc::clone(core), Arc::clone(inbound));
    let read = work(move |tx| {
        let (core, inbound) = (shared.clone(), message.clone());
        Box::pin(async move {
            let settings = core.settings(tx, &inbound.tenant).await?;
            let library = core.library();
            let cx = core.domain_context(&inbound.tenant, &settings, &library);
            let asks = core.domain.asks(tx, &cx, &inbound).await?;
            let meaning = core.domain.interpret(&cx, &inbound, &asks);
            Ok((Arc::new(asks), Arc::new(meaning)))
        })
    });
    core.store.read(read).await
}

async fn under_lock(
    core: &Arc<Core>,
    inbound: &Arc<InboundRow>,
    (asks, meaning): (Arc<Asks>, Arc<Value>),
) -> Result<Tried, Problem> {
    let (shared, message) = (Arc::clone(core), Arc::clone(inbound));
    let task = work(move |tx| {
        let (core, inbound) = (shared.clone(), message.clone());
        let (asks, meaning) = (asks.clone(), meaning.clone());
        Box::pin(async move { locked(&core, tx, &inbound, (&asks, &meaning)).await })
    });
    core.store.write(true, task).await
}

async fn locked(
    core: &Arc<Core>,
    tx: &mut Tx,
    inbound: &InboundRow,
    (asks, meaning): (&Asks, &Value),
) -> Result<Tried, Problem> {
    let tenant = &inbound.tenant;
    let stream = tenant_stream(tx, tenant).await?;
    let mut keys = vec![stream];
    keys.extend(asks.request.map(|request| request.uuid()));
    tx.lock_partitions(tenant, &keys).await?;
    if tx.first_unapplied(tenant).await? != Some(inbound.id) {
        return Ok(Tried::NotNow);
    }
    let settings = core.settings(tx, tenant).await?;
    let library = core.library();
    let cx = core.domain_context(tenant, &settings, &library);
    let present = core.domain.asks(tx, &cx, inbound).await?;
    if present.digest != asks.digest || present.request != asks.request {
        tx.roll_back();
        return Ok(Tried::ReadAgain);
    }
    let applied = if inbound.carrier_word.as_deref() == Some("opt_out") {
        core.domain.opted_out(tx, &cx, inbound).await?;
        Applied { handled_as: HandledAs::OptOut, run: None, start: None }
    } else {
        core.domain.apply(tx, &cx, inbound, (&present, meaning)).await?
    };
    let run = match &applied.start {
        Some(wanted) => start::refused_or_started(core, tx, tenant, wanted).await?.or(applied.run),
        None => applied.run,
    };
    let partition = keys.last().copied();
    let ord = match partition {
        Some(key) => Some(tx.next_ord(key)?),
        None => None,
    };
    let handled_as = applied.handled_as.as_str();
    tx.inbound_applied(inbound.id, (partition, ord), handled_as, run).await?;
    let body = serde_json::json!({"message": inbound.id, "handled_as": handled_as, "ord": ord});
    tx.log(
        crate::base::StreamId::from_uuid(partition.unwrap_or(stream)),
        "inbound.applied",
        (run, None),
        body,
    )?;
    Ok(Tried::Applied)
}

/// The tenant's own stream: its lock puts the applying of all processes in one order.
pub(crate) async fn tenant_stream(tx: &mut Tx, tenant: &str) -> Result<uuid::Uuid, Problem> {
    let row = tx.tenant(tenant).await?;
    row.map(|row| row.stream.uuid())
        .ok_or_else(|| Problem::caller("unknown_tenant", format!("there is no tenant `{tenant}`")))
}

/// A message that nobody can apply becomes a row that staff sees, and blocks no other.
async fn set_aside(core: &Core, inbound: &InboundRow, why: &str) -> Result<(), Problem> {
    let (id, tenant, why) = (inbound.id, inbound.tenant.clone(), why.to_owned());
    let task = work(move |tx| {
        let (tenant, why) = (tenant.clone(), why.clone());
        Box::pin(async move {
            let stream = tenant_stream(tx, &tenant).await?;
            tx.lock_partitions(&tenant, &[stream]).await?;
            tx.inbound_applied(id, (None, None), HandledAs::Unmatched.as_str(), None).await?;
            let body = serde_json::json!({"message": id, "why": why});
            let stream = crate::base::StreamId::from_uuid(stream);
            Ok(tx.log(stream, "inbound.set_aside", (None, None), body)?)
        })
    });
    core.store.write(true, task).await
}
