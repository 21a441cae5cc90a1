//! Law: no call of a plan that needs an approval acts before somebody has consented to this very plan: its caller, who
//! may, or a person who was asked about its calls with their arguments. A call that cannot be undone has an approval of
//! its own, unless it is all that the plan does.

use std::collections::BTreeSet;

use abide_engine::base::{Digest, RunId, Value};
use abide_engine::facade::ApprovalView;
use abide_engine::ledger::{EventKind, ReceiptStatus};
use abide_engine::run::{ApprovalScope, RunConsent};
use abide_engine::store::ApprovalState;
use abide_judgement::data::operator::PlanRow;
use serde_json::json;

use crate::play::TenantEvidence;

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let mut broken = Vec::new();
    for asked in &evidence.judgement.stored.plans {
        let Some(planned) = asked.planned.as_ref().filter(|it| it.plan.requires_approval) else {
            continue;
        };
        if let Some(run) = evidence.judgement.runs.get(&planned.plan.plan_id) {
            let by_caller = asked.classification.consented;
            broken.extend(acts_unasked(evidence, *run, planned, by_caller));
        }
    }
    broken
}

/// Returns the calls of a plan's run that act without the consent that they need.
fn acts_unasked(
    evidence: &TenantEvidence,
    run: RunId,
    planned: &PlanRow,
    by_caller: bool,
) -> Vec<String> {
    let about: BTreeSet<String> = approvals_of(evidence, run, planned);
    let (mut consented, mut broken) = (false, Vec::new());
    for event in evidence.events.iter().filter(|event| event.run == Some(run)) {
        let body = &event.body;
        match EventKind::parse(event.kind.as_str()) {
            Some(EventKind::RunStarted) => {
                let consent = serde_json::from_value::<RunConsent>(body["consent"].clone());
                consented |= by_caller && consent.is_ok_and(RunConsent::is_given);
            }
            Some(EventKind::ApprovalEnded) => {
                let approved = body["state"] == ApprovalState::Approved.as_str();
                let id = body["approval_id"].as_str().unwrap_or_default();
                consented |= approved && about.contains(id);
            }
            Some(EventKind::Receipt) if body["status"] == ReceiptStatus::Succeeded.as_str() => {
                let has_own = body["approval_id"].is_string();
                let needs_own = body["risk"] == "T4" && planned.plan.calls.len() > 1;
                if !(has_own || consented && !needs_own) {
                    let plan = planned.plan.plan_id;
                    broken.push(format!("{run} of {plan} called {} unasked", body["tool"]));
                }
            }
            _ => {}
        }
    }
    broken
}

/// Returns the ids of the approvals that name exactly the calls of a plan, and were asked for by its run.
fn approvals_of(evidence: &TenantEvidence, run: RunId, planned: &PlanRow) -> BTreeSet<String> {
    let calls = planned.plan.calls.iter();
    let calls: Vec<Value> = calls
        .map(|call| json!({ "step_id": call.step_id, "tool": call.tool, "input": call.input }))
        .collect();
    let whole = json!({ "plan_id": planned.plan.plan_id, "calls": calls });
    let is_of_it = |approval: &&ApprovalView| {
        approval.run_id == run
            && approval.scope == ApprovalScope::Run
            && approval.input == whole
            && approval.digest == Digest::of_value(&whole).to_string()
    };
    let asked = evidence.judgement.approvals.iter().filter(is_of_it);
    asked.map(|approval| approval.id.to_string()).collect()
}
