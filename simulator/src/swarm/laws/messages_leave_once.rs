//! Law: no message is sent twice. The provider has each message at most once.
//! The provider has every message that is recorded as sent,
//! and no message that is recorded as queued, cancelled, suppressed or shadowed.

use std::collections::{BTreeMap, BTreeSet};

use abide_engine::facade::Direction;
use abide_engine::store::MessageState;

use crate::play::TenantEvidence;

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let mut broken = Vec::new();
    let mut at_provider: BTreeMap<String, u64> = BTreeMap::new();
    for sent in evidence.sent.iter().map(|sent| &sent.message) {
        *at_provider.entry(sent.id.to_string()).or_default() += 1;
    }
    for (id, times) in at_provider.iter().filter(|(_, times)| **times > 1) {
        broken.push(format!("{id} was sent {times} times"));
    }
    let mut keys: BTreeSet<(&str, &str)> = BTreeSet::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    for message in
        evidence.messages.iter().filter(|message| message.direction == Direction::Outbound)
    {
        let id = message.id.to_string();
        let key = message.idempotency_key.as_deref().unwrap_or_default();
        if !keys.insert((key, &message.to)) {
            broken.push(format!("{id}: another message has its key `{key}`"));
        }
        let there = at_provider.contains_key(&id);
        match message.state {
            MessageState::Sent | MessageState::Delivered | MessageState::Undelivered if !there => {
                broken.push(format!("{id} is `{}`, but the provider never had it", message.state));
            }
            MessageState::Queued
            | MessageState::Cancelled
            | MessageState::Suppressed
            | MessageState::Shadowed
                if there =>
            {
                broken.push(format!("{id} is `{}`, but the provider has it", message.state));
            }
            _ => {}
        }
        known.insert(id);
    }
    let strange = at_provider.keys().filter(|id| !known.contains(*id));
    broken.extend(strange.map(|id| format!("{id} is at the provider and not in our records")));
    broken
}
