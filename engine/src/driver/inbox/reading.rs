//! Interprets a message and determines which requests it concerns, outside any transaction that writes.

use std::sync::Arc;

use super::super::core::Core;
use crate::base::{Problem, RequestId, Value};
use crate::domain::{Asks, DomainContext};
use crate::store::{InboundRow, Tx, work};

/// The interpretation of a message.
#[derive(Clone)]
pub(super) struct Understood {
    /// What its sender was asked.
    pub(super) asks: Arc<Asks>,
    /// What the message means as an answer to that.
    pub(super) meaning: Arc<Value>,
    /// Every request that applying the message may change.
    pub(super) requests: Vec<RequestId>,
}

/// Interprets a message against the asks that are open now.
pub(super) async fn understand(
    core: &Arc<Core>,
    message: &Arc<InboundRow>,
) -> Result<Understood, Problem> {
    let (shared, message) = (Arc::clone(core), Arc::clone(message));
    let read = work(move |tx| {
        let (core, message) = (shared.clone(), message.clone());
        Box::pin(async move {
            let settings = core.settings(tx, &message.tenant).await?;
            let library = core.library();
            let cx = core.domain_context(&message.tenant, &settings, &library);
            look(&core, tx, (&cx, &message)).await
        })
    });
    core.store.read(read).await
}

async fn look(
    core: &Core,
    tx: &mut Tx,
    (cx, message): (&DomainContext<'_>, &InboundRow),
) -> Result<Understood, Problem> {
    let asks = core.domain.asks(tx, cx, message).await?;
    let meaning = core.domain.interpret(cx, message, &asks);
    let requests = core.domain.concerned(tx, cx, message, (&asks, &meaning)).await?;
    Ok(Understood { asks: Arc::new(asks), meaning: Arc::new(meaning), requests })
}
