//! Law: each layer of the operator begins with what the layer before has stored, and none is left out: a message is
//! classified, then planned, then run. Whatever process dies in between, another one continues.

use std::collections::BTreeSet;

use abide_engine::base::RunId;

use crate::play::TenantEvidence;

/// How the names of the methods begin that carry out plans.
const METHOD: &str = "plan_";
/// The domain whose tools the operator plans with. A tenant without it has no plan that can run.
const TRADE: &str = "trade";

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let judgement = &evidence.judgement;
    let mut broken = Vec::new();
    for asked in &judgement.stored.plans {
        let row = &asked.classification;
        if row.due_at.is_some() {
            broken.push(format!("{} is left at `{}`", row.id, row.stage));
        }
        let Some(planned) = &asked.planned else {
            broken.push(format!("{} was never planned", row.id));
            continue;
        };
        let plan = planned.plan.plan_id;
        if planned.created_at + evidence.clock_tolerance < row.created_at {
            broken.push(format!("{plan} is older than {}", row.id));
        }
        let Some(run) = judgement.runs.get(&plan) else {
            let is_to_run = row.mode.runs() && planned.plan.is_runnable();
            if is_to_run && evidence.settings.has_domain(TRADE) {
                broken.push(format!("{plan} is to run, and has no run"));
            }
            continue;
        };
        let begun = evidence.events.iter().find(|event| event.run == Some(*run));
        if begun.is_some_and(|event| event.at + evidence.clock_tolerance < planned.created_at) {
            broken.push(format!("{run} is older than {plan}"));
        }
    }
    let planned: BTreeSet<RunId> = judgement.runs.values().copied().collect();
    let of_plans = evidence.runs.iter().filter(|run| run.method.starts_with(METHOD));
    let unplanned = of_plans.filter(|run| !planned.contains(&run.id));
    broken.extend(unplanned.map(|run| format!("{} carries out no stored plan", run.id)));
    broken
}
