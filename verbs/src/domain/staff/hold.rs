//! Lets the runs that fill requests wait, or go on.

use abide_engine::base::Problem;
use abide_engine::domain::Applied;
use abide_engine::store::{SignalKind, Tx};
use serde_json::json;

use super::OrderHandler;
use crate::data;
use crate::domain::handler::done;
use crate::domain::view::LiveRequest;

impl OrderHandler<'_> {
    /// Pauses or resumes the runs of these requests, and says how many there are.
    pub(super) async fn hold(
        &self,
        tx: &mut Tx,
        requests: &[LiveRequest],
        pause: bool,
    ) -> Result<Applied, Problem> {
        let order = if pause { "pause" } else { "resume" };
        let inbound = self.message.inbound.id;
        let key = format!("inbound:{inbound}:{order}");
        let why = json!({ "reason": format!("a member of staff wrote to {order}") });
        let mut held = Vec::new();
        for request in requests {
            for run in data::live_fill::runs_of(tx, request.id).await? {
                tx.signal(run, SignalKind::Order(order), Some(&key), &why).await?;
                held.push(run);
            }
        }
        self.answer(tx, "held", &json!({ "pause": pause, "runs": held.len() })).await?;
        Ok(Applied { run: held.first().copied(), ..done(self.message.answered_staff()) })
    }
}
