//! What several laws look for in the log. The ids of one process's events and messages stand in the order in
//! which they were made.

use std::collections::BTreeMap;

use abide_engine::base::{MessageId, OfferId, Span, Timestamp, TypedId as _, Value};
use abide_engine::facade::MessageView;
use abide_engine::store::LedgerRow;

use crate::play::Evidence;

/// How long a text that was let go may take to begin to leave.
pub(super) const BEGINS_WITHIN: Span = Span::from_secs(1);
/// Texts that ask somebody to serve.
pub(super) const INVITATIONS: [&str; 2] = ["invite", "last_call"];

/// The offers that an event says have ended.
pub(super) fn ended(event: &LedgerRow) -> impl Iterator<Item = OfferId> {
    let items = event.body.get("offers").and_then(Value::as_array).into_iter().flatten();
    items.filter_map(|item| item.as_str()?.parse().ok())
}

/// The offers that an event says were made.
pub(super) fn offered(event: &LedgerRow) -> impl Iterator<Item = OfferId> {
    let items = event.body.get("offers").and_then(Value::as_array).into_iter().flatten();
    items.filter_map(|item| item.pointer("/0")?.as_str()?.parse().ok())
}

/// The number of whom an offer asks.
pub(super) fn phone(evidence: &Evidence, offer: OfferId) -> Option<&str> {
    let person = evidence.offers.get(&offer)?.person;
    evidence.phones.get(&person).map(String::as_str)
}

/// True for offers whose time was over.
pub(super) fn lapsed(event: &LedgerRow) -> bool {
    event.kind == "offers" && word(event, "became") == Some("expired")
}

/// A text of an event's body.
pub(super) fn word<'e>(event: &'e LedgerRow, name: &str) -> Option<&'e str> {
    event.body.get(name).and_then(Value::as_str)
}

/// True where what lapsed did so with the applying of a message, or may have: the next message that is applied,
/// at the same instant, is of somebody who was asked that.
pub(super) fn may_be_a_reply(evidence: &Evidence, place: usize) -> bool {
    let (event, behind) = (&evidence.events[place], &evidence.events[place..]);
    let mut same = behind.iter().take_while(|other| other.at == event.at);
    let applied = same.find(|other| other.kind == "inbound.applied");
    let message = applied.and_then(|event| word(event, "message")?.parse::<MessageId>().ok());
    let sender = evidence.messages.iter().find(|known| Some(known.id) == message);
    sender.is_some_and(|sender| concerns(evidence, event).any(|phone| phone == sender.from))
}

/// The numbers of those whose offers or whose question an event is about.
fn concerns<'e>(evidence: &'e Evidence, event: &'e LedgerRow) -> impl Iterator<Item = &'e str> {
    let asked = word(event, "person").and_then(|person| person.parse().ok());
    let asked = asked.and_then(|person| evidence.phones.get(&person).map(String::as_str));
    ended(event).filter_map(|offer| phone(evidence, offer)).chain(asked)
}

/// Where each message to us was applied or set aside: the place of its event.
pub(super) fn applied(evidence: &Evidence) -> BTreeMap<MessageId, usize> {
    let events = evidence.events.iter().enumerate();
    let dealt_with = events.filter(|(_, event)| event.kind.starts_with("inbound."));
    let message = |event: &LedgerRow| word(event, "message")?.parse().ok();
    dealt_with.filter_map(|(place, event)| Some((message(event)?, place))).collect()
}

/// A message to us that was stored before the event at `place` and dealt with behind it, and that the gateway
/// had received before `deadline`.
pub(super) fn overtaken(
    evidence: &Evidence,
    (place, deadline): (usize, Timestamp),
) -> Option<&MessageView> {
    let event = &evidence.events[place];
    let applied = applied(evidence);
    evidence.messages.iter().filter(|message| message.direction == "inbound").find(|message| {
        message.id.uuid() < event.id.uuid()
            && stored(message) + evidence.unsure <= event.at
            && instant(Some(&message.created_at)).is_some_and(|received| received < deadline)
            && applied.get(&message.id).is_none_or(|applied| *applied > place)
    })
}

/// When a message to us was stored, by its id: a UUID of version 7 begins with the milliseconds (RFC 9562).
fn stored(message: &MessageView) -> Timestamp {
    let millis = i64::try_from(message.id.uuid().as_u128() >> 80).unwrap_or(i64::MAX / 1_000);
    Timestamp::from_micros(millis * 1_000)
}

/// An instant of a view.
pub(super) fn instant(text: Option<&str>) -> Option<Timestamp> {
    text?.parse().ok()
}
