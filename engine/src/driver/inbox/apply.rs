//! Applies one inbound message while all requests that the message concerns are locked.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;
use uuid::Uuid;

use super::super::core::{Core, TenantSettings, tenant_stream};
use super::super::start::{self, METHOD_AMBIGUOUS};
use super::reading::Interpretation;
use crate::base::{Digest, MessageId, Problem, RequestId, StreamId, TypedId as _};
use crate::domain::{
    Applied, DomainContext, HandledAs, MessageMeaning, MethodChoice, OpenAsks, TextedStart,
};
use crate::ledger::EventKind;
use crate::planted::PlantedFault;
use crate::policy::CarrierWord;
use crate::store::{About, ContactId, InboundResult, InboundRow, Tx, UnappliedMessage};
use crate::transaction;

/// The result of trying to apply an inbound message.
pub(super) enum ApplyOutcome {
    /// The message is applied, by this process or by another.
    Applied,
    /// A message that was received earlier must be applied first.
    NotNow,
    /// The sender's open asks, or the requests that the message concerns, have changed since the message
    /// was interpreted.
    Reinterpret,
    /// The tenant is in shadow mode: this is what applying the message would have done.
    Rehearsed(Box<Applied>),
}

/// Locks the requests that a message concerns, then applies the message as it was interpreted. Does not
/// apply the message if the interpretation is out of date once the requests are locked.
pub(super) async fn apply_locked(
    core: &Arc<Core>,
    message: &Arc<InboundRow>,
    understood: Arc<Interpretation>,
) -> Result<ApplyOutcome, Problem> {
    let outcome = try_to_apply(core, message, &understood, None).await?;
    match outcome {
        ApplyOutcome::Rehearsed(applied) => {
            try_to_apply(core, message, &understood, Some(*applied)).await
        }
        other => Ok(other),
    }
}

async fn try_to_apply(
    core: &Arc<Core>,
    message: &Arc<InboundRow>,
    understood: &Arc<Interpretation>,
    rehearsed: Option<Applied>,
) -> Result<ApplyOutcome, Problem> {
    let partition = first_locked(message, understood);
    let task = transaction!(
        [
            core = Arc::clone(core),
            message = Arc::clone(message),
            understood = Arc::clone(understood),
            rehearsed
        ],
        |tx| locked(&core, tx, &message, &understood, rehearsed).await
    );
    core.store.write_to_partition(partition, task).await
}

/// Returns the partition that the transaction of a message locks first, or a number that stands for the stream of the
/// message's tenant.
fn first_locked(message: &InboundRow, understood: &Interpretation) -> Uuid {
    let request = understood.asks.request.or(understood.requests.first().copied());
    match request {
        Some(request) => request.uuid(),
        None => {
            let name = Digest::of(message.tenant.as_bytes());
            Uuid::from_slice(&name.as_bytes()[..16]).unwrap_or_default()
        }
    }
}

async fn locked(
    core: &Arc<Core>,
    tx: &mut Tx,
    message: &InboundRow,
    understood: &Interpretation,
    rehearsed: Option<Applied>,
) -> Result<ApplyOutcome, Problem> {
    let tenant = &message.tenant;
    tx.correlate(message.id.into());
    let home = lock(tx, tenant, &understood.asks, &understood.requests).await?;
    let unapplied = tx.unapplied_up_to(message).await?;
    if !unapplied.iter().any(|other| other.id == message.id) {
        tx.roll_back(); // another process has applied the message
        return Ok(ApplyOutcome::Applied);
    }
    if is_overtaking(core, tx, &[message], Earlier { unapplied, requests: &understood.requests })
        .await?
    {
        return Ok(ApplyOutcome::NotNow);
    }
    let TenantSettings { settings, shadow, .. } = core.tenant_settings(tx, tenant).await?;
    let library = core.library();
    let cx = core.domain_context(tenant, &settings, &library);
    let Some(asks) = still_holds(core, tx, &cx, message, understood).await? else {
        tx.roll_back();
        return Ok(ApplyOutcome::Reinterpret);
    };
    let reading = MessageMeaning { asks: &asks, meaning: &understood.meaning };
    let applied = match rehearsed {
        Some(applied) => with_start(core, tx, &cx, message, applied).await?,
        // In shadow mode, a message changes nothing but what it starts. Opt-outs and the words that carriers
        // define are always obeyed.
        None if shadow && message.carrier_word.is_none() => {
            let applied = core.domain.apply(tx, &cx, message, reading).await?;
            tx.roll_back();
            return Ok(ApplyOutcome::Rehearsed(Box::new(applied)));
        }
        None => apply(core, tx, &cx, message, reading).await?,
    };
    record(tx, StreamId::from_uuid(home), &[message], &[applied]).await?;
    Ok(ApplyOutcome::Applied)
}

/// Locks together all requests that the message concerns. Returns the id of the ledger stream that records
/// that the message was applied: the stream of the request that the open asks belong to.
/// If there is no such request, it is the stream of the first request that the message concerns.
/// If the message concerns no request, it is the tenant's stream.
async fn lock(
    tx: &mut Tx,
    tenant: &str,
    asks: &OpenAsks,
    requests: &[RequestId],
) -> Result<Uuid, Problem> {
    let mut keys: Vec<Uuid> = requests.iter().map(|request| request.uuid()).collect();
    let home = match asks.request.or(requests.first().copied()) {
        Some(request) => request.uuid(),
        None => tenant_stream(tx, tenant).await?,
    };
    if PlantedFault::OneRequestLocked.is_active() {
        keys.clear();
    }
    keys.push(home);
    tx.lock_partitions(tenant, &keys).await?;
    Ok(home)
}

/// What decides whether messages must wait for earlier ones.
pub(super) struct Earlier<'a> {
    /// The messages that are not applied yet, up to the last of those that are to be applied.
    pub(super) unapplied: Vec<UnappliedMessage>,
    /// The requests that the messages concern.
    pub(super) requests: &'a [RequestId],
}

/// Whether a message that was received earlier must be applied before these, because it is from one of the senders,
/// or from a person whose answer one of the requests awaits.
pub(super) async fn is_overtaking(
    core: &Core,
    tx: &mut Tx,
    messages: &[&InboundRow],
    Earlier { unapplied, requests }: Earlier<'_>,
) -> Result<bool, Problem> {
    let Some(tenant) = messages.first().map(|message| &message.tenant) else { return Ok(false) };
    let own: BTreeSet<MessageId> = messages.iter().map(|message| message.id).collect();
    let others = unapplied.iter().filter(|other| !own.contains(&other.id));
    let before: BTreeSet<ContactId> = others.map(|other| other.sender).collect();
    if messages.iter().any(|message| before.contains(&message.sender)) {
        return Ok(true);
    }
    if before.is_empty() {
        return Ok(false);
    }
    let before: Vec<ContactId> = before.into_iter().collect();
    core.domain.awaits_answer(tx, tenant, &before, requests).await
}

/// Returns the sender's open asks if the interpretation is still valid. Returns `None` if the asks,
/// or the requests that the message concerns, have changed since the message was interpreted.
async fn still_holds(
    core: &Core,
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    message: &InboundRow,
    understood: &Interpretation,
) -> Result<Option<OpenAsks>, Problem> {
    let asks = core.domain.open_asks(tx, cx, &[message]).await?;
    let Some(asks) = asks.into_iter().next() else { return Ok(None) };
    if !understood.fits(&asks) {
        return Ok(None);
    }
    let reading = MessageMeaning { asks: &asks, meaning: &understood.meaning };
    let concerned = core.domain.affected_requests(tx, cx, message, reading).await?;
    Ok((concerned == understood.requests).then_some(asks))
}

async fn apply(
    core: &Arc<Core>,
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    message: &InboundRow,
    reading: MessageMeaning<'_>,
) -> Result<Applied, Problem> {
    if message.carrier_word == Some(CarrierWord::OptOut) {
        core.domain.opted_out(tx, cx, message).await?;
        return Ok(Applied { handled_as: HandledAs::OptOut, run: None, starts: Vec::new() });
    }
    if PlantedFault::ReplyDropped.is_active() {
        return Ok(Applied { handled_as: HandledAs::Reply, run: None, starts: Vec::new() });
    }
    let applied = core.domain.apply(tx, cx, message, reading).await?;
    with_start(core, tx, cx, message, applied).await
}

/// Starts the runs that a message asks for. If several methods serve what it wants, asks its sender which one. The run that
/// the message concerns is then the first that has started, or else the one that the message names.
async fn with_start(
    core: &Core,
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    message: &InboundRow,
    applied: Applied,
) -> Result<Applied, Problem> {
    let mut first = None;
    for (nth, wanted) in applied.starts.iter().enumerate() {
        match start::start_unless_running(core, tx, cx.tenant, wanted).await {
            Ok(started) => {
                first = first.or(started);
                core.domain.tell_started(tx, cx, message, TextedStart { wanted, nth }).await?;
            }
            Err(problem) if problem.code == METHOD_AMBIGUOUS => {
                let named = problem.detail.unwrap_or_default();
                let methods: Vec<&str> = named.split(',').collect();
                core.domain.ask_method(tx, cx, message, MethodChoice { wanted, methods }).await?;
            }
            Err(problem) => return Err(problem),
        }
    }
    let run = first.or(applied.run);
    Ok(Applied { run, ..applied })
}

/// Records what became of the first messages. Returns their number. Takes everything back and returns 0 if another process has
/// applied one of them.
pub(super) async fn record(
    tx: &mut Tx,
    stream: StreamId,
    messages: &[&InboundRow],
    applied: &[Applied],
) -> Result<usize, Problem> {
    let mut results = Vec::with_capacity(applied.len());
    for (message, applied) in messages.iter().zip(applied) {
        results.push(InboundResult {
            message: message.id,
            partition: Some(stream.uuid()),
            ord: Some(tx.next_ord(stream.uuid())?),
            handled_as: applied.handled_as.as_str(),
            run: applied.run,
        });
    }
    if results.is_empty() {
        return Ok(0);
    }
    if tx.mark_applied(&results).await? < results.len() {
        tx.roll_back();
        return Ok(0);
    }
    for InboundResult { message, ord, handled_as, run, .. } in &results {
        let body = json!({"message": message, "handled_as": handled_as, "ord": ord});
        tx.log(stream, EventKind::InboundApplied, About::run(*run), body)?;
    }
    Ok(results.len())
}
