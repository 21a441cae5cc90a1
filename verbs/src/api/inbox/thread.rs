//! Takes the thread of a message over, and hands it back. A thread is the conversation with one phone number.

use abide_engine::base::{MessageId, Problem};
use abide_engine::domain::DomainContext;
use abide_engine::store::Tx;
use futures_util::future::BoxFuture;
use serde_json::json;

use super::{InboxView, contact, find, get};
use crate::api::kb::Author;
use crate::api::tenant_ledger;
use crate::data;
use crate::data::thread::Takeover;
use crate::event::ChurchEventKind;

/// Takes over the thread with the number that a message of the inbox concerns. Until the thread is handed
/// back, what the number writes changes nothing, gets no automatic answer and is put in the inbox; only
/// opting out and in, and asking for help with the carriers' keyword, work as usual.
/// Taking over a thread that is taken over already changes nothing.
///
/// # Errors
/// `inbox_unknown` if the message is not in the inbox; `no_recipient` if its number was erased.
pub fn take_over<'a>(
    tx: &'a mut Tx,
    cx: &'a DomainContext<'a>,
    id: MessageId,
    author: &'a Author,
) -> BoxFuture<'a, Result<InboxView, Problem>> {
    Box::pin(async move {
        let stream = tenant_ledger::lock(tx, cx.tenant).await?;
        let contact = contact(&find(tx, cx.tenant, id).await?)?;
        let takeover = Takeover { by: author.name.clone(), at: cx.now };
        if data::thread::take_over(tx, cx.tenant, contact, &takeover).await? {
            let body = json!({"message": id, "by": author.id});
            tenant_ledger::log(tx, stream, ChurchEventKind::ThreadTakenOver, body)?;
        }
        get(tx, cx.tenant, id).await
    })
}

/// Hands back the thread with the number that a message of the inbox concerns: what the number writes from
/// then on is read and answered as usual. Handing back a thread that is not taken over changes nothing.
///
/// # Errors
/// `inbox_unknown` if the message is not in the inbox; `no_recipient` if its number was erased.
pub fn hand_back<'a>(
    tx: &'a mut Tx,
    cx: &'a DomainContext<'a>,
    id: MessageId,
    author: &'a Author,
) -> BoxFuture<'a, Result<InboxView, Problem>> {
    Box::pin(async move {
        let stream = tenant_ledger::lock(tx, cx.tenant).await?;
        let contact = contact(&find(tx, cx.tenant, id).await?)?;
        if data::thread::hand_back(tx, cx.tenant, contact).await? {
            let body = json!({"message": id, "by": author.id});
            tenant_ledger::log(tx, stream, ChurchEventKind::ThreadHandedBack, body)?;
        }
        get(tx, cx.tenant, id).await
    })
}
