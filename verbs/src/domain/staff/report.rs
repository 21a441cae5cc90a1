//! Tells members of staff how far their requests are.

use abide_engine::base::{PersonId, Problem, RequestId};
use abide_engine::domain::Applied;
use abide_engine::store::Tx;
use serde_json::{Value, json};

use super::OrderHandler;
use crate::assignment::AssignmentState;
use crate::data;
use crate::domain::handler::done;
use crate::domain::order::ReportOrder;

impl OrderHandler<'_> {
    /// Tells how many places are taken, and by whom if the order asks for names.
    pub(super) async fn report(
        &self,
        tx: &mut Tx,
        order: &ReportOrder,
    ) -> Result<Applied, Problem> {
        let mut teams: Vec<Value> = Vec::new();
        for request in &order.requests {
            let counts = data::assignment::counts(tx, request.id).await?;
            for (role, wanted) in request.targets.iter().filter(|(_, wanted)| **wanted > 0) {
                if order.role.as_ref().is_some_and(|only| only != role) {
                    continue;
                }
                let count = |state| counts.get(&(role.clone(), state)).copied().unwrap_or_default();
                let mut team = json!({
                    "role": role,
                    "time": request.time.to_string(),
                    "n": count(AssignmentState::Accepted),
                    "m": wanted,
                    "open": count(AssignmentState::Invited),
                });
                if order.with_names {
                    let said_yes = AssignmentState::Accepted;
                    let names = self.names(tx, request.id, role, said_yes).await?;
                    if !names.is_empty() {
                        team["names"] = names.join(", ").into();
                    }
                }
                teams.push(team);
            }
        }
        self.answer(tx, "status", &json!({ "teams": teams })).await?;
        Ok(done(self.message.answered_staff()))
    }

    async fn names(
        &self,
        tx: &mut Tx,
        request: RequestId,
        role: &str,
        state: AssignmentState,
    ) -> Result<Vec<String>, Problem> {
        let found = data::assignment::in_state(tx, request, role, state).await?;
        let ids: Vec<PersonId> = found.iter().map(|assignment| assignment.person).collect();
        let people = data::person::by_ids(tx, self.message.context.tenant, &ids).await?;
        let first = |name: &str| name.split_whitespace().next().unwrap_or(name).to_owned();
        Ok(people.iter().map(|person| first(&person.name)).collect())
    }
}
