//! Law: a person who never got the invitation of an offer gets no notice that the offer was withdrawn.

use std::collections::BTreeMap;

use abide_engine::store::MessageState;

use super::history::INVITATIONS;
use crate::play::TenantEvidence;

/// The states in which a message has never left. Nobody can have read a message in such a state.
const NEVER_LEFT: [MessageState; 4] =
    [MessageState::Queued, MessageState::Cancelled, MessageState::Suppressed, MessageState::Failed];

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let records: BTreeMap<_, _> = evidence.messages.iter().map(|m| (m.id, m)).collect();
    let mut broken = Vec::new();
    for sent in evidence.sent.iter().map(|sent| &sent.message) {
        let Some(told) = records.get(&sent.id).filter(|m| m.kind.as_deref() == Some("withdrawn"))
        else {
            continue;
        };
        let asked = evidence.messages.iter().any(|message| {
            message.to == told.to
                && message.request_id == told.request_id
                && INVITATIONS.contains(&message.kind.as_deref().unwrap_or_default())
                && !NEVER_LEFT.contains(&message.state)
        });
        if !asked {
            broken
                .push(format!("{} tells {}, who was not asked, that it is over", told.id, told.to));
        }
    }
    broken
}
