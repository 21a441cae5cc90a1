//! Computes the functions with which expressions read data of the church domain, such as `accepted_for`.

use abide_engine::base::{PersonId, Problem, RequestId, Timestamp, Value};
use abide_engine::domain::DomainContext;
use abide_engine::expr::FactCall;
use abide_engine::store::Tx;
use serde_json::json;

use crate::assignment::AssignmentState;
use crate::data;
use crate::operations::requests;
use crate::request::targets::checked_role;
use crate::request::{Request, Targets};

/// Returns the value of a function that reads data about the run's request. If the arguments
/// include a time, the function reads data about the live request at that time instead.
pub(super) async fn answer(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    request: Option<RequestId>,
    call: &FactCall,
) -> Result<Value, Problem> {
    match call.function.as_str() {
        "pending_for" => {
            let role = role(call, 0)?;
            let found = subject(tx, cx, request, time(call, 1)?).await?;
            let count = match &found {
                Some(found) => data::offer::pending_in(tx, found.id, &role, 0).await?.len(),
                None => 0,
            };
            // The wave 0 stands for all waves so far.
            let id = found.map(|found| found.id);
            Ok(json!({"request": id, "role": role, "wave": 0, "count": count}))
        }
        "accepted_for" => in_state(tx, cx, request, call, AssignmentState::Accepted).await,
        "declined_for" => in_state(tx, cx, request, call, AssignmentState::Declined).await,
        "silent_for" => in_state(tx, cx, request, call, AssignmentState::Invited).await,
        "targets_satisfied" => {
            let targets = Targets::from_value(argument(call, 0, "targets"))?;
            let Some(found) = subject(tx, cx, request, time(call, 1)?).await? else {
                return Ok(json!(false));
            };
            Ok(json!(targets.satisfied(&requests::accepted(tx, found.id).await?)))
        }
        "overfill" => {
            let role = role(call, 0)?;
            let targets = Targets::from_value(argument(call, 1, "targets"))?;
            let Some(found) = subject(tx, cx, request, None).await? else {
                return Ok(json!(0));
            };
            let taken = requests::accepted(tx, found.id).await?.get(&role).copied().unwrap_or(0);
            Ok(json!((taken - targets.of(&role)).max(0)))
        }
        "latest" => latest(tx, cx, request, call).await,
        other => Err(Problem::bug(format!("no fact is called `{other}`"))),
    }
}

/// Returns the ids of the people whose assignment for a role is in this state.
/// The person whose assignment took effect first comes first.
async fn in_state(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    request: Option<RequestId>,
    call: &FactCall,
    state: AssignmentState,
) -> Result<Value, Problem> {
    let role = role(call, 0)?;
    let Some(found) = subject(tx, cx, request, time(call, 1)?).await? else {
        return Ok(json!([]));
    };
    let found = data::assignment::in_state(tx, found.id, &role, state).await?;
    Ok(found.into_iter().map(|assignment| json!(assignment.person)).collect())
}

/// Returns those of the people in the argument `people` who took their places last:
/// at most `n` people, the latest first.
async fn latest(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    request: Option<RequestId>,
    call: &FactCall,
) -> Result<Value, Problem> {
    let n = argument(call, 1, "n").as_i64().and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
    let people: std::collections::BTreeSet<PersonId> = argument(call, 0, "people")
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|person| person.as_str()?.parse().ok())
        .collect();
    let Some(found) = subject(tx, cx, request, None).await? else { return Ok(json!([])) };
    let mut held = data::assignment::places(tx, found.id).await?;
    held.retain(|assignment| people.contains(&assignment.person));
    held.sort_by_key(|assignment| std::cmp::Reverse(assignment.ord));
    Ok(json!(held.into_iter().take(n).map(|a| a.person).collect::<Vec<_>>()))
}

/// Returns the request about which data is read. This is the run's request, unless another time
/// is given: then it is the live request at that time. Returns `None` if there is no such request.
async fn subject(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    request: Option<RequestId>,
    time: Option<Timestamp>,
) -> Result<Option<Request>, Problem> {
    let own = match request {
        Some(id) => Some(requests::load(tx, cx.tenant, id).await?),
        None => None,
    };
    match (time, own) {
        (Some(time), Some(own)) if !own.is_at(time) => {
            Ok(data::request::live_at(tx, cx.tenant, &own.campus, time).await?)
        }
        (Some(time), None) => Ok(data::request::live_at(tx, cx.tenant, "", time).await?),
        (_, own) => Ok(own),
    }
}

fn argument<'c>(call: &'c FactCall, at: usize, name: &str) -> &'c Value {
    let named = call.named.iter().find(|(given, _)| given == name).map(|(_, value)| value);
    named.or_else(|| call.args.get(at)).unwrap_or(&Value::Null)
}

fn role(call: &FactCall, at: usize) -> Result<String, Problem> {
    checked_role(argument(call, at, "role").as_str().unwrap_or_default())
}

fn time(call: &FactCall, at: usize) -> Result<Option<Timestamp>, Problem> {
    match argument(call, at, "time") {
        Value::Null => Ok(None),
        value => value.as_str().unwrap_or_default().parse().map(Some).map_err(
            |e: abide_engine::base::time::BadTime| Problem::author("invalid_args", e.to_string()),
        ),
    }
}
