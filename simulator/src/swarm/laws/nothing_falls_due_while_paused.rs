//! While the kill switch is on, nobody can be asked, so nothing expires: no offer and no question.

use super::history::{lapsed, may_be_a_reply, word};
use crate::play::TenantEvidence;

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let (mut paused, mut broken) = (None, Vec::new());
    for (place, event) in evidence.events.iter().enumerate() {
        match event.kind.as_str() {
            "tenant.paused" => paused = Some(event.at + evidence.clock_tolerance),
            "tenant.resumed" => paused = None,
            _ => {
                let asked = event.kind == "ask" && word(event, "became") == Some("expired");
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
