//! Applies messages that only answer what one request asks, many in one transaction. The number of its statements does not
//! depend on the number of messages.

use std::sync::Arc;

use serde_json::json;

use super::super::core::{Core, TenantSettings};
use super::apply::is_overtaking;
use super::order::ReadMessage;
use crate::base::{Problem, StreamId, TypedId as _};
use crate::domain::{Applied, HandledAs, InterpretedMessage, MessageMeaning, OpenAsks};
use crate::ledger::EventKind;
use crate::planted::PlantedFault;
use crate::store::{About, InboundResult, InboundRow, Tx};
use crate::transaction;

/// Applies the first of these plain answers to one request, in their order. Returns how many. The caller applies the others
/// one by one.
pub(super) async fn apply_together(
    core: &Arc<Core>,
    answers: &[ReadMessage],
) -> Result<usize, Problem> {
    let understood = answers.first().and_then(|answer| answer.understood.as_ref());
    let Some(request) = understood.and_then(|understood| understood.answered()) else {
        return Ok(0);
    };
    let partition = request.uuid();
    let task = transaction!([core = Arc::clone(core), answers = answers.to_vec()], |tx| {
        let applied = locked(&core, tx, &answers, request).await?;
        if applied == 0 {
            tx.roll_back();
        }
        Ok(applied)
    });
    core.store.write_to_partition(partition, task).await
}

async fn locked(
    core: &Arc<Core>,
    tx: &mut Tx,
    answers: &[ReadMessage],
    request: crate::base::RequestId,
) -> Result<usize, Problem> {
    let messages: Vec<&InboundRow> = answers.iter().map(|answer| &*answer.message).collect();
    let Some(tenant) = messages.first().map(|message| message.tenant.as_str()) else {
        return Ok(0);
    };
    tx.lock_partitions(tenant, &[request.uuid()]).await?;
    if is_overtaking(core, tx, &messages, &[request]).await? {
        return Ok(0);
    }
    let TenantSettings { settings, shadow, .. } = core.tenant_settings(tx, tenant).await?;
    if shadow {
        return Ok(0); // each message is rehearsed by itself
    }
    let library = core.library();
    let cx = core.domain_context(tenant, &settings, &library);
    let asks = core.domain.open_asks(tx, &cx, &messages).await?;
    let current = still_hold(answers, &asks);
    let applied = if PlantedFault::ReplyDropped.is_active() {
        let dropped = Applied { handled_as: HandledAs::Reply, run: None, starts: Vec::new() };
        vec![dropped; current.len()]
    } else {
        core.domain.apply_together(tx, &cx, &current).await?
    };
    record(tx, StreamId::from_uuid(request.uuid()), &messages, &applied).await
}

/// Returns the messages up to the first whose interpretation is out of date.
fn still_hold<'a>(answers: &'a [ReadMessage], asks: &'a [OpenAsks]) -> Vec<InterpretedMessage<'a>> {
    let current = answers.iter().zip(asks).map_while(|(answer, asks)| {
        let understood = answer.understood.as_ref()?;
        let holds =
            asks.digest == understood.asks.digest && asks.request == understood.asks.request;
        let reading = MessageMeaning { asks, meaning: &understood.meaning };
        holds.then_some(InterpretedMessage { inbound: &answer.message, reading })
    });
    current.collect()
}

/// Records what became of the first messages. Returns their number, or 0 if another process has applied one of them.
async fn record(
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
    if results.is_empty() || tx.mark_applied(&results).await? < results.len() {
        return Ok(0);
    }
    for InboundResult { message, ord, handled_as, run, .. } in &results {
        let body = json!({"message": message, "handled_as": handled_as, "ord": ord});
        tx.log(stream, EventKind::InboundApplied, About::run(*run), body)?;
    }
    Ok(results.len())
}
