//! Queues messages to people, each with a recipient, an idempotency key, a cause and a send time.
//! Only templates produce the bodies of messages.

use std::collections::BTreeMap;

use abide_engine::base::{MessageId, PersonId, Problem, RequestId, Timestamp, TypedId, Value};
use abide_engine::store::{About, Cause, OutboxMessage, Queued, Tx};
use abide_engine::template::Rendered;
use serde_json::json;
use uuid::Uuid;

use super::OperationContext;
use super::send_plan::SendPlan;
use super::sender::SenderProfile;
use crate::data;
use crate::data::person::Person;
use crate::offer::Offer;
use crate::request::Request;

/// The kinds of causes that a message can have. A queued message is not sent once its cause has ended.
/// [`crate::domain`] contains the check.
pub mod cause {
    /// The invitation of an offer: obsolete once the offer has ended.
    /// The time to answer the offer begins when the invitation may be sent.
    pub const OFFER: &str = "offer";
    /// A reminder of an open offer: obsolete once the offer has ended.
    /// The reminder does not extend the time to answer.
    pub const REMINDER: &str = "reminder";
    /// A notice that an offer was withdrawn: sent only if the invitation may have reached the person.
    pub const WITHDRAWAL: &str = "withdrawal";
    /// A question: obsolete once the question has ended.
    pub const ASK: &str = "ask";
    /// A question about an approval: obsolete once somebody has decided, or the time is over.
    pub const APPROVAL: &str = "approval";
    /// A message about a request: obsolete once the request is closed or cancelled.
    pub const REQUEST: &str = "request";
    /// An answer to an inbound message: may be sent at any hour, even in quiet hours.
    pub const INBOUND: &str = "inbound";
    /// A notice that never becomes obsolete.
    pub const NOTICE: &str = "notice";
}

/// The name of the template for invitations.
pub const INVITATION: &str = "invite";

/// One message to one person, before it is rendered.
#[derive(Debug, Clone)]
pub struct MessageDraft {
    /// The recipient.
    pub person: PersonId,
    /// A word that distinguishes the message from an earlier message with the same template;
    /// the last part of the message's key.
    pub occasion: Option<String>,
    /// The request that the message belongs to, if it belongs to one.
    pub request: Option<RequestId>,
    /// The cause of the message. Once the cause has ended, the message is not sent.
    pub cause: Cause,
    /// The first instant at which the message may be sent; `None` lets [`send`] choose it.
    pub not_before: Option<Timestamp>,
    /// The instant after which the message is not sent any more; `None` sets no limit.
    pub not_after: Option<Timestamp>,
    /// Whether the message is *unasked*: no action of the recipient caused it.
    /// Limits per person and per minute apply to unasked messages.
    pub unasked: bool,
}

/// One message that [`send`] has queued or found queued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedMessage {
    /// The recipient.
    pub person: PersonId,
    /// The id of the new message, or the key under which the same message was queued earlier.
    pub queued: Queued,
}

impl MessageDraft {
    /// Builds a message about the `ordinal`-th offer to a person in a request.
    /// The message is sent even if the offer or the request has ended in the meantime.
    #[must_use]
    pub fn about_offer(person: PersonId, request: RequestId, ordinal: i64) -> Self {
        Self {
            person,
            occasion: (ordinal > 1).then(|| ordinal.to_string()),
            request: Some(request),
            cause: Cause { kind: cause::NOTICE, id: Some(request.uuid()) },
            not_before: None,
            not_after: None,
            unasked: false,
        }
    }

    /// Builds an answer to an inbound message.
    #[must_use]
    pub fn answer(person: PersonId, inbound: MessageId) -> Self {
        Self {
            person,
            occasion: Some(inbound.to_string()),
            request: None,
            cause: Cause { kind: cause::INBOUND, id: Some(inbound.uuid()) },
            not_before: None,
            not_after: None,
            unasked: false,
        }
    }

    /// Builds one of several answers to an inbound message, which are counted from 0.
    #[must_use]
    pub fn nth_answer(person: PersonId, inbound: MessageId, nth: usize) -> Self {
        let first = Self::answer(person, inbound);
        match nth {
            0 => first,
            nth => Self { occasion: Some(format!("{inbound}~{}", nth + 1)), ..first },
        }
    }

    /// Builds a notice that belongs to no request: about an approval, or about the inbox. `about` is the id of what it
    /// is about.
    #[must_use]
    pub fn notice(person: PersonId, about: Uuid, occasion: String) -> Self {
        Self {
            person,
            occasion: Some(occasion),
            request: None,
            cause: Cause { kind: cause::NOTICE, id: Some(about) },
            not_before: None,
            not_after: None,
            unasked: false,
        }
    }

    /// Turns the message into an answer to an inbound message. An answer may be sent at any hour.
    #[must_use]
    pub fn answering(self, inbound: MessageId) -> Self {
        Self { cause: Cause { kind: cause::INBOUND, id: Some(inbound.uuid()) }, ..self }
    }
}

/// Returns the idempotency key of a message. At most one message is sent under one key.
#[must_use]
pub fn key(scope: &str, person: PersonId, template: &str, occasion: Option<&str>) -> String {
    match occasion {
        Some(occasion) => format!("msg:{scope}:{person}:{template}~{occasion}"),
        None => format!("msg:{scope}:{person}:{template}"),
    }
}

/// Returns the idempotency key of an offer's invitation.
#[must_use]
pub fn invitation_key(offer: &Offer) -> String {
    let draft = MessageDraft::about_offer(offer.person, offer.request, offer.ordinal);
    key(&offer.request.to_string(), offer.person, INVITATION, draft.occasion.as_deref())
}

/// Returns the template variables of a message about one role of a request.
#[must_use]
pub fn role_variables(request: &Request, role: &str) -> Value {
    json!({"role": role, "time": request.service_time.to_string()})
}

/// Renders the template for each draft, queues the messages, and returns them.
/// Skips people who are not in the directory.
///
/// # Errors
/// Returns errors from rendering, such as `message_too_long`, and from the store.
pub async fn send(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    template: &str,
    drafts: &[MessageDraft],
    vars: &Value,
) -> Result<Vec<QueuedMessage>, Problem> {
    if drafts.is_empty() {
        return Ok(Vec::new());
    }
    let mut wanted: Vec<_> = drafts.iter().map(|draft| draft.person).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let unplanned = |draft: &&MessageDraft| draft.unasked && draft.not_before.is_none();
    let unasked: Vec<_> = drafts.iter().filter(unplanned).map(|draft| draft.person).collect();
    let people: BTreeMap<PersonId, Person> = data::person::by_ids(tx, context.tenant, &wanted)
        .await?
        .into_iter()
        .map(|person| (person.id, person))
        .collect();
    let profile = SenderProfile::load(tx, context).await?;
    let vars = with_names(tx, context.tenant, vars).await?;
    let mut send_plan = SendPlan::load(tx, context, &unasked).await?;
    let mut messages = Vec::with_capacity(drafts.len());
    let mut recipients = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let Some(person) = people.get(&draft.person) else { continue };
        let not_before = draft.not_before.unwrap_or_else(|| match context.inbound {
            Some(_) => context.now,
            None if draft.unasked => send_plan.reserve(context, &profile, person),
            None => profile.permitted(context, person, context.now),
        });
        let draft = MessageDraft { not_before: Some(not_before), ..draft.clone() };
        let rendered = profile.render(context.templates, person, template, &vars)?;
        messages.push(outbox_message(context, person, &draft, rendered));
        recipients.push(person.id);
    }
    let queued = tx.queue(context.tenant, messages).await?;
    Ok(recipients
        .into_iter()
        .zip(queued)
        .map(|(person, queued)| QueuedMessage { person, queued })
        .collect())
}

/// A message that is shown to somebody else before it is sent.
#[derive(Debug, Clone, Copy)]
pub struct MessageSample<'a> {
    /// The name of the template.
    pub template: &'a str,
    /// The recipient.
    pub person: Option<PersonId>,
    /// The variables of the template.
    pub vars: &'a Value,
}

/// Renders a message as its recipient would read it; `None` if the recipient is not in the directory.
pub async fn sample(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    sample: MessageSample<'_>,
) -> Result<Option<Rendered>, Problem> {
    let ids: Vec<PersonId> = sample.person.into_iter().collect();
    let Some(person) = data::person::by_ids(tx, context.tenant, &ids).await?.into_iter().next()
    else {
        return Ok(None);
    };
    let profile = SenderProfile::load(tx, context).await?;
    let vars = with_names(tx, context.tenant, sample.vars).await?;
    profile.render(context.templates, &person, sample.template, &vars).map(Some)
}

/// Builds the outbox row of a rendered draft.
fn outbox_message(
    context: &OperationContext<'_>,
    person: &Person,
    draft: &MessageDraft,
    rendered: Rendered,
) -> OutboxMessage {
    let About { run, call } = context.about;
    let scope = match (draft.request, run, context.inbound) {
        (Some(request), _, _) => request.to_string(),
        (None, Some(run), _) => run.to_string(),
        (None, None, Some(inbound)) => inbound.to_string(),
        (None, None, None) => context.tenant.to_owned(),
    };
    // The scope and the occasion may be the same id: that of an inbound message. The key contains the
    // scope, so this occasion is left out.
    let occasion = draft.occasion.as_deref().filter(|occasion| *occasion != scope);
    OutboxMessage {
        key: key(&scope, person.id, rendered.template(), occasion),
        request: draft.request,
        run,
        call,
        person: Some(person.id),
        contact: person.contact,
        rendered,
        cause: draft.cause.clone(),
        not_before: draft.not_before.unwrap_or(context.now),
        not_after: draft.not_after,
        unasked: draft.unasked,
    }
}

/// Returns a copy of the template variables in which each person's id is replaced by the person's name.
async fn with_names(tx: &mut Tx, tenant: &str, vars: &Value) -> Result<Value, Problem> {
    let mut ids = Vec::new();
    collect_people(vars, &mut ids);
    if ids.is_empty() {
        return Ok(vars.clone());
    }
    let names: BTreeMap<PersonId, String> = data::person::by_ids(tx, tenant, &ids)
        .await?
        .into_iter()
        .map(|person| (person.id, person.name))
        .collect();
    Ok(replace_ids(vars, &names))
}

fn collect_people(value: &Value, ids: &mut Vec<PersonId>) {
    match value {
        Value::String(text) => ids.extend(text.parse::<PersonId>()),
        Value::Array(items) => items.iter().for_each(|item| collect_people(item, ids)),
        Value::Object(members) => members.values().for_each(|item| collect_people(item, ids)),
        _ => {}
    }
}

fn replace_ids(value: &Value, names: &BTreeMap<PersonId, String>) -> Value {
    match value {
        Value::String(text) => {
            let name = text.parse::<PersonId>().ok().and_then(|id| names.get(&id));
            name.map_or_else(|| value.clone(), |name| Value::from(name.as_str()))
        }
        Value::Array(items) => items.iter().map(|item| replace_ids(item, names)).collect(),
        Value::Object(members) => Value::Object(
            members.iter().map(|(key, item)| (key.clone(), replace_ids(item, names))).collect(),
        ),
        other => other.clone(),
    }
}
