//! Law: a call of risk T3 or T4 acts only with an approval of its own, and a call of risk T2 only in a run whose
//! starter or approver has consented. Plans of the operator have a law of their own, and the calls that discharge
//! obligations have no such risk.

use std::collections::BTreeSet;

use abide_engine::base::RunId;
use abide_engine::ledger::{EventKind, ReceiptStatus};
use abide_engine::run::{ApprovalScope, RunConsent};
use abide_engine::store::ApprovalState;

use crate::play::TenantEvidence;

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let mut broken = Vec::new();
    let mut plans: BTreeSet<&str> = BTreeSet::new();
    let mut consented: BTreeSet<RunId> = BTreeSet::new();
    let of_operator: BTreeSet<RunId> = evidence.judgement.runs.values().copied().collect();
    for event in &evidence.events {
        let Some(run) = event.run.filter(|run| !of_operator.contains(run)) else { continue };
        let body = &event.body;
        match EventKind::parse(event.kind.as_str()) {
            Some(EventKind::RunStarted | EventKind::BranchStarted) => {
                let consent = serde_json::from_value::<RunConsent>(body["consent"].clone());
                if consent.is_ok_and(RunConsent::is_given) {
                    consented.insert(run);
                }
            }
            Some(EventKind::ApprovalAsked) if body["scope"] == ApprovalScope::Run.as_str() => {
                plans.extend(body["approval_id"].as_str());
            }
            Some(EventKind::ApprovalEnded) => {
                let of_plan = body["approval_id"].as_str().is_some_and(|id| plans.contains(id));
                if of_plan && body["state"] == ApprovalState::Approved.as_str() {
                    consented.insert(run);
                }
            }
            Some(EventKind::Receipt) if body["status"] == ReceiptStatus::Succeeded.as_str() => {
                let asked = match body["risk"].as_str() {
                    Some("T2") => consented.contains(&run) || body["approval_id"].is_string(),
                    Some("T3" | "T4") => body["approval_id"].is_string(),
                    _ => true,
                };
                if !asked {
                    broken.push(format!("{run} called {} unasked", body["tool"]));
                }
            }
            _ => {}
        }
    }
    broken
}
