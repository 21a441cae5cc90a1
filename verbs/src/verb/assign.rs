//! The verb `assign`: gives a person a place. Often the person has the place already,
//! because a yes to an offer gives a place at once.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use super::args;
use crate::assignment::AssignmentState;
use crate::data;
use crate::operations::OperationContext;
use crate::operations::places::{self, ClaimResult, PlaceClaim};

pub(super) struct Assign;

#[async_trait]
impl WriteVerb for Assign {
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
        let standing = data::assignment::of_people(tx, request.id, &role, &[person]).await?;
        let state = standing.get(&person).map(|assignment| assignment.state);
        // A person who said no or gave a place back must not be assigned against their will.
        if let Some(state @ (AssignmentState::Declined | AssignmentState::Cancelled)) = state {
            return Ok(unchanged(state));
        }
        let room = places::has_room(tx, &request, &role).await?;
        match state {
            Some(state @ AssignmentState::Accepted) => return Ok(unchanged(state)),
            Some(state @ AssignmentState::Waitlisted) if !room => return Ok(unchanged(state)),
            _ if !room => return Err(full(&role)),
            _ => {}
        }
        let context = OperationContext::of_call(cx);
        let claim = PlaceClaim { person, role: &role, received_at: cx.now };
        match places::claim(tx, &context, &mut request, claim).await? {
            ClaimResult::Elsewhere(other) => Err(Problem::caller(
                "has_place",
                format!("`{person}` already has a place in `{other}` at that time"),
            )
            .with_hint("take that place back first: a person has one place in a service")),
            ClaimResult::Clash(held) => Err(Problem::caller(
                "has_place",
                format!(
                    "`{person}` has a place in `{}` at {}, which overlaps",
                    held.role, held.time
                ),
            )
            .with_hint("take that place back first: nobody serves in two services that overlap")),
            ClaimResult::Unchanged(state) => Ok(unchanged(state)),
            ClaimResult::Waitlisted => Err(full(&role)),
            ClaimResult::Placed => {
                let mut effects = Effects::default();
                effects.wrote("assignment", "update", person);
                let result = json!({"state": AssignmentState::Accepted.as_str(), "changed": true});
                Ok(VerbOutcome::done(result, effects))
            }
        }
    }
}

fn unchanged(state: AssignmentState) -> VerbOutcome {
    VerbOutcome::done(json!({"state": state.as_str(), "changed": false}), Effects::default())
}

fn full(role: &str) -> Problem {
    Problem::caller("target_full", format!("every place of `{role}` is taken"))
        .with_hint("raise the request's target first")
}
