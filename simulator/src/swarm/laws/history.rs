//! Answers questions that several laws ask about the evidence.
//! Of two ids that one process created for events or messages, the later one is the higher one.

use std::collections::BTreeMap;

use abide_engine::base::{MessageId, OfferId, RunId, Span, Timestamp, TypedId as _, Value};
use abide_engine::facade::{Direction, MessageView};
use abide_engine::ledger::EventKind;
use abide_engine::store::LedgerRow;
use abide_verbs::event::ChurchEventKind;

use crate::play::TenantEvidence;

/// Maximum time from the release of a message to the request that sends the message.
pub(super) const BEGINS_WITHIN: Span = Span::from_secs(1);
/// The templates of messages that ask a person to serve.
pub(super) const INVITATIONS: [&str; 2] = ["invite", "last_call"];

/// Returns the ids of the offers that ended, if `event` records such offers.
pub(super) fn ended(event: &LedgerRow) -> impl Iterator<Item = OfferId> {
    let items = event.body.get("offers").and_then(Value::as_array).into_iter().flatten();
    items.filter_map(|item| item.as_str()?.parse().ok())
}

/// Returns the ids of the offers that were made, if `event` records such offers.
pub(super) fn offered(event: &LedgerRow) -> impl Iterator<Item = OfferId> {
    let items = event.body.get("offers").and_then(Value::as_array).into_iter().flatten();
    items.filter_map(|item| item.pointer("/0")?.as_str()?.parse().ok())
}

/// Returns the phone number of the person to whom an offer was made.
pub(super) fn phone(evidence: &TenantEvidence, offer: OfferId) -> Option<&str> {
    let person = evidence.offers.get(&offer)?.person;
    evidence.phones.get(&person).map(String::as_str)
}

/// Whether an event records that offers have expired.
pub(super) fn lapsed(event: &LedgerRow) -> bool {
    event.kind == ChurchEventKind::Offers && word(event, "became") == Some("expired")
}

/// Returns a member of an event's body; `None` if the member is absent or not a string.
pub(super) fn word<'e>(event: &'e LedgerRow, name: &str) -> Option<&'e str> {
    event.body.get(name).and_then(Value::as_str)
}

/// Whether the offers or the question in the event at the index `place` may have expired because a
/// message was applied. This is possible if a message was applied after the event but at the same
/// instant, and the first such message came from a person who got one of the offers or the question.
pub(super) fn may_be_a_reply(evidence: &TenantEvidence, place: usize) -> bool {
    let (event, behind) = (&evidence.events[place], &evidence.events[place..]);
    let mut same = behind.iter().take_while(|other| other.at == event.at);
    let applied = same.find(|other| other.kind == EventKind::InboundApplied);
    let message = applied.and_then(|event| word(event, "message")?.parse::<MessageId>().ok());
    let sender = evidence.messages.iter().find(|known| Some(known.id) == message);
    sender.is_some_and(|sender| concerns(evidence, event).any(|phone| phone == sender.from))
}

/// Returns the phone numbers of the people whose offers or question an event concerns.
fn concerns<'e>(
    evidence: &'e TenantEvidence,
    event: &'e LedgerRow,
) -> impl Iterator<Item = &'e str> {
    let asked = word(event, "person").and_then(|person| person.parse().ok());
    let asked = asked.and_then(|person| evidence.phones.get(&person).map(String::as_str));
    ended(event).filter_map(|offer| phone(evidence, offer)).chain(asked)
}

/// Returns, for each inbound message that was applied or
/// set aside, the index of the event that records this.
pub(super) fn applied(evidence: &TenantEvidence) -> BTreeMap<MessageId, usize> {
    let events = evidence.events.iter().enumerate();
    let dealt_with = events.filter(|(_, event)| {
        event.kind == EventKind::InboundApplied || event.kind == EventKind::InboundSetAside
    });
    let message = |event: &LedgerRow| word(event, "message")?.parse().ok();
    dealt_with.filter_map(|(place, event)| Some((message(event)?, place))).collect()
}

/// Finds an inbound message that was stored before the event at the index `place` but was not
/// applied before that event, although the gateway received the message before `deadline`.
pub(super) fn overtaken(
    evidence: &TenantEvidence,
    place: usize,
    deadline: Timestamp,
) -> Option<&MessageView> {
    let event = &evidence.events[place];
    let applied = applied(evidence);
    evidence.messages.iter().filter(|message| message.direction == Direction::Inbound).find(
        |message| {
            message.id.uuid() < event.id.uuid()
                && stored(message) + evidence.clock_tolerance <= event.at
                && instant(Some(&message.created_at)).is_some_and(|received| received < deadline)
                && applied.get(&message.id).is_none_or(|applied| *applied > place)
        },
    )
}

/// Returns the instant at which an inbound message was stored.
/// The id of the message is a UUID of version 7, which starts with the time in milliseconds (RFC 9562).
fn stored(message: &MessageView) -> Timestamp {
    let millis = i64::try_from(message.id.uuid().as_u128() >> 80).unwrap_or(i64::MAX / 1_000);
    Timestamp::from_micros(millis * 1_000)
}

/// Returns the bodies of the receipts of a run, oldest first.
pub(super) fn receipts_of(evidence: &TenantEvidence, run: RunId) -> impl Iterator<Item = &Value> {
    let of_run = evidence.events.iter().filter(move |event| event.run == Some(run));
    of_run.filter(|event| event.kind == EventKind::Receipt).map(|event| &event.body)
}

/// Parses an optional timestamp; `None` if the timestamp is absent or invalid.
pub(super) fn instant(text: Option<&str>) -> Option<Timestamp> {
    text?.parse().ok()
}
