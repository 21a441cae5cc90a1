//! Starts the methods that follow what a plan has done, as the setting `follow_ups` says.

use abide_engine::base::{Problem, Value};
use abide_engine::domain::{DomainContext, StartRun};
use abide_engine::facade::PlanRunView;
use abide_engine::run::StartConsent;
use abide_engine::store::Tx;
use serde_json::Map;

use crate::data::operator::PlanRow;
use crate::live_runs::{GoalMember, live_runs};

/// Returns the runs to start after the run of a plan. The person who approved the plan has consented to what follows it.
pub(crate) async fn follow_ups(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    planned: &PlanRow,
    run: &PlanRunView,
) -> Result<Vec<StartRun>, Problem> {
    let mut starts = Vec::new();
    let consent = match planned.plan.requires_approval {
        true => StartConsent::Given,
        false => StartConsent::Open,
    };
    for receipt in run.receipts.iter().filter(|receipt| receipt["status"] == "succeeded") {
        let tool = receipt["tool"].as_str().unwrap_or_default();
        let Some(method) = cx.settings.follow_ups.get(tool) else { continue };
        let goal = goal_of(receipt);
        let Some((member, value)) = goal.iter().find_map(|(k, v)| Some((k, v.as_str()?))) else {
            continue;
        };
        let goal_member = GoalMember { method, member, value };
        if !live_runs(tx, cx.tenant, goal_member).await?.is_empty() {
            continue;
        }
        starts.push(StartRun {
            method: method.clone(),
            key: Some(format!("{}:{}:{method}", planned.plan.plan_id, receipt["step_id"])),
            goal: Value::Object(goal),
            consent,
            ..StartRun::default()
        });
    }
    Ok(starts)
}

/// Returns the ids that the input of a call names.
fn goal_of(receipt: &Value) -> Map<String, Value> {
    let input = receipt["input"].as_object().into_iter().flatten();
    let ids = input.filter(|(member, value)| member.ends_with("_id") && value.is_string());
    ids.map(|(member, value)| (member.clone(), value.clone())).collect()
}
