//! Law: the run of a plan makes the calls that the plan lists, each at most once, and no other. A plan that was
//! refused, that lacks something or that a check stopped has no run, and neither has one that its caller only wanted
//! to see.

use abide_engine::base::Value;
use abide_judgement::operator::PlannedToolCall;

use super::history::receipts_of;
use crate::play::TenantEvidence;

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let mut broken = Vec::new();
    for asked in &evidence.judgement.stored.plans {
        let Some(planned) = &asked.planned else { continue };
        let (plan, mode) = (&planned.plan, asked.classification.mode);
        let Some(run) = evidence.judgement.runs.get(&plan.plan_id) else { continue };
        if !plan.is_runnable() {
            broken.push(format!("{} is `{}`, and {run} runs", plan.plan_id, plan.status));
        }
        if !mode.runs() {
            broken.push(format!(
                "{} was asked for in the mode `{mode}`, and {run} runs",
                plan.plan_id
            ));
        }
        let mut left: Vec<&PlannedToolCall> = plan.calls.iter().collect();
        for receipt in receipts_of(evidence, *run) {
            let word = |name: &str| receipt.get(name).and_then(Value::as_str).unwrap_or_default();
            let (step, tool) = (word("step_id"), word("tool"));
            match left.iter().position(|call| call.step_id == step && call.tool == tool) {
                Some(place) => drop(left.remove(place)),
                None => broken.push(format!(
                    "{run} calls `{tool}` at {step}, which {} does not list (again)",
                    plan.plan_id
                )),
            }
        }
    }
    broken
}
