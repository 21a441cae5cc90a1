//! Law: while the kill switch is on, no offer and no question expires.
//! No message is sent during this time, so an offer
//! or a question may not have reached its recipient yet.

use abide_engine::ledger::EventKind;
use abide_verbs::event::{AnyEventKind, ChurchEventKind};

use super::history::{lapsed, may_be_a_reply, word};
use crate::play::TenantEvidence;

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let (mut paused, mut broken) = (None, Vec::new());
    for (place, event) in evidence.events.iter().enumerate() {
        match AnyEventKind::of(&event.kind) {
            AnyEventKind::Engine(EventKind::TenantPaused) => {
                paused = Some(event.at + evidence.clock_tolerance)
            }
            AnyEventKind::Engine(EventKind::TenantResumed) => paused = None,
            kind => {
                let asked = kind == AnyEventKind::Church(ChurchEventKind::Ask)
                    && word(event, "became") == Some("expired");
                let due = lapsed(event) || asked;
                let held = paused.is_some_and(|since| since <= event.at);
                if held && due && !may_be_a_reply(evidence, place) {
                    broken.push(format!("`{}` at {}: {}", event.kind, event.at, event.body));
                }
            }
        }
    }
    broken
}
