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
use crate::offer::OfferCause;
use crate::operations::OperationContext;
use crate::operations::unreachable::OpenToPeople;

/// What is done with a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreadChange {
    /// Staff take the thread over. Until it is handed back, what the number writes changes nothing, gets no automatic
    /// answer and is put in the inbox; only opting out and in, and asking for help with the carriers' keyword, work as
    /// usual. Open invitations and questions to the number are withdrawn, and it gets no new ones, because no campaign
    /// waits for an answer that it cannot get.
    TakeOver,
    /// Staff hand the thread back: what the number writes from then on is read and answered as usual.
    HandBack,
}

/// Takes over the thread with the number that a message of the inbox concerns, or hands it back. A thread that is in
/// that state already stays so, without an event.
///
/// # Errors
/// `inbox_unknown` if the message is not in the inbox; `no_recipient` if its number was erased.
pub fn change_thread<'a>(
    tx: &'a mut Tx,
    cx: &'a DomainContext<'a>,
    id: MessageId,
    change: ThreadChange,
    author: &'a Author,
) -> BoxFuture<'a, Result<InboxView, Problem>> {
    Box::pin(async move {
        let contact = contact(&find(tx, cx.tenant, id).await?)?;
        let people = data::person::by_contacts(tx, cx.tenant, &[contact]).await?;
        let people = people.iter().map(|person| person.id).collect();
        let open = OpenToPeople::load(tx, people).await?;
        let stream = tenant_ledger::lock_with(tx, cx.tenant, open.keys()).await?;
        let (changed, kind) = match change {
            ThreadChange::TakeOver => {
                let context = OperationContext::of_domain(cx);
                open.withdraw(tx, &context, OfferCause::TakenOver).await?;
                let takeover = Takeover { by: author.name.clone(), at: cx.now };
                let taken = data::thread::take_over(tx, cx.tenant, contact, &takeover).await?;
                (taken, ChurchEventKind::ThreadTakenOver)
            }
            ThreadChange::HandBack => {
                let given = data::thread::hand_back(tx, cx.tenant, contact).await?;
                (given, ChurchEventKind::ThreadHandedBack)
            }
        };
        if changed {
            tenant_ledger::log(tx, stream, kind, json!({"message": id, "by": author.id}))?;
        }
        get(tx, cx.tenant, id).await
    })
}
