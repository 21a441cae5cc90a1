//! Applies messages that only answer what one request asks, many in one transaction. The number of its statements does not
//! depend on the number of messages.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::core::{Core, TenantSettings};
use super::apply::{Earlier, is_overtaking, record};
use super::order::ReadMessage;
use crate::base::{MessageId, Problem, RequestId, StreamId, TypedId as _};
use crate::domain::{Applied, HandledAs, InterpretedMessage, MessageMeaning, OpenAsks};
use crate::planted::PlantedFault;
use crate::store::{InboundRow, Tx};
use crate::transaction;

/// Applies the first of these plain answers to one request, in their order. Returns how many are applied, by this process or
/// by another. The next one must be applied by itself.
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
        locked(&core, tx, &answers, request).await
    });
    core.store.write_to_partition(partition, task).await
}

async fn locked(
    core: &Arc<Core>,
    tx: &mut Tx,
    answers: &[ReadMessage],
    request: RequestId,
) -> Result<usize, Problem> {
    let Some(last) = answers.last().map(|answer| &answer.message) else { return Ok(0) };
    let tenant = last.tenant.as_str();
    tx.lock_partitions(tenant, &[request.uuid()]).await?;
    let unapplied = tx.unapplied_up_to(last).await?;
    let open: BTreeSet<MessageId> = unapplied.iter().map(|message| message.id).collect();
    let is_applied = |answer: &&ReadMessage| !open.contains(&answer.message.id);
    let by_others = answers.iter().take_while(is_applied).count();
    let messages: Vec<&InboundRow> =
        answers[by_others..].iter().map(|answer| &*answer.message).collect();
    let earlier = Earlier { unapplied, requests: &[request] };
    if messages.is_empty() || is_overtaking(core, tx, &messages, earlier).await? {
        return Ok(by_others);
    }
    let TenantSettings { settings, shadow, .. } = core.tenant_settings(tx, tenant).await?;
    if shadow {
        return Ok(by_others); // each message is rehearsed by itself
    }
    let library = core.library();
    let cx = core.domain_context(tenant, &settings, &library);
    let asks = core.domain.open_asks(tx, &cx, &messages).await?;
    let current = still_hold(&answers[by_others..], &asks);
    let applied = if PlantedFault::ReplyDropped.is_active() {
        let dropped = Applied { handled_as: HandledAs::Reply, run: None, starts: Vec::new() };
        vec![dropped; current.len()]
    } else {
        core.domain.apply_together(tx, &cx, &current).await?
    };
    let stream = StreamId::from_uuid(request.uuid());
    Ok(by_others + record(tx, stream, &messages, &applied).await?)
}

/// Returns the messages up to the first whose interpretation is out of date.
fn still_hold<'a>(answers: &'a [ReadMessage], asks: &'a [OpenAsks]) -> Vec<InterpretedMessage<'a>> {
    let current = answers.iter().zip(asks).map_while(|(answer, asks)| {
        let understood = answer.understood.as_ref()?;
        let reading = MessageMeaning { asks, meaning: &understood.meaning };
        understood.fits(asks).then_some(InterpretedMessage { inbound: &answer.message, reading })
    });
    current.collect()
}
