//! Messages to people: whom, under which key, from when. Texts come from templates alone.

use std::collections::BTreeMap;

use abide_engine::base::{MessageId, PersonId, Problem, RequestId, Timestamp, TypedId, Value};
use abide_engine::store::{Cause, OutboxMessage, Queued, Tx};
use abide_engine::template::{Rendered, Standard, Templates};
use jiff::tz::TimeZone;
use serde_json::json;

use super::Scene;
use super::turns::Turns;
use crate::data;
use crate::data::person::Person;
use crate::offer::Offer;
use crate::request::Request;

/// What a message hangs on; see [`crate::domain`] for when each has ended.
pub mod cause {
    /// An offer: ends with it.
    pub const OFFER: &str = "offer";
    /// An offer of which it reminds: ends with it, and is not what the offer's life counts from.
    pub const REMINDER: &str = "reminder";
    /// The news that an offer is off: only for whoever may have read its invitation.
    pub const WITHDRAWAL: &str = "withdrawal";
    /// A question: ends with it.
    pub const ASK: &str = "ask";
    /// A request: ends when it is closed or called off.
    pub const REQUEST: &str = "request";
    /// The message that it answers: it may go at any hour, also at night.
    pub const INBOUND: &str = "inbound";
    /// Nothing that could end.
    pub const NOTICE: &str = "notice";
}

/// The template of an invitation.
pub const INVITATION: &str = "invite";

/// One message to one person.
#[derive(Debug, Clone)]
pub struct Letter {
    /// To whom.
    pub person: PersonId,
    /// What tells it from an earlier one of the same template: the last part of its key.
    pub occasion: Option<String>,
    /// The request it belongs to.
    pub request: Option<RequestId>,
    /// What it hangs on: once that has ended, the message is not sent.
    pub cause: Cause,
    /// The first instant at which it may go, if somebody has looked already.
    pub not_before: Option<Timestamp>,
    /// When it would make no sense any more.
    pub not_after: Option<Timestamp>,
    /// Whether nobody asked for it: then the limits on such texts hold.
    pub unasked: bool,
}

/// A message that was queued, or that an earlier one stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// To whom.
    pub person: PersonId,
    /// The message, or the key of the earlier one.
    pub queued: Queued,
}

impl Letter {
    /// About the `ordinal`-th offer to a person in a request. It is said whatever becomes of the
    /// offer or the request meanwhile.
    #[must_use]
    pub fn about(person: PersonId, request: RequestId, ordinal: i64) -> Self {
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

    /// In answer to a message.
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

    /// The same letter as the answer to what its reader just wrote.
    #[must_use]
    pub fn answering(self, inbound: MessageId) -> Self {
        Self { cause: Cause { kind: cause::INBOUND, id: Some(inbound.uuid()) }, ..self }
    }
}

/// The key under which a message is sent at most once.
#[must_use]
pub fn key(scope: &str, person: PersonId, template: &str, occasion: Option<&str>) -> String {
    match occasion {
        Some(occasion) => format!("msg:{scope}:{person}:{template}~{occasion}"),
        None => format!("msg:{scope}:{person}:{template}"),
    }
}

/// The key of an offer's invitation.
#[must_use]
pub fn invitation_key(offer: &Offer) -> String {
    let letter = Letter::about(offer.person, offer.request, offer.ordinal);
    key(&offer.request.to_string(), offer.person, INVITATION, letter.occasion.as_deref())
}

/// The variables of every message about one role of a request.
#[must_use]
pub fn about(request: &Request, role: &str) -> Value {
    json!({"role": role, "time": request.service_time.to_string()})
}

/// Renders one template for each letter and queues the texts.
///
/// # Errors
/// Those of rendering, and `message_too_long`.
pub async fn send(
    tx: &mut Tx,
    scene: &Scene<'_>,
    template: &str,
    letters: &[Letter],
    vars: &Value,
) -> Result<Vec<Sent>, Problem> {
    if letters.is_empty() {
        return Ok(Vec::new());
    }
    let mut wanted: Vec<_> = letters.iter().map(|letter| letter.person).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let unplanned = |letter: &&Letter| letter.unasked && letter.not_before.is_none();
    let unasked: Vec<_> = letters.iter().filter(unplanned).map(|letter| letter.person).collect();
    let people: BTreeMap<PersonId, Person> = data::person::by_ids(tx, scene.tenant, &wanted)
        .await?
        .into_iter()
        .map(|person| (person.id, person))
        .collect();
    let office = Office::load(tx, scene).await?;
    let vars = with_names(tx, scene.tenant, vars).await?;
    let mut turns = Turns::load(tx, scene, &unasked).await?;
    let mut messages = Vec::with_capacity(letters.len());
    let mut recipients = Vec::with_capacity(letters.len());
    for letter in letters {
        let Some(person) = people.get(&letter.person) else { continue };
        let not_before = letter.not_before.unwrap_or_else(|| match scene.inbound {
            Some(_) => scene.now,
            None if letter.unasked => turns.take(scene, &office, person),
            None => office.permitted(scene, person, scene.now),
        });
        let letter = Letter { not_before: Some(not_before), ..letter.clone() };
        messages.push(office.message(scene, person, &letter, (template, &vars))?);
        recipients.push(person.id);
    }
    let queued = tx.queue(scene.tenant, messages).await?;
    Ok(recipients.into_iter().zip(queued).map(|(person, queued)| Sent { person, queued }).collect())
}

/// Who writes, and in which time zone.
pub struct Office {
    name: String,
    zone_name: String,
    zone: TimeZone,
}

impl Office {
    /// The tenant's, or plain defaults for one that was never described.
    ///
    /// # Errors
    /// As the store.
    pub async fn load(tx: &mut Tx, scene: &Scene<'_>) -> Result<Self, Problem> {
        let church = data::church::find(tx, scene.tenant).await?;
        let (name, zone_name) = church.map_or_else(
            || (scene.tenant.to_owned(), scene.settings.time_zone.clone()),
            |church| (church.name, church.time_zone),
        );
        let zone = TimeZone::get(&zone_name).unwrap_or(TimeZone::UTC);
        Ok(Self { name, zone_name, zone })
    }

    /// The first instant, from `at`, at which policy lets a text go to a person.
    #[must_use]
    pub fn permitted(&self, scene: &Scene<'_>, person: &Person, at: Timestamp) -> Timestamp {
        let own = person.time_zone.as_deref().and_then(|name| TimeZone::get(name).ok());
        scene.settings.quiet_hours.permitted(at, own.as_ref().unwrap_or(&self.zone))
    }

    fn message(
        &self,
        scene: &Scene<'_>,
        person: &Person,
        letter: &Letter,
        (template, vars): (&str, &Value),
    ) -> Result<OutboxMessage, Problem> {
        let (run, call) = scene.account;
        let scope = match (letter.request, run, scene.inbound) {
            (Some(request), _, _) => request.to_string(),
            (None, Some(run), _) => run.to_string(),
            (None, None, Some(inbound)) => inbound.to_string(),
            (None, None, None) => scene.tenant.to_owned(),
        };
        // The inbound message is the scope already: its id need not be said twice.
        let occasion = letter.occasion.as_deref().filter(|occasion| *occasion != scope);
        Ok(OutboxMessage {
            key: key(&scope, person.id, template, occasion),
            request: letter.request,
            run,
            call,
            person: Some(person.id),
            contact: person.contact,
            rendered: self.render(scene.templates, person, template, vars)?,
            cause: letter.cause.clone(),
            not_before: letter.not_before.unwrap_or(scene.now),
            not_after: letter.not_after,
            unasked: letter.unasked,
        })
    }

    fn render(
        &self,
        templates: &Templates,
        person: &Person,
        template: &str,
        vars: &Value,
    ) -> Result<Rendered, Problem> {
        let first = person.name.split_whitespace().next().unwrap_or(&person.name);
        let own_zone = person.time_zone.as_deref().filter(|name| TimeZone::get(name).is_ok());
        let standard =
            Standard { church: &self.name, name: first, zone: own_zone.unwrap_or(&self.zone_name) };
        templates.render(template, &standard.with(vars))
    }
}

/// The variables with every person's id replaced by the name.
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
    Ok(named(vars, &names))
}

fn collect_people(value: &Value, ids: &mut Vec<PersonId>) {
    match value {
        Value::String(text) => ids.extend(text.parse::<PersonId>()),
        Value::Array(items) => items.iter().for_each(|item| collect_people(item, ids)),
        Value::Object(members) => members.values().for_each(|item| collect_people(item, ids)),
        _ => {}
    }
}

fn named(value: &Value, names: &BTreeMap<PersonId, String>) -> Value {
    match value {
        Value::String(text) => {
            let name = text.parse::<PersonId>().ok().and_then(|id| names.get(&id));
            name.map_or_else(|| value.clone(), |name| Value::from(name.as_str()))
        }
        Value::Array(items) => items.iter().map(|item| named(item, names)).collect(),
        Value::Object(members) => Value::Object(
            members.iter().map(|(key, item)| (key.clone(), named(item, names))).collect(),
        ),
        other => other.clone(),
    }
}
