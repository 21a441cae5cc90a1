//! The verb `unassign`: takes a place back from a person, and gives it to the first person
//! on the waitlist.

use abide_engine::base::{PersonId, Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use super::args;
use crate::assignment::{AssignmentCause, AssignmentState};
use crate::data;
use crate::operations::OperationContext;
use crate::operations::places::{self, PlaceRelease, ReleaseResult};
use crate::request::Request;

pub(super) struct Unassign;

/// If the argument `reason` has this value, the person loses the place but gets a rank on the waitlist.
/// The method can then ask the person to change to another role.
const REBALANCE: &str = "rebalance";

#[async_trait]
impl WriteVerb for Unassign {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let role = args::role(args, "role")?;
        let mut request = args::request(tx, cx, Some(args::instant(args, "time")?)).await?;
        let person = args::person(tx, cx, args).await?;
        let reason = args.get("reason").and_then(Value::as_str);
        let cause = if reason == Some(REBALANCE) {
            AssignmentCause::Rebalance
        } else {
            AssignmentCause::Release
        };
        let wanted = PlaceRelease { person, role: &role, cause, reason };
        match places::release(tx, &OperationContext::of_call(cx), &mut request, wanted).await? {
            Some(released) => Ok(moved(person, &released)),
            None => unchanged(tx, &request, person, &role).await,
        }
    }
}

fn moved(person: PersonId, released: &ReleaseResult) -> VerbOutcome {
    let promoted: Vec<_> = released.promoted.iter().map(|sent| sent.person).collect();
    let mut effects = Effects::default();
    for changed in std::iter::once(&person).chain(&promoted) {
        effects.wrote("assignment", "update", changed);
    }
    args::record_messages(&mut effects, &released.promoted);
    let result = json!({
        "person": person,
        "state": released.became.as_str(),
        "changed": true,
        "promoted": promoted,
    });
    VerbOutcome::done(result, effects)
}

/// Returns the result for a person who had neither a place nor a rank on the waitlist to give back.
async fn unchanged(
    tx: &mut Tx,
    request: &Request,
    person: PersonId,
    role: &str,
) -> Result<VerbOutcome, Problem> {
    let known = data::assignment::of_people(tx, request.id, role, &[person]).await?;
    let state =
        known.get(&person).map_or("none", |assignment| AssignmentState::as_str(assignment.state));
    let result = json!({"person": person, "state": state, "changed": false, "promoted": []});
    Ok(VerbOutcome::done(result, Effects::default()))
}
