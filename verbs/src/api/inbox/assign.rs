//! Assigns a message of the inbox to a member of staff.

use abide_engine::base::{MessageId, PersonId, Problem, TypedId as _};
use abide_engine::domain::DomainContext;
use abide_engine::store::Tx;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::{InboxView, find, get};
use crate::api::kb::Author;
use crate::api::phone::e164;
use crate::api::tenant_ledger;
use crate::data;
use crate::data::inbox::InboxRow;
use crate::data::person::Person;
use crate::event::ChurchEventKind;
use crate::operations::OperationContext;
use crate::operations::messages::{self, MessageDraft};

/// The template of the text to the assignee.
const TEMPLATE: &str = "assigned";
/// Maximum number of characters of a name that an error message quotes.
const SHOWN_CHARS_MAX: usize = 60;

/// The member of staff to whom a message of the inbox is assigned.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewAssignee {
    /// Id, phone number or name of a member of staff.
    pub person: String,
}

/// Assigns a message of the inbox to a member of staff, in place of the one before, and tells them by text.
/// Assigning it to the same person again changes nothing.
///
/// # Errors
/// `inbox_unknown` if the message is not in the inbox; `invalid_assignee` if no member of staff, or more than
/// one, has the id, number or name.
pub fn assign<'a>(
    tx: &'a mut Tx,
    cx: &'a DomainContext<'a>,
    id: MessageId,
    new: &'a NewAssignee,
    author: &'a Author,
) -> BoxFuture<'a, Result<InboxView, Problem>> {
    Box::pin(async move {
        let stream = tenant_ledger::lock(tx, cx.tenant).await?;
        let row = find(tx, cx.tenant, id).await?;
        let person = member_of_staff(tx, cx, new.person.trim()).await?;
        if data::inbox::assign(tx, cx.tenant, id, person).await? {
            let body = json!({"message": id, "person": person, "by": author.id});
            tenant_ledger::log(tx, stream, ChurchEventKind::InboxAssigned, body)?;
            tell(tx, cx, &row, person).await?;
        }
        get(tx, cx.tenant, id).await
    })
}

/// Texts the member of staff to whom a message is assigned, outside their quiet hours. The text names the sender and
/// not what they wrote, which is shown only to those who may see it.
async fn tell(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    row: &InboxRow,
    person: PersonId,
) -> Result<(), Problem> {
    let who = row.person.as_ref().map(|sender| sender.name.as_str());
    let mut vars = json!({ "about": row.reason.description() });
    if let Some(who) = who {
        vars["who"] = who.into();
    }
    let draft = MessageDraft::notice(person, row.message.uuid(), row.message.to_string());
    let context = OperationContext::of_domain(cx);
    messages::send(tx, &context, TEMPLATE, &[draft], &vars).await.map(drop)
}

/// Finds the active member of staff with an id, a phone number, a name or a first name.
async fn member_of_staff(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    wanted: &str,
) -> Result<PersonId, Problem> {
    let ids: Vec<PersonId> = data::person::acting(tx, cx.tenant).await?.into_iter().collect();
    let staff = data::person::by_ids(tx, cx.tenant, &ids).await?;
    let phone = e164(wanted, cx.settings.region).ok();
    let id: Option<PersonId> = wanted.parse().ok();
    let name = wanted.to_lowercase();
    let tests: [&dyn Fn(&Person) -> bool; 3] = [
        &|person| Some(person.id) == id || Some(&person.phone) == phone.as_ref(),
        &|person| person.name.to_lowercase() == name,
        &|person| person.name.to_lowercase().split_whitespace().next() == Some(name.as_str()),
    ];
    let shown: String = wanted.chars().take(SHOWN_CHARS_MAX).collect();
    for test in tests {
        let mut found = staff.iter().filter(|person| test(person));
        match (found.next(), found.next()) {
            (Some(person), None) => return Ok(person.id),
            (Some(_), Some(_)) => {
                return Err(invalid(format!("`{shown}` means several members of staff"))
                    .with_hint("give the id of the person: see `abide people list --role staff`"));
            }
            (None, _) => {}
        }
    }
    Err(invalid(format!("`{shown}` is not a member of staff")).with_hint(
        "members of staff have the role `staff` or `supervisor`: see `abide people list`",
    ))
}

fn invalid(message: impl Into<String>) -> Problem {
    Problem::caller("invalid_assignee", message)
}
