//! The verb `search_people`: finds people who may be asked to serve.
//! The person who has gone longest without taking a place comes first; with the setting `ask_order: likely`, people
//! who have gone alike long are sorted by how likely they are to answer.

use abide_engine::base::{PersonId, Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use super::args;
use crate::assignment::AssignmentState;
use crate::data;
use crate::operations::{OperationContext, ask_order, requests};
use crate::request::ServicePeriod;

pub(super) struct SearchPeople;

/// Maximum number of people in a result, because the size of a variable is limited.
const FOUND_MAX: i64 = 100_000;

#[async_trait]
impl WriteVerb for SearchPeople {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let limit = args.get("limit").and_then(Value::as_i64).unwrap_or(FOUND_MAX).min(FOUND_MAX);
        let filter = args.get("filter").unwrap_or(&Value::Null);
        let people = match filter.get("assigned_to") {
            Some(place) => holders(tx, cx, place, limit).await?,
            None => {
                let wanted = data::person::PersonFilter {
                    limit: limit.max(ask_order::sorted(cx)),
                    ..args::filter(filter)?
                };
                let period = period(tx, cx).await?;
                let mut found = data::person::candidates(tx, cx.tenant, &wanted, period).await?;
                ask_order::sort(tx, cx, &mut found).await?;
                found.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
                preferred_first(found, &args::people_or_none(args, "prefer")?)
            }
        };
        Ok(VerbOutcome::done(json!({"people": people}), Effects::default()))
    }
}

/// Returns people with those who are preferred before the others; both in the sequence in which they were found.
fn preferred_first(found: Vec<PersonId>, preferred: &[PersonId]) -> Vec<PersonId> {
    let (mut first, others): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|person| preferred.contains(person));
    first.extend(others);
    first
}

/// Returns the time that the service takes which the run is about: that of its request, or the one that its goal
/// names; `None` if it names none.
async fn period(tx: &mut Tx, cx: &CallContext<'_>) -> Result<Option<ServicePeriod>, Problem> {
    if cx.request.is_some() {
        return Ok(Some(args::request(tx, cx, None).await?.period()));
    }
    let named = cx.goal.get("time").and_then(Value::as_str).and_then(|time| time.parse().ok());
    let Some(starts) = named else { return Ok(None) };
    requests::service_period(tx, &OperationContext::of_call(cx), starts).await.map(Some)
}

/// Returns the people who hold a place in a role of the run's request.
/// The person who was accepted first comes first.
async fn holders(
    tx: &mut Tx,
    cx: &CallContext<'_>,
    place: &Value,
    limit: i64,
) -> Result<Vec<PersonId>, Problem> {
    let role = args::role(place, "role")?;
    let request = args::request(tx, cx, Some(args::instant(place, "time")?)).await?;
    let held = data::assignment::in_state(tx, request.id, &role, AssignmentState::Accepted).await?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    Ok(held.into_iter().take(limit).map(|assignment| assignment.person).collect())
}
