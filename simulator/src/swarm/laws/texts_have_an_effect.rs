//! Law: every inbound message has an effect, is answered with a question, or is shown to staff.

use std::collections::BTreeMap;

use abide_engine::base::{MessageId, OfferId, Timestamp};
use abide_engine::facade::{Direction, MessageView};
use abide_engine::ledger::EventKind;
use abide_engine::store::LedgerRow;
use abide_verbs::event::AnyEventKind::{self, Church, Engine};
use abide_verbs::event::ChurchEventKind as Kind;

use super::history::{ended, offered, phone, word};
use crate::play::TenantEvidence;

/// Messages that consist only of a yes or a no.
const PLAIN: [&str; 4] = ["yes", "no", "y", "n"];

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let heard: BTreeMap<MessageId, &MessageView> = evidence
        .messages
        .iter()
        .filter(|message| message.direction == Direction::Inbound)
        .map(|message| (message.id, message))
        .collect();
    let mut open = Open::new();
    let mut broken = Vec::new();
    for event in &evidence.events {
        match AnyEventKind::of(&event.kind) {
            Church(Kind::Offered) if word(event, "became") == Some("pending") => {
                open.extend(offered(event).map(|offer| (offer, event.at)));
            }
            Church(Kind::Offers) if word(event, "became") == Some("pending") => {
                open.extend(ended(event).map(|offer| (offer, event.at)));
            }
            Church(Kind::Offers) => open = ended(event).fold(open, without),
            Engine(EventKind::InboundApplied | EventKind::InboundSetAside) => {
                let message = word(event, "message").and_then(|id| id.parse().ok());
                let Some(message) = message.and_then(|id| heard.get(&id)) else { continue };
                if let Some(lacks) = lacks(evidence, event, message, &open) {
                    broken.push(format!(
                        "{} `{}` from {}: {lacks}",
                        message.id, message.body, message.from
                    ));
                }
            }
            _ => {}
        }
    }
    broken
}

/// The open offers, each with the instant at which it was made or reopened.
type Open = BTreeMap<OfferId, Timestamp>;

fn without(mut open: Open, ended: OfferId) -> Open {
    open.remove(&ended);
    open
}

/// Returns a description of the effect that a message should have had but did not;
/// `None` if the message had its effect.
fn lacks(
    evidence: &TenantEvidence,
    event: &LedgerRow,
    message: &MessageView,
    open: &Open,
) -> Option<&'static str> {
    let staff_see = || evidence.inbox.contains(&message.id);
    if event.kind == EventKind::InboundSetAside {
        return (!staff_see()).then_some("it is set aside, and staff do not see it");
    }
    match word(event, "handled_as")? {
        "unmatched" | "unknown_sender" if !staff_see() => Some("staff do not see it"),
        "ambiguous" if !is_answered(evidence, message) => Some("no question is asked back"),
        "staff_request" if message.run_id.is_none() && !is_answered(evidence, message) => {
            Some("no run starts, and no question is asked back")
        }
        "reply"
            if is_plain(&message.body)
                && asked(evidence, event.at, message, open) == 1
                && !has_ended_one(evidence, event.at, message) =>
        {
            Some("the one offer that it answers is still open")
        }
        _ => None,
    }
}

/// Counts the offers that are open for people with the sender's number when a message is handled.
/// Leaves out an offer for a service that had begun when the message was received, because no message can
/// answer it, though it ends only when its deadline is obeyed. Also leaves out an offer that was made at about the time at which the message was handled: if another
/// node made the offer, perhaps the node that handled the message did not see it yet.
fn asked(evidence: &TenantEvidence, at: Timestamp, message: &MessageView, open: &Open) -> usize {
    let seen = open.iter().filter(|(_, made)| **made + evidence.clock_tolerance <= at);
    let begun = |id: &OfferId| {
        let received = message.created_at.parse::<Timestamp>().ok();
        let service = evidence.offers.get(id).map(|offer| offer.service_at);
        service.zip(received).is_some_and(|(service, received)| service <= received)
    };
    seen.filter(|(id, _)| phone(evidence, **id) == Some(&message.from) && !begun(id)).count()
}

/// Whether an offer to a person with the sender's number ended at the instant at which the message
/// was handled. If so, the message answered that offer and had its effect. If another offer to the
/// person is still open, the message could not answer it, because its service had already begun.
fn has_ended_one(evidence: &TenantEvidence, at: Timestamp, message: &MessageView) -> bool {
    let of_the_instant = evidence.events.iter().filter(|event| event.at == at);
    let mut over = of_the_instant.filter(|event| event.kind == Kind::Offers).flat_map(ended);
    over.any(|id| phone(evidence, id) == Some(&message.from))
}

fn is_plain(body: &str) -> bool {
    let word = body.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    PLAIN.contains(&word.as_str())
}

/// Whether the engine created a message in answer to this inbound message.
fn is_answered(evidence: &TenantEvidence, message: &MessageView) -> bool {
    let id = message.id.to_string();
    let keys = evidence.messages.iter().filter_map(|message| message.idempotency_key.as_ref());
    keys.into_iter().any(|key| key.contains(&id))
}
