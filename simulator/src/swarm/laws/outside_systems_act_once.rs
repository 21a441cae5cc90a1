//! Law: an outside system carries out a call at most once.
//! It has carried out each call whose receipt says `done`, and none whose receipt says `not_done`.
//! Every call that it has carried out has a receipt.

use std::collections::BTreeMap;

use abide_engine::ledger::{EventKind, ExternalOutcome};

use crate::play::TenantEvidence;

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let mut broken = Vec::new();
    let mut unproved: BTreeMap<_, u32> = evidence.outside.clone();
    for (call, times) in unproved.iter().filter(|(_, times)| **times > 1) {
        broken.push(format!("{call} was carried out {times} times"));
    }
    for event in &evidence.events {
        let kind = EventKind::parse(event.kind.as_str());
        let Some(call) = event.call.filter(|_| kind == Some(EventKind::Receipt)) else { continue };
        let acted = unproved.remove(&call).is_some();
        let outcome = event.body["effects"]["external_calls"][0]["outcome"].as_str();
        match outcome.and_then(ExternalOutcome::parse) {
            Some(ExternalOutcome::Done) if !acted => {
                broken.push(format!("{call} is `done`, but nobody carried it out"));
            }
            Some(ExternalOutcome::NotDone) if acted => {
                broken.push(format!("{call} is `not_done`, but it was carried out"));
            }
            None if acted => broken.push(format!("the receipt of {call} does not name its effect")),
            _ => {}
        }
    }
    broken.extend(unproved.keys().map(|call| format!("{call} was carried out without a receipt")));
    broken
}
