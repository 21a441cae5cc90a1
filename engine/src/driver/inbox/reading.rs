//! Interprets an inbound message and determines which requests the message concerns. Both happen before the
//! transaction that applies the message.

use std::sync::Arc;

use super::super::core::Core;
use super::frames::DoubtedMessage;
use super::proposal::{Proposed, proposed};
use crate::base::{Problem, RequestId, Value};
use crate::domain::{DomainContext, MessageMeaning, OpenAsks};
use crate::model::ModelRequest;
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
    /// What a language model is to be asked about the message, if this process has one; `None` if the reading is
    /// sure, or if the model has answered.
    pub(super) doubt: Option<Arc<ModelRequest>>,
    /// Whether the message only answers an ask of one request.
    pub(super) is_plain: bool,
}

impl Interpretation {
    /// Whether the message means the same while these asks are open.
    pub(super) fn fits(&self, asks: &OpenAsks) -> bool {
        asks.digest == self.asks.digest && asks.request == self.asks.request
    }

    /// Returns the request whose ask the message answers, if it does nothing else.
    pub(super) fn answered(&self) -> Option<RequestId> {
        match &self.requests[..] {
            [request] if self.is_plain && self.asks.request == Some(*request) => Some(*request),
            _ => None,
        }
    }
}

/// Interprets a message against the asks that are open now.
pub(super) async fn understand(
    core: &Arc<Core>,
    message: &Arc<InboundRow>,
) -> Result<Interpretation, Problem> {
    let understood = understand_all(core, std::slice::from_ref(message)).await?;
    let only = understood.into_iter().next();
    only.ok_or_else(|| Problem::bug("a message was read and not interpreted"))
}

/// Interprets messages of one tenant against the asks that are open now. Reads what is open for all senders together.
pub(super) async fn understand_all(
    core: &Arc<Core>,
    messages: &[Arc<InboundRow>],
) -> Result<Vec<Interpretation>, Problem> {
    let Some(first) = messages.first() else { return Ok(Vec::new()) };
    let tenant = first.tenant.clone();
    let read =
        transaction!([core = Arc::clone(core), messages = messages.to_vec(), tenant], |tx| {
            let settings = core.settings(tx, &tenant).await?;
            let library = core.library();
            let cx = core.domain_context(&tenant, &settings, &library);
            interpret(&core, tx, &cx, &messages).await
        });
    core.store.read(read).await
}

async fn interpret(
    core: &Core,
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    messages: &[Arc<InboundRow>],
) -> Result<Vec<Interpretation>, Problem> {
    let rows: Vec<&InboundRow> = messages.iter().map(|message| &**message).collect();
    let asks = core.domain.open_asks(tx, cx, &rows).await?;
    let mut understood = Vec::with_capacity(rows.len());
    for (message, asks) in rows.into_iter().zip(asks) {
        let meaning = core.domain.interpret(cx, message, &asks);
        let reading = MessageMeaning { asks: &asks, meaning: &meaning };
        let requests = core.domain.affected_requests(tx, cx, message, reading).await?;
        let asks_model = core.model.is_some() && message.carrier_word.is_none();
        let doubt = asks_model.then(|| core.domain.model_request(cx, message, reading)).flatten();
        let is_plain = doubt.is_none() && core.domain.is_plain_answer(message, reading);
        understood.push(Interpretation {
            asks: Arc::new(asks),
            meaning: Arc::new(meaning),
            requests,
            doubt: doubt.map(Arc::new),
            is_plain,
        });
    }
    Ok(understood)
}

/// Lets a language model propose what a message means, if its reading is in doubt. Returns `None` if the message
/// must wait for the model.
pub(super) async fn settle_doubt(
    core: &Arc<Core>,
    message: &Arc<InboundRow>,
    understood: Arc<Interpretation>,
    holds_up: bool,
) -> Result<Option<Arc<Interpretation>>, Problem> {
    let Some(request) = &understood.doubt else { return Ok(Some(understood)) };
    let doubted = DoubtedMessage {
        message: Arc::clone(message),
        asks: Arc::clone(&understood.asks),
        meaning: Arc::clone(&understood.meaning),
        request: Arc::clone(request),
    };
    let proposal = match proposed(core, doubted, holds_up).await {
        Proposed::Waits => return Ok(None),
        Proposed::Nothing => return Ok(Some(understood)),
        Proposed::Given(proposal) => proposal,
    };
    let read = transaction!(
        [core = Arc::clone(core), message = Arc::clone(message), understood, proposal],
        |tx| {
            let settings = core.settings(tx, &message.tenant).await?;
            let library = core.library();
            let cx = core.domain_context(&message.tenant, &settings, &library);
            let own = MessageMeaning { asks: &understood.asks, meaning: &understood.meaning };
            let meaning = core.domain.with_proposal(&cx, &message, own, &proposal);
            let reading = MessageMeaning { asks: &understood.asks, meaning: &meaning };
            let requests = core.domain.affected_requests(tx, &cx, &message, reading).await?;
            let asks = Arc::clone(&understood.asks);
            Ok(Arc::new(Interpretation {
                asks,
                meaning: Arc::new(meaning),
                requests,
                doubt: None,
                is_plain: false,
            }))
        }
    );
    core.store.read(read).await.map(Some)
}
