//! Answers a message of the inbox with a text that a member of staff wrote.

use abide_engine::base::{MessageId, Problem, Timestamp, TypedId};
use abide_engine::domain::DomainContext;
use abide_engine::store::{Cause, ContactId, OutboxMessage, Queued, Tx};
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::{InboxView, contact, find, get};
use crate::api::kb::Author;
use crate::api::tenant_ledger;
use crate::data;
use crate::data::inbox::InboxRow;
use crate::event::ChurchEventKind;
use crate::operations::messages::cause;

/// Name of the template that shows a text as its writer wrote it.
const TEXT: &str = "text";

/// An answer to a message of the inbox.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewAnswer {
    /// The text to send, as it stands.
    pub text: String,
}

/// Sends a text to the person or number that a message of the inbox concerns, and closes the message.
/// An answer to an inbound message is sent at any hour, another one outside quiet hours.
///
/// # Errors
/// `inbox_unknown` if the message is not in the inbox; `no_recipient` if its number was erased; `opted_out`
/// if the number has opted out; `already_answered` if the message was answered before; `invalid_answer` if
/// the text is blank; `message_too_long` if it is longer than carriers accept.
pub fn answer<'a>(
    tx: &'a mut Tx,
    cx: &'a DomainContext<'a>,
    id: MessageId,
    new: &'a NewAnswer,
    author: &'a Author,
) -> BoxFuture<'a, Result<InboxView, Problem>> {
    Box::pin(async move {
        let stream = tenant_ledger::lock(tx, cx.tenant).await?;
        let row = find(tx, cx.tenant, id).await?;
        let contact = contact(&row)?;
        if new.text.trim().is_empty() {
            return Err(Problem::caller("invalid_answer", "`text` is empty")
                .with_hint("write what the person should read"));
        }
        if !tx.lock_contacts(cx.tenant, &[contact]).await?.is_empty() {
            return Err(Problem::caller("opted_out", "this number has opted out of texts")
                .with_hint("phone the person: no text may be sent to the number"));
        }
        let message = message(cx, &row, contact, &new.text)?;
        let Some(Queued::New(sent)) = tx.queue(cx.tenant, vec![message]).await?.pop() else {
            return Err(Problem::caller("already_answered", format!("`{id}` was answered before"))
                .with_hint("answer the newest message of the person"));
        };
        data::inbox::close(tx, cx.tenant, id).await?;
        let body = json!({"message": id, "answer": sent, "by": author.id});
        tenant_ledger::log(tx, stream, ChurchEventKind::InboxAnswered, body)?;
        get(tx, cx.tenant, id).await
    })
}

/// Builds the outbox row of an answer. Its key contains the message of the inbox, which is answered once.
fn message(
    cx: &DomainContext<'_>,
    row: &InboxRow,
    contact: ContactId,
    text: &str,
) -> Result<OutboxMessage, Problem> {
    let lines: Vec<&str> = text.trim().lines().collect();
    Ok(OutboxMessage {
        key: format!("msg:{}:staff:{TEXT}", row.message),
        request: row.request,
        run: None,
        call: None,
        person: row.person.as_ref().map(|person| person.id),
        contact,
        rendered: cx.templates.render(TEXT, &json!({ "lines": lines }))?,
        cause: cause(row),
        not_before: permitted(cx, row),
        not_after: None,
        unasked: false,
    })
}

fn cause(row: &InboxRow) -> Cause {
    let kind = if row.outbound { cause::NOTICE } else { cause::INBOUND };
    Cause { kind, id: Some(row.message.uuid()) }
}

/// Returns the first instant at which the answer may be sent.
fn permitted(cx: &DomainContext<'_>, row: &InboxRow) -> Timestamp {
    if row.outbound {
        cx.settings.quiet_hours.permitted(cx.now, &cx.settings.zone())
    } else {
        cx.now
    }
}
