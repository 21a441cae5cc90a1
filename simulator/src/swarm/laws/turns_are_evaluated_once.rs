//! Law: each turn of a conversation is evaluated once: each answer to a question, and each text of a person that says
//! something. The journal has one snapshot for each evaluation.

use std::collections::{BTreeMap, BTreeSet};

use abide_agent::agenda::JournalEventType;
use abide_engine::base::MessageId;
use abide_engine::domain::HandledAs;
use abide_engine::ledger::EventKind;
use abide_judgement::data::agenda::SessionKey;

use super::history::word;
use crate::play::TenantEvidence;

/// How the names of the conversations by text begin.
const TEXTS: &str = "sms:";
/// How the messages are handled that are turns of a conversation.
const TURNS: [HandledAs; 5] = [
    HandledAs::StaffRequest,
    HandledAs::ClarificationAnswer,
    HandledAs::Question,
    HandledAs::Ambiguous,
    HandledAs::Unmatched,
];

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let stored = &evidence.judgement.stored;
    let left = stored.turns.iter();
    let mut broken: Vec<String> =
        left.map(|key| format!("a turn of {} was never evaluated", key.session)).collect();
    let mut due: BTreeMap<SessionKey, usize> = BTreeMap::new();
    for ask in stored.asks.iter().filter(|ask| ask.answer.is_some()) {
        let key = SessionKey { user: ask.user.clone(), session: ask.session.clone() };
        *due.entry(key).or_default() += 1;
    }
    let mut done: BTreeMap<SessionKey, usize> = BTreeMap::new();
    let snapshot = JournalEventType::Snapshot.as_str();
    for entry in stored.journal.iter().filter(|entry| entry.entry.event == snapshot) {
        *done.entry(entry.key.clone()).or_default() += 1;
    }
    let (by_text, done): (BTreeMap<_, _>, BTreeMap<_, _>) =
        done.into_iter().partition(|(key, _)| key.session.starts_with(TEXTS));
    let keys: BTreeSet<&SessionKey> = due.keys().chain(done.keys()).collect();
    for key in keys {
        let of = |counts: &BTreeMap<SessionKey, usize>| counts.get(key).copied().unwrap_or(0);
        let (due, done) = (of(&due), of(&done));
        if due != done {
            broken.push(format!("{} has {due} turns, of which {done} were evaluated", key.session));
        }
    }
    let (due, done) = (texts(evidence), by_text.into_values().sum::<usize>());
    if due != done {
        broken.push(format!("people wrote {due} turns, of which {done} were evaluated"));
    }
    broken
}

/// Returns the number of texts that are turns of a conversation.
fn texts(evidence: &TenantEvidence) -> usize {
    let people: BTreeSet<&str> = evidence.phones.values().map(String::as_str).collect();
    let from: BTreeMap<MessageId, &str> =
        evidence.messages.iter().map(|message| (message.id, &*message.from)).collect();
    let applied = evidence.events.iter().filter(|event| event.kind == EventKind::InboundApplied);
    let turns = applied.filter(|event| {
        let message = word(event, "message").and_then(|id| id.parse().ok());
        let from = message.and_then(|id: MessageId| from.get(&id));
        let as_turn = word(event, "handled_as")
            .is_some_and(|it| TURNS.iter().any(|handled| handled.as_str() == it));
        as_turn && from.is_some_and(|from| people.contains(from))
    });
    turns.count()
}
