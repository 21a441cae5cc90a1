//! The inbox of staff: read, and closed once somebody has dealt with it.

use abide_engine::base::{MessageId, PersonId, Problem, RequestId, RunId};
use abide_engine::store::Tx;
use serde::Serialize;
use serde_json::json;

use super::{Page, Part, record};
use crate::data;
use crate::data::inbox::{InboxFilter, InboxRow};
use crate::inbox::State;

/// Which part of the inbox is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InboxQuery {
    /// `open` where none is named, `closed`, or `all`.
    pub state: Option<String>,
    /// Which part.
    pub part: Part,
}

/// Somebody whom a text concerns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Concerned {
    /// Their id.
    pub id: PersonId,
    /// As people call them.
    pub name: String,
}

/// What waits for a person. What was erased is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InboxView {
    /// The message.
    pub id: MessageId,
    /// `open` or `closed`.
    pub state: &'static str,
    /// Why it is here.
    pub reason: &'static str,
    /// The same in a sentence.
    pub why: &'static str,
    /// Whom it concerns; absent for a stranger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<Concerned>,
    /// The number that it came from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The number that it went to, where it is a text of ours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// What it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// When it came, or was written.
    pub received_at: String,
    /// The run that it concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<RunId>,
    /// The request that it concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<RequestId>,
}

impl From<InboxRow> for InboxView {
    fn from(row: InboxRow) -> Self {
        let (from, to) = if row.outbound { (None, row.phone) } else { (row.phone, None) };
        Self {
            id: row.message,
            state: row.state.as_str(),
            reason: row.reason.as_str(),
            why: row.reason.told(),
            person: row.person.map(|(id, name)| Concerned { id, name }),
            from,
            to,
            text: row.text,
            received_at: row.received_at.to_string(),
            run_id: row.run,
            request_id: row.request,
        }
    }
}

/// A part of the inbox, the newest first.
///
/// # Errors
/// `invalid_status` for an unknown state; `invalid_cursor`.
pub async fn list(
    tx: &mut Tx,
    tenant: &str,
    query: &InboxQuery,
) -> Result<Page<InboxView>, Problem> {
    let limit = query.part.limit();
    let filter = InboxFilter {
        state: state(query.state.as_deref())?,
        before: query.part.after()?,
        limit: i64::try_from(limit + 1).unwrap_or(i64::MAX),
    };
    let mut found = data::inbox::list(tx, tenant, filter).await?;
    let more = found.len() > limit;
    found.truncate(limit);
    let next_cursor = found.last().filter(|_| more).map(|last| last.message.to_string());
    Ok(Page { items: found.into_iter().map(InboxView::from).collect(), next_cursor })
}

/// One of them.
///
/// # Errors
/// `inbox_unknown`.
pub async fn get(tx: &mut Tx, tenant: &str, id: MessageId) -> Result<InboxView, Problem> {
    let found = data::inbox::find(tx, tenant, id).await?;
    found.map(InboxView::from).ok_or_else(|| {
        Problem::caller("inbox_unknown", format!("`{id}` is not in the inbox"))
            .with_hint("`abide inbox list --state all` shows what is")
    })
}

/// Takes one off the list. Closing it again changes nothing.
///
/// # Errors
/// `inbox_unknown`.
pub async fn close(tx: &mut Tx, tenant: &str, id: MessageId) -> Result<InboxView, Problem> {
    let stream = record::lock(tx, tenant).await?;
    if data::inbox::close(tx, tenant, id).await? {
        record::log(tx, stream, "inbox.closed", json!({"message": id}))?;
    }
    get(tx, tenant, id).await
}

fn state(asked: Option<&str>) -> Result<Option<State>, Problem> {
    match asked {
        None => Ok(Some(State::Open)),
        Some("all") => Ok(None),
        Some(text) => State::parse(text).map(Some).ok_or_else(|| {
            let shown: String = text.chars().take(40).collect();
            Problem::caller("invalid_status", format!("`{shown}` is no state of the inbox"))
                .with_hint("it is `open`, `closed` or `all`")
        }),
    }
}
