//! Tells a member of staff what happens now that a run starts for what they wrote.

use abide_agent::staff::Intents;
use abide_engine::base::{Problem, Timestamp, Value};
use abide_engine::domain::{DomainContext, StartRun, TextedStart};
use abide_engine::store::{InboundRow, Tx};
use serde_json::json;

use super::fill::candidates;
use super::method::staff_sender;
use crate::domain::open::filled_role;
use crate::operations::messages::{self, MessageDraft};
use crate::operations::{OperationContext, time_zone};

/// Tells the sender of a message what happens now that a run starts for it. Runs that only change or call off
/// something tell so themselves.
pub(in crate::domain) async fn tell_started(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    inbound: &InboundRow,
    started: TextedStart<'_>,
    intents: &Intents,
) -> Result<(), Problem> {
    let context = OperationContext::of_domain(cx).answering(inbound.id);
    let goal = &started.wanted.goal;
    let kind = goal["kind"].as_str().unwrap_or_default();
    let (template, vars) = match (filled_role(goal), intents.of_kind(kind)) {
        (Some(role), _) => ("staff_ack", asking(tx, &context, started.wanted, role).await?),
        (None, Some(intent)) => ("own_ack", described(&intent.description, goal)),
        (None, None) => return Ok(()),
    };
    let Some(staff) = staff_sender(tx, cx, inbound).await? else { return Ok(()) };
    let draft = MessageDraft::nth_answer(staff, inbound.id, started.nth);
    messages::send(tx, &context, template, &[draft], &vars).await.map(drop)
}

/// Returns whom a run that fills a role asks, and from when.
async fn asking(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    start: &StartRun,
    role: &str,
) -> Result<Value, Problem> {
    let goal = &start.goal;
    let mut vars = json!({ "role": role, "time": goal["time"], "count": goal["count"] });
    let time: Option<Timestamp> = goal["time"].as_str().and_then(|time| time.parse().ok());
    if let Some(time) = time {
        let team = goal["team"].as_str().unwrap_or(role);
        let left_out = goal["exclude"].as_array().map_or(0, Vec::len);
        let asking = candidates(tx, context, team, time).await?.len().saturating_sub(left_out);
        if asking > 0 {
            vars["asking"] = Value::from(asking);
        }
    }
    let zone = time_zone::of(context.settings);
    let starts_at = context.settings.quiet_hours.permitted(context.now, &zone);
    if starts_at > context.now {
        vars["starts_at"] = Value::from(starts_at.to_string());
    }
    Ok(vars)
}

/// Returns the variables of a text about what a home adds: what happens, and what the goal names.
pub(super) fn described(what: &str, goal: &Value) -> Value {
    let mut vars = json!({ "what": what, "details": details(goal) });
    if let Some(time) = goal.as_object().and_then(|goal| goal.values().find_map(as_instant)) {
        vars["time"] = time.to_string().into();
    }
    vars
}

/// Returns what a goal of a home names, each as words: "room: kitchen". Times are left to the template.
fn details(goal: &Value) -> Vec<String> {
    let members = goal.as_object().into_iter().flatten();
    let told = members.filter(|(name, value)| *name != "kind" && as_instant(value).is_none());
    told.map(|(name, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), |text| text.replace('_', " "));
        format!("{}: {value}", name.replace('_', " "))
    })
    .collect()
}

fn as_instant(value: &Value) -> Option<Timestamp> {
    value.as_str()?.parse().ok()
}
