//! Tells a member of staff what happens now that a run starts for what they wrote.

use abide_agent::staff::Intents;
use abide_engine::base::{Problem, Timestamp, Value};
use abide_engine::domain::{DomainContext, StartRun, TextedStart};
use abide_engine::store::{InboundRow, Tx};
use jiff::tz::TimeZone;
use serde_json::json;

use super::fill::candidates;
use super::method::staff_sender;
use crate::data;
use crate::domain::open::filled_role;
use crate::operations::OperationContext;
use crate::operations::messages::{self, MessageDraft};

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
        (None, Some(intent)) => {
            let mut vars = json!({ "what": intent.description, "details": details(goal) });
            if let Some(time) = instant(goal) {
                vars["time"] = time.to_string().into();
            }
            ("own_ack", vars)
        }
        (None, None) => return Ok(()),
    };
    let Some(staff) = staff_sender(tx, cx, inbound).await? else { return Ok(()) };
    let mut draft = MessageDraft::answer(staff, inbound.id);
    if started.nth > 0 {
        draft.occasion = Some(format!("{}~{}", inbound.id, started.nth + 1));
    }
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
    let church = data::church::find(tx, context.tenant).await?;
    let zone = church.map_or_else(|| context.settings.time_zone.clone(), |it| it.time_zone);
    let zone = TimeZone::get(&zone).unwrap_or(TimeZone::UTC);
    let starts_at = context.settings.quiet_hours.permitted(context.now, &zone);
    if starts_at > context.now {
        vars["starts_at"] = Value::from(starts_at.to_string());
    }
    Ok(vars)
}

/// Returns what a goal of a home names, each as words: "room: kitchen". Times are left to the template.
pub(super) fn details(goal: &Value) -> Vec<String> {
    let members = goal.as_object().into_iter().flatten();
    let told = members.filter(|(name, value)| *name != "kind" && as_instant(value).is_none());
    told.map(|(name, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), |text| text.replace('_', " "));
        format!("{}: {value}", name.replace('_', " "))
    })
    .collect()
}

/// Returns the first time that a goal of a home names.
pub(super) fn instant(goal: &Value) -> Option<Timestamp> {
    goal.as_object()?.values().find_map(as_instant)
}

fn as_instant(value: &Value) -> Option<Timestamp> {
    value.as_str()?.parse().ok()
}
