//! Law: a deadline does not overtake a reply.
//! If a stored reply was received before the deadline of an offer or a wait,
//! the engine applies the reply before it ends the offer or the wait.

use abide_engine::base::{Span, Timestamp, Value};
use abide_engine::ledger::{EventKind, ReceiptStatus};

use super::history::{ended, lapsed, overtaken};
use crate::play::TenantEvidence;

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let mut broken = Vec::new();
    for (place, event) in evidence.events.iter().enumerate() {
        let deadlines: Vec<Timestamp> = if lapsed(event) {
            ended(event).filter_map(|id| Some(evidence.offers.get(&id)?.expires_at)).collect()
        } else if event.kind == EventKind::Receipt {
            timed_out(&event.body).into_iter().collect()
        } else {
            continue;
        };
        let Some(deadline) = deadlines.into_iter().max() else { continue };
        if let Some(message) = overtaken(evidence, place, deadline) {
            let what = event.tool.as_deref().unwrap_or("an offer");
            broken.push(format!(
                "{what} ended by its deadline {deadline}, at {}, before {} of {} was applied",
                event.at, message.id, message.created_at
            ));
        }
    }
    broken
}

/// Returns the earliest instant at which the wait that a receipt records may time out;
/// `None` if the receipt does not record a wait that timed out. In the copy of a shadow run nobody replies.
fn timed_out(receipt: &Value) -> Option<Timestamp> {
    if receipt["status"] == ReceiptStatus::Shadowed.as_str() {
        return None;
    }
    if receipt.pointer("/result/reason")?.as_str()? != "timeout" {
        return None;
    }
    let timeout: Span = receipt.pointer("/input/timeout")?.as_str()?.parse().ok()?;
    let started: Timestamp = receipt.get("started_at")?.as_str()?.parse().ok()?;
    Some(started + timeout)
}
