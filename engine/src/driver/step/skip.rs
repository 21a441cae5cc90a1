//! Obeys the order to skip the current step.

use super::context::{Step, no_transaction};
use crate::base::{Problem, Value};
use crate::ledger::EventKind;
use crate::run::{RunStatus, WaitingFor, finish_call, finish_step};
use crate::store::SignalRow;

impl Step<'_> {
    /// Skips the step that the order names. Ignores the order if the run is at another step by now,
    /// or if child runs of the step are still running.
    pub(super) async fn skip(
        &mut self,
        order: &SignalRow,
        status: RunStatus,
    ) -> Result<(), Problem> {
        let graph = &self.live.bundle.graph;
        let seen = order.payload["path"].as_str();
        let at = self.draft.state.node(graph).filter(|node| Some(node.key.as_str()) == seen);
        let why_not = match at {
            None => Some("the run is at another step"),
            Some(_) if self.has_branches_at_work().await? => {
                Some("the branches of the step are still running")
            }
            Some(_) => None,
        };
        let (Some(node), None) = (at, why_not) else {
            self.event(
                EventKind::SignalIgnored,
                serde_json::json!({ "signal": "skip", "why": why_not }),
            );
            return Ok(());
        };
        self.disarm().await?;
        self.draft.status = status;
        self.draft.state.error = None;
        self.draft.state.early_end = None;
        self.draft.state.quarantine = None;
        let out = order.payload.get("out");
        match out {
            Some(value) => {
                for (name, value) in finish_call(node, &mut self.draft.state, value) {
                    self.draft.assign(name, value);
                }
            }
            None => finish_step(&mut self.draft.state),
        }
        // The value of `out` may be personal data, so the event records only whether the order has a value.
        let body = serde_json::json!({ "step_id": node.step_id, "gave": out.is_some() });
        self.event(EventKind::RunSkipped, body);
        Ok(())
    }

    async fn has_branches_at_work(&mut self) -> Result<bool, Problem> {
        let on = self.draft.state.call().and_then(|call| call.waiting_for.as_ref());
        if !matches!(on, Some(WaitingFor::Children(_))) {
            return Ok(false);
        }
        let run = self.live.id;
        let tx = self.tx.as_deref_mut().ok_or_else(no_transaction)?;
        Ok(!tx.live_children(run).await?.is_empty())
    }
}

/// Builds the payload of an order to skip a step.
pub(crate) fn order(path: &str, out: Option<Value>) -> Value {
    let mut order = serde_json::json!({ "path": path });
    if let Some(out) = out {
        order["out"] = out;
    }
    order
}
