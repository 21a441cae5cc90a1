//! `assign`: gives a person a place. Usually the person's own yes has already done so.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, Outcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use super::args;
use crate::assignment::State;
use crate::data;
use crate::desk::Scene;
use crate::desk::places::{self, Claim, Taken};

pub(super) struct Assign;

#[async_trait]
impl WriteVerb for Assign {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<Outcome, Problem> {
        let role = args::role(args, "role")?;
        let mut request = args::request(tx, cx, Some(args::instant(args, "time")?)).await?;
        let person = args::person(tx, cx, args).await?;
        let standing = data::assignment::of_people(tx, request.id, &role, &[person]).await?;
        let state = standing.get(&person).map(|assignment| assignment.state);
        // A person who said no or gave a place back is never assigned against their will.
        if let Some(state @ (State::Declined | State::Cancelled)) = state {
            return Ok(unchanged(state));
        }
        let room = places::has_room(tx, &request, &role).await?;
        match state {
            Some(state @ State::Accepted) => return Ok(unchanged(state)),
            Some(state @ State::Waitlisted) if !room => return Ok(unchanged(state)),
            _ if !room => return Err(full(&role)),
            _ => {}
        }
        let scene = Scene::of_call(cx);
        let claim = Claim { person, role: &role, received_at: cx.now };
        match places::take(tx, &scene, &mut request, claim).await? {
            Taken::Elsewhere(other) => Err(Problem::caller(
                "has_place",
                format!("`{person}` already has a place in `{other}` at that time"),
            )
            .with_hint("take that place back first: a person has one place in a service")),
            Taken::Unchanged(state) => Ok(unchanged(state)),
            Taken::Waitlisted => Err(full(&role)),
            Taken::Placed => {
                let mut effects = Effects::default();
                effects.wrote("assignment", "update", person);
                let result = json!({"state": State::Accepted.as_str(), "changed": true});
                Ok(Outcome::done(result, effects))
            }
        }
    }
}

fn unchanged(state: State) -> Outcome {
    Outcome::done(json!({"state": state.as_str(), "changed": false}), Effects::default())
}

fn full(role: &str) -> Problem {
    Problem::caller("target_full", format!("every place of `{role}` is taken"))
        .with_hint("raise the request's target first")
}
