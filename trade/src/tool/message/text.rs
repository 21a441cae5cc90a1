//! Queues texts in the outbox, which applies opt-outs, quiet hours, budgets and the kill switch.

use abide_engine::base::{MessageId, Problem, Timestamp};
use abide_engine::store::{Cause, MessageState, OutboxMessage, Queued, Tx};
use abide_engine::template::Rendered;
use abide_engine::verb::{CallContext, Effects};

/// The kind of cause of all texts of the trade: a notice never becomes obsolete.
const NOTICE: &str = "notice";
/// Why a text to a phone that has opted out ends, in the words of the outbox.
const OPTED_OUT: &str = "opted_out";

/// A text to one phone.
pub(super) struct Text {
    /// The phone number in E.164.
    pub(super) to: String,
    /// The text.
    pub(super) rendered: Rendered,
    /// When to send it. It waits longer if that is in the quiet hours of the business.
    pub(super) at: Timestamp,
}

/// A text that is stored in the outbox.
pub(super) struct QueuedText {
    pub(super) id: MessageId,
    /// `queued`, or `suppressed` if the phone has opted out.
    pub(super) state: MessageState,
}

/// Queues a text, and records that. The key of the text holds the id of the call, so each call sends a text
/// only once.
pub(super) async fn queue(
    tx: &mut Tx,
    cx: &CallContext<'_>,
    text: Text,
    effects: &mut Effects,
) -> Result<QueuedText, Problem> {
    let contacts = tx.contacts(cx.tenant, &[text.to]).await?;
    let contact = *contacts.first().ok_or_else(|| Problem::bug("a phone has no contact"))?;
    let message = OutboxMessage {
        key: format!("msg:{}:{}", cx.call, text.rendered.template()),
        request: None,
        run: Some(cx.run),
        call: Some(cx.call),
        person: None,
        contact,
        rendered: text.rendered,
        cause: Cause { kind: NOTICE, id: None },
        not_before: cx.settings.quiet_hours.permitted(text.at, &cx.settings.zone()),
        not_after: None,
        unasked: false,
    };
    let queued = tx.queue(cx.tenant, vec![message]).await?.pop();
    let Some(Queued::New(id)) = queued else {
        return Err(Problem::bug("the text of this call is queued already"));
    };
    effects.messages_sent.push(id.to_string());
    let suppressed = !tx.lock_contacts(cx.tenant, &[contact]).await?.is_empty();
    let state = if suppressed {
        tx.end_queued(&[id], MessageState::Suppressed.as_str(), OPTED_OUT).await?;
        MessageState::Suppressed
    } else {
        MessageState::Queued
    };
    Ok(QueuedText { id, state })
}
