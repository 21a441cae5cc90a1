//! What a message means, and which requests it concerns, found out outside any transaction that writes.

use std::sync::Arc;

use super::super::core::Core;
use crate::base::{Problem, RequestId, Value};
use crate::domain::{Asks, DomainContext};
use crate::store::{InboundRow, Tx, work};

/// A message as it was understood.
#[derive(Clone)]
pub(super) struct Understood {
    /// What was open for its sender.
    pub(super) asks: Arc<Asks>,
    /// What it means against that.
    pub(super) meaning: Arc<Value>,
    /// Every request that applying it may change.
    pub(super) requests: Vec<RequestId>,
}

/// What a message means against the asks that are open now.
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
