//! Law: no reply is lost.
//! Each message that the provider received for the tenant is recorded once and is handled.

use std::collections::BTreeMap;

use abide_engine::facade::Direction;
use abide_engine::store::MessageState;

use crate::play::TenantEvidence;

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let mut balance: BTreeMap<(&str, String), i64> = BTreeMap::new();
    for message in &evidence.heard {
        // The engine replaces U+0000 in every input, because PostgreSQL cannot store this character.
        // So the bodies to compare must have the same replacement.
        let body = message.body.replace('\0', "\u{fffd}");
        *balance.entry((&message.from, body)).or_default() += 1;
    }
    let mut broken = Vec::new();
    for message in
        evidence.messages.iter().filter(|message| message.direction == Direction::Inbound)
    {
        *balance.entry((&message.from, message.body.clone())).or_default() -= 1;
        if message.state != MessageState::Applied {
            broken.push(format!("{} from {} was never handled", message.id, message.from));
        }
    }
    let uneven = balance.into_iter().filter(|(_, n)| *n != 0);
    broken.extend(uneven.map(|((from, body), n)| match n {
        1.. => format!("`{body}` from {from} is missing {n} times"),
        _ => format!("`{body}` from {from} is recorded {} times too often", -n),
    }));
    broken
}
