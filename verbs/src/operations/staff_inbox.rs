//! Puts messages in the inbox of staff, and tells staff of them by text. A message about a campaign that a member of staff
//! started by text is told to that person alone. What comes within an hour for the same reason is told in one text at
//! the end of the hour.

use abide_engine::base::{PersonId, Problem, Span, Timestamp, TypedId as _};
use abide_engine::policy::BUDGET_NOTICE;
use abide_engine::store::Tx;
use serde_json::json;

use super::OperationContext;
use super::messages::{self, MessageDraft};
use crate::data;
use crate::data::inbox::{InboxEntry, InboxRow};
use crate::data::notice::StaffNotice;
use crate::directory::STAFF;
use crate::inbox::Reason;

/// The time during which entries with the same reason are gathered into one text.
const GATHERED: Span = Span::from_secs(3_600);
/// Maximum number of entries that are read for one text, and of names that it shows.
const ENTRIES_MAX: i64 = 100;
const NAMES_MAX: usize = 5;
/// The template of a text about the inbox.
const TEMPLATE: &str = "staff_notice";

/// Puts a message in the inbox. If staff hear of entries with this reason, the entry begins to gather them: for the
/// member of staff who started what it is about, or else for all staff.
///
/// # Errors
/// Returns errors from the store.
pub async fn put(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    entry: &InboxEntry,
) -> Result<(), Problem> {
    let starter = match entry.run {
        Some(run) => data::inbox::starter_of(tx, context.tenant, run).await?,
        None => None,
    };
    let entry = &InboxEntry { starter, ..entry.clone() };
    data::inbox::put(tx, context.tenant, entry).await?;
    if !entry.reason.is_told() {
        return Ok(());
    }
    let notice = StaffNotice { reason: entry.reason, starter, first_message: entry.message };
    Ok(data::notice::begin(tx, context.tenant, notice, context.now + GATHERED).await?)
}

/// Tells staff what has been gathered until `by`. Returns the number of texts.
///
/// # Errors
/// Returns errors from the store and from rendering.
pub async fn tell_due(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    by: Timestamp,
) -> Result<u64, Problem> {
    let due = data::notice::take_due(tx, context.tenant, by).await?;
    if due.is_empty() {
        return Ok(0);
    }
    let staff = data::person::holders(tx, context.tenant, STAFF).await?;
    for notice in &due {
        let starter = reachable(tx, context, notice.starter).await?;
        let staff = starter.as_ref().map_or(&*staff, std::slice::from_ref);
        let entries = data::inbox::since(tx, context.tenant, notice, ENTRIES_MAX).await?;
        if !entries.is_empty() {
            tell(tx, context, staff, Gathered { notice, entries: &entries }).await?;
        }
    }
    Ok(due.len() as u64)
}

/// Returns the member of staff who started something, if texts may reach them. Otherwise all staff hear of it.
async fn reachable(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    starter: Option<PersonId>,
) -> Result<Option<PersonId>, Problem> {
    let Some(starter) = starter else { return Ok(None) };
    let unreachable = data::person::unreachable(tx, context.tenant, &[starter]).await?;
    Ok(unreachable.is_empty().then_some(starter))
}

/// Entries of the inbox with one reason.
struct Gathered<'g> {
    notice: &'g StaffNotice,
    entries: &'g [InboxRow],
}

/// Texts the staff about entries of the inbox.
async fn tell(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    staff: &[PersonId],
    gathered: Gathered<'_>,
) -> Result<(), Problem> {
    let Gathered { notice, entries } = gathered;
    let (template, vars) = match notice.reason {
        Reason::BudgetReached => (BUDGET_NOTICE, json!({})),
        reason => {
            let (number, who) = (entries.len(), names(entries));
            (TEMPLATE, json!({ "reason": reason.as_str(), "number": number, "who": who }))
        }
    };
    let first = notice.first_message;
    let draft = |person: &PersonId| MessageDraft::notice(*person, first.uuid(), first.to_string());
    let drafts: Vec<MessageDraft> = staff.iter().map(draft).collect();
    messages::send(tx, &context.unasked(), template, &drafts, &vars).await.map(drop)
}

/// Returns whom entries come from, each person once.
fn names(entries: &[InboxRow]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for entry in entries {
        let name = entry.person.as_ref().map(|person| person.name.clone());
        if let Some(name) = name.filter(|name| !names.contains(name)) {
            names.push(name);
        }
    }
    if names.is_empty() {
        names.push("somebody".to_owned());
    }
    let more = names.len().saturating_sub(NAMES_MAX);
    if more > 0 {
        names.truncate(NAMES_MAX);
        names.push(format!("{more} more"));
    }
    names
}
