//! Interprets an inbound message and determines which requests the message concerns. Both happen before the
//! transaction that applies the message.

use std::sync::Arc;

use super::super::core::Core;
use crate::base::{Problem, RequestId, Value};
use crate::domain::{DomainContext, MessageMeaning, OpenAsks};
use crate::store::{InboundRow, Tx};
use crate::transaction;

/// The meaning of an inbound message, and what that meaning is based on.
#[derive(Clone)]
pub(super) struct Interpretation {
    /// The asks that the sender had not answered when the message was interpreted.
    pub(super) asks: Arc<OpenAsks>,
    /// The meaning of the message as an answer to these asks.
    pub(super) meaning: Arc<Value>,
    /// Every request that applying the message may change.
    pub(super) requests: Vec<RequestId>,
}

/// Interprets a message against the asks that are open now.
pub(super) async fn understand(
    core: &Arc<Core>,
    message: &Arc<InboundRow>,
) -> Result<Interpretation, Problem> {
    let read = transaction!([core = Arc::clone(core), message = Arc::clone(message)], |tx| {
        let settings = core.settings(tx, &message.tenant).await?;
        let library = core.library();
        let cx = core.domain_context(&message.tenant, &settings, &library);
        interpret(&core, tx, &cx, &message).await
    });
    core.store.read(read).await
}

async fn interpret(
    core: &Core,
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    message: &InboundRow,
) -> Result<Interpretation, Problem> {
    let asks = core.domain.open_asks(tx, cx, message).await?;
    let meaning = core.domain.interpret(cx, message, &asks);
    let reading = MessageMeaning { asks: &asks, meaning: &meaning };
    let requests = core.domain.affected_requests(tx, cx, message, reading).await?;
    Ok(Interpretation { asks: Arc::new(asks), meaning: Arc::new(meaning), requests })
}
