//! Handles messages by which staff tell abide to fill a role.

use abide_engine::base::{Problem, Timestamp, Value};
use abide_engine::domain::{Applied, HandledAs, StartRun};
use abide_engine::store::Tx;
use serde_json::json;

use super::handler::{MessageHandler, done};
use super::open::FILL_ROLE;
use crate::data;
use crate::data::person::PersonFilter;
use crate::data::question::ClarificationKind;
use crate::operations::{messages, requests};
use crate::reader::{Intent, Missing, StaffReading};
use crate::request::Request;
use crate::request::targets::TARGET_MAX;

/// The method that a message from staff starts to fill a role.
const METHOD: &str = "fill_roles";

/// Starts a run that fills a role, and tells the staff member what happens next.
/// If a run already fills the role, reports the progress of that run instead.
pub(super) async fn start(
    tx: &mut Tx,
    handler: &MessageHandler<'_>,
    reading: &StaffReading,
) -> Result<Applied, Problem> {
    let (Some(role), Some(time)) = (&reading.role, reading.time) else {
        return ask_back(tx, handler, reading).await;
    };
    let known = data::request::live_at(tx, handler.context.tenant, "", time).await?;
    if let Some(request) = &known
        && let Some(run) = data::live_fill::find(tx, request.id, METHOD, role).await?
    {
        report(tx, handler, request, role).await?;
        return Ok(Applied { run: Some(run), ..done(HandledAs::StaffRequest) });
    }
    let wanted = known.map_or(0, |request| request.targets.of(role));
    let count = reading.count.unwrap_or_else(|| wanted + reading.delta.unwrap_or(0));
    if !(1..=TARGET_MAX).contains(&count) {
        return ask_back(
            tx,
            handler,
            &StaffReading { count: None, delta: None, ..reading.clone() },
        )
        .await;
    }
    acknowledge(tx, handler, role, time, count).await?;
    let start = StartRun {
        method: METHOD.to_owned(),
        goal: json!({"kind": FILL_ROLE, "role": role, "count": count, "time": time.to_string()}),
        key: Some(format!("inbound:{}", handler.inbound.id)),
        ..StartRun::default()
    };
    let handled_as = match handler.answered() {
        HandledAs::Reply => HandledAs::StaffRequest,
        other => other,
    };
    Ok(Applied { start: Some(start), ..done(handled_as) })
}

/// Tells the staff member how many places are taken in a role that a run already fills.
async fn report(
    tx: &mut Tx,
    handler: &MessageHandler<'_>,
    request: &Request,
    role: &str,
) -> Result<(), Problem> {
    let Some(staff) = handler.view.staff().map(|staff| staff.person) else { return Ok(()) };
    let taken = requests::accepted(tx, request.id).await?.get(role).copied().unwrap_or(0);
    let mut vars = messages::role_variables(request, role);
    vars["n"] = Value::from(taken);
    vars["m"] = Value::from(request.targets.of(role));
    vars["asking"] = Value::from(true);
    handler.answer(tx, staff, "filled_n_of_m", &vars).await
}

/// Asks the staff member for the missing details, and stores the details that were understood.
pub(super) async fn ask_back(
    tx: &mut Tx,
    handler: &MessageHandler<'_>,
    reading: &StaffReading,
) -> Result<Applied, Problem> {
    let Some(person) = handler.view.staff().map(|staff| staff.person) else {
        return Ok(done(HandledAs::Unmatched));
    };
    let kept = StaffReading { intent: Intent::Clarify, ..reading.clone() };
    handler.ask_clarification(tx, person, ClarificationKind::Staff, kept.to_value()).await?;
    let missing: Vec<&str> = kept.missing().into_iter().map(Missing::as_str).collect();
    handler.answer(tx, person, "clarify", &json!({"missing": missing})).await?;
    Ok(done(HandledAs::StaffRequest))
}

async fn acknowledge(
    tx: &mut Tx,
    handler: &MessageHandler<'_>,
    role: &str,
    time: Timestamp,
    count: i64,
) -> Result<(), Problem> {
    let Some(staff) = handler.view.staff().map(|staff| staff.person) else { return Ok(()) };
    let context = &handler.context;
    let filter =
        PersonFilter { roles: vec![role.to_owned()], limit: i64::MAX, ..PersonFilter::default() };
    let asking = data::person::candidates(tx, context.tenant, &filter, Some(time)).await?.len();
    let mut vars = json!({"role": role, "time": time.to_string(), "count": count});
    if asking > 0 {
        vars["asking"] = Value::from(asking);
    }
    let starts_at =
        context.settings.quiet_hours.permitted(context.now, &handler.view.calendar().zone);
    if starts_at > context.now {
        vars["starts_at"] = Value::from(starts_at.to_string());
    }
    handler.answer(tx, staff, "staff_ack", &vars).await
}
