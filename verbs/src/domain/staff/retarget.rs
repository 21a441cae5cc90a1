//! Changes how many people a request wants in its roles.

use abide_engine::base::Problem;
use abide_engine::domain::Applied;
use abide_engine::store::Tx;
use serde_json::json;

use super::OrderHandler;
use crate::domain::order::RetargetOrder;

/// The method that changes targets, and moves people to fit them.
pub(super) const METHOD: &str = "rebalance_roles";

impl OrderHandler<'_> {
    /// Starts a run that changes targets and moves people, and says what is aimed at.
    pub(super) async fn retarget(
        &self,
        tx: &mut Tx,
        order: &RetargetOrder,
    ) -> Result<Applied, Problem> {
        let described = |(role, n): (&String, &i64)| format!("{n} {}", role.replace('_', " "));
        let wanted: Vec<String> = order.targets.iter().map(described).collect();
        let time = order.request.time.to_string();
        self.answer(tx, "new_targets", &json!({ "time": time, "wanted": wanted })).await?;
        let goal = json!({ "kind": "RebalanceTargets", "targets": order.targets, "time": time });
        let mut start = self.start(METHOD, goal);
        start.request = Some(order.request.id);
        Ok(self.started(start))
    }
}
