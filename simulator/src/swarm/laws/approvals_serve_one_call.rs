//! Law: a call that needs an approval is carried out only after somebody approved it, and an approval serves one
//! call. A call that was refused, or that nobody decided in time, does nothing.

use std::collections::BTreeMap;

use abide_engine::base::Value;
use abide_engine::ledger::{EventKind, ReceiptStatus};
use abide_engine::store::ApprovalState;

use crate::play::TenantEvidence;

/// What is known of an approval from the events before.
#[derive(Default)]
struct Known<'a> {
    asked: bool,
    ended: Option<&'a str>,
    receipts: u32,
}

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let mut broken = Vec::new();
    let mut known: BTreeMap<&str, Known<'_>> = BTreeMap::new();
    for event in &evidence.events {
        let Some(id) = event.body["approval_id"].as_str() else { continue };
        let approval = known.entry(id).or_default();
        match EventKind::parse(event.kind.as_str()) {
            Some(EventKind::ApprovalAsked) => approval.asked = true,
            Some(EventKind::ApprovalEnded) => {
                if approval.ended.is_some() || !approval.asked {
                    broken.push(format!("{id} ends without being open"));
                }
                approval.ended = event.body["state"].as_str();
            }
            Some(EventKind::Receipt) => {
                approval.receipts += 1;
                if approval.receipts > 1 {
                    broken.push(format!("{id} serves {} calls", approval.receipts));
                }
                let state = approval.ended.and_then(ApprovalState::parse);
                if acted(&event.body) && state != Some(ApprovalState::Approved) {
                    let ended = approval.ended.unwrap_or("open");
                    broken.push(format!("a call acted with {id}, which is {ended}"));
                }
            }
            _ => {}
        }
    }
    let open = known.iter().filter(|(_, approval)| approval.asked && approval.ended.is_none());
    broken.extend(open.map(|(id, _)| format!("{id} never ends")));
    broken
}

fn acted(receipt: &Value) -> bool {
    receipt["status"] == ReceiptStatus::Succeeded.as_str()
}
