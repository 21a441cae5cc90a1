//! The inbox of staff: lists its messages, answers, assigns and closes them, and takes over their threads.

mod answer;
mod assign;
mod thread;

pub use answer::{NewAnswer, answer};
pub use assign::{NewAssignee, assign};
pub use thread::{ThreadChange, change_thread};

use abide_engine::base::{MessageId, PersonId, Problem, RequestId, RunId};
use abide_engine::boxed;
use abide_engine::store::{ContactId, Tx};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use super::{Page, PageRequest, tenant_ledger};
use crate::data;
use crate::data::inbox::{InboxFilter, InboxRow, NamedPerson};
use crate::data::thread::Takeover;
use crate::event::ChurchEventKind;
use crate::inbox::{InboxState, Reason};

/// A query of the inbox of staff.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InboxQuery {
    /// State of the messages to return: `open`, `closed` or `all`; `None` means `open`.
    pub state: Option<String>,
    /// Which page of the result is to be returned.
    pub page: PageRequest,
}

/// A person whom a message concerns, or who deals with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Concerned {
    /// The person's id.
    pub id: PersonId,
    /// The person's name.
    pub name: String,
}

impl From<NamedPerson> for Concerned {
    fn from(NamedPerson { id, name }: NamedPerson) -> Self {
        Self { id, name }
    }
}

/// Who has taken over the thread of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct TakenOver {
    /// The label of the token that took over, or the role of a client whose token has none.
    pub by: String,
    /// When the thread was taken over.
    #[schema(format = DateTime)]
    pub at: String,
}

impl From<Takeover> for TakenOver {
    fn from(Takeover { by, at }: Takeover) -> Self {
        Self { by, at: at.to_string() }
    }
}

/// A message in the inbox, as the API shows it. Erased bodies and numbers are left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct InboxView {
    /// The id of the message.
    pub id: MessageId,
    /// State of the inbox entry: `open` or `closed`.
    pub state: InboxState,
    /// Why the message is in the inbox, as a code; see [`Reason`].
    #[schema(value_type = Reason)]
    pub reason: Reason,
    /// The reason as a sentence.
    pub why: &'static str,
    /// The person whom the message concerns; absent if the number is not in the directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<Concerned>,
    /// The member of staff who deals with the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assigned_to: Option<Concerned>,
    /// Who has taken over the thread with the number: it gets no automatic answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken_over: Option<TakenOver>,
    /// The sender's phone number; absent for an outbound message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The recipient's phone number; only for an outbound message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The body of the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What happened, if the entry is about no message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// When the message was received; for an outbound message, when its delivery was found to be unknown.
    #[schema(format = DateTime)]
    pub received_at: String,
    /// The run that the message concerns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// The request that the message concerns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<RequestId>,
}

impl From<InboxRow> for InboxView {
    fn from(row: InboxRow) -> Self {
        let (from, to) = if row.outbound { (None, row.phone) } else { (row.phone, None) };
        Self {
            id: row.message,
            state: row.state,
            reason: row.reason,
            why: row.reason.description(),
            person: row.person.map(Concerned::from),
            assigned_to: row.assigned_to.map(Concerned::from),
            taken_over: row.taken_over.map(TakenOver::from),
            from,
            to,
            text: row.text,
            note: row.note,
            received_at: row.received_at.to_string(),
            run_id: row.run,
            request_id: row.request,
        }
    }
}

/// Returns a page of messages in the inbox, newest first.
///
/// # Errors
/// `invalid_status` for an unknown state; `invalid_cursor` if the cursor is malformed.
#[boxed]
pub async fn list(
    tx: &mut Tx,
    tenant: &str,
    query: &InboxQuery,
) -> Result<Page<InboxView>, Problem> {
    let limit = query.page.limit();
    let filter = InboxFilter {
        state: state(query.state.as_deref())?,
        before: query.page.after()?,
        limit: i64::try_from(limit + 1).unwrap_or(i64::MAX),
    };
    let mut found = data::inbox::list(tx, tenant, filter).await?;
    let more = found.len() > limit;
    found.truncate(limit);
    let next_cursor = found.last().filter(|_| more).map(|last| last.message.to_string());
    Ok(Page { items: found.into_iter().map(InboxView::from).collect(), next_cursor })
}

/// Returns one message of the inbox.
///
/// # Errors
/// `inbox_unknown` if the message is not in the inbox.
#[boxed]
pub async fn get(tx: &mut Tx, tenant: &str, id: MessageId) -> Result<InboxView, Problem> {
    find(tx, tenant, id).await.map(InboxView::from)
}

/// Returns the row of a message of the inbox.
async fn find(tx: &mut Tx, tenant: &str, id: MessageId) -> Result<InboxRow, Problem> {
    data::inbox::find(tx, tenant, id).await?.ok_or_else(|| {
        Problem::caller("inbox_unknown", format!("`{id}` is not in the inbox"))
            .with_hint("list the inbox with `abide inbox list --state all`")
    })
}

/// Returns the contact of the number that a message concerns, unless the number was erased.
fn contact(row: &InboxRow) -> Result<ContactId, Problem> {
    row.contact.filter(|_| row.phone.is_some()).ok_or_else(|| {
        let message = match row.note {
            Some(_) => format!("`{}` is about no phone number", row.message),
            None => format!("the number of `{}` was erased", row.message),
        };
        Problem::caller("no_recipient", message).with_hint("close the message")
    })
}

/// Closes a message of the inbox. Closing it again changes nothing.
///
/// # Errors
/// `inbox_unknown` if the message is not in the inbox.
#[boxed]
pub async fn close(tx: &mut Tx, tenant: &str, id: MessageId) -> Result<InboxView, Problem> {
    let stream = tenant_ledger::lock(tx, tenant).await?;
    if data::inbox::close(tx, tenant, id).await? {
        tenant_ledger::log(tx, stream, ChurchEventKind::InboxClosed, json!({"message": id}))?;
    }
    get(tx, tenant, id).await
}

fn state(asked: Option<&str>) -> Result<Option<InboxState>, Problem> {
    match asked {
        None => Ok(Some(InboxState::Open)),
        Some("all") => Ok(None),
        Some(text) => InboxState::parse(text).map(Some).ok_or_else(|| {
            let shown: String = text.chars().take(40).collect();
            Problem::caller("invalid_status", format!("`{shown}` is not a state of the inbox"))
                .with_hint("use `open`, `closed` or `all`")
        }),
    }
}
