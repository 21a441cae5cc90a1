//! Calls requests off. What people have promised to do is called off only after a yes.

use std::collections::BTreeMap;

use abide_engine::base::Problem;
use abide_engine::domain::{Applied, StartRun};
use abide_engine::store::Tx;
use serde_json::{Value, json};

use super::OrderHandler;
use crate::assignment::AssignmentState;
use crate::data;
use crate::data::question::ClarificationKind;
use crate::domain::handler::done;
use crate::domain::order::CancelOrder;

/// The people whom a cancellation touches.
#[derive(Default)]
struct Touched {
    accepted: i64,
    asked: i64,
}

impl OrderHandler<'_> {
    /// Calls off a single request to which nobody has said yes. Before anything else, says what would be called off
    /// and how many people it touches, and waits for a yes.
    pub(super) async fn cancel(
        &self,
        tx: &mut Tx,
        order: &CancelOrder,
    ) -> Result<Applied, Problem> {
        let touched = touched(tx, order).await?;
        if order.requests.len() == 1 && order.role.is_none() && touched.accepted == 0 {
            return Ok(self.call_off(order));
        }
        self.keep(tx, ClarificationKind::Confirm, &order.wish).await?;
        let teams = order.requests.iter().flat_map(|request| {
            let wanted = request.targets.iter().filter(|(role, n)| {
                **n > 0 && order.role.as_ref().is_none_or(|only| only == *role)
            });
            wanted.map(|(role, _)| json!({ "role": role, "time": request.time.to_string() }))
        });
        let vars = json!({
            "teams": teams.collect::<Vec<Value>>(),
            "accepted": touched.accepted,
            "asked": touched.asked,
        });
        self.answer(tx, "cancel_check", &vars).await?;
        Ok(done(self.message.answered_staff()))
    }

    /// Calls off what an order names. The runs that do so tell everybody concerned.
    pub(super) fn call_off(&self, order: &CancelOrder) -> Applied {
        let starts = order.requests.iter().enumerate().map(|(nth, request)| {
            let start = match &order.role {
                Some(role) => self.retargeting(request, &BTreeMap::from([(role.clone(), 0)])),
                None => {
                    let time = request.time.to_string();
                    let goal =
                        json!({ "kind": "CancelRequest", "request_id": request.id, "time": time });
                    StartRun { request: Some(request.id), ..self.start(goal) }
                }
            };
            StartRun { key: start.key.map(|key| format!("{key}:{nth}")), ..start }
        });
        Applied { starts: starts.collect(), ..done(self.message.answered_staff()) }
    }
}

async fn touched(tx: &mut Tx, order: &CancelOrder) -> Result<Touched, Problem> {
    let mut touched = Touched::default();
    for request in &order.requests {
        for ((role, state), n) in data::assignment::counts(tx, request.id).await? {
            match state {
                _ if order.role.as_ref().is_some_and(|only| *only != role) => {}
                AssignmentState::Accepted | AssignmentState::Waitlisted => touched.accepted += n,
                AssignmentState::Invited => touched.asked += n,
                AssignmentState::Declined | AssignmentState::Cancelled => {}
            }
        }
    }
    Ok(touched)
}
