//! Changes how many people a request wants in its roles.

use std::collections::BTreeMap;

use abide_engine::base::{Problem, Timestamp};
use abide_engine::domain::{Applied, StartRun};
use abide_engine::store::Tx;
use serde_json::json;

use super::OrderHandler;
use crate::domain::order::RetargetOrder;
use crate::domain::view::LiveRequest;

impl OrderHandler<'_> {
    /// Starts a run that changes targets and moves people, and says what is aimed at.
    pub(super) async fn retarget(
        &self,
        tx: &mut Tx,
        order: &RetargetOrder,
    ) -> Result<Applied, Problem> {
        self.tell_targets(tx, order.request.time, &order.targets).await?;
        Ok(self.started(self.retargeting(&order.request, &order.targets)))
    }

    /// Returns the start of a run that gives a request new targets.
    pub(super) fn retargeting(
        &self,
        request: &LiveRequest,
        targets: &BTreeMap<String, i64>,
    ) -> StartRun {
        let time = request.time.to_string();
        let goal = json!({ "kind": "RebalanceTargets", "targets": targets, "time": time });
        StartRun { request: Some(request.id), ..self.start(goal) }
    }

    /// Says which numbers of people are aimed at.
    pub(super) async fn tell_targets(
        &self,
        tx: &mut Tx,
        time: Timestamp,
        targets: &BTreeMap<String, i64>,
    ) -> Result<(), Problem> {
        let described = |(role, n): (&String, &i64)| format!("{n} {}", role.replace('_', " "));
        let wanted: Vec<String> = targets.iter().map(described).collect();
        let vars = json!({ "time": time.to_string(), "wanted": wanted });
        self.answer(tx, "new_targets", &vars).await
    }
}
