//! Begins a step: records the start of a new run, and obeys the orders that the run has received.

use super::context::Step;
use super::{load, upgrade};
use crate::base::{Problem, Value};
use crate::ledger::EventKind;
use crate::planning::Plan;
use crate::run::{Control, MOVE_SIGNAL, RunStatus, RunTransition, ServiceMove, UPGRADE_SIGNAL};
use crate::store::{SignalKind, SignalRow};

impl Step<'_> {
    /// Records the start of the run if it is still pending, and obeys the orders in `signals`.
    pub(super) async fn begin(&mut self, signals: &[SignalRow]) -> Result<(), Problem> {
        if self.draft.status == RunStatus::Pending {
            self.draft.transition(RunTransition::Advance)?;
            let body = self.start_as_recorded();
            self.event(EventKind::RunStarted, body);
            self.record_plan().await?;
        }
        for signal in signals {
            if signal.kind == UPGRADE_SIGNAL {
                self.draft.consume(signal.id);
                if upgrade::obey(self, signal).await? {
                    return Ok(());
                }
                continue;
            }
            if signal.kind == MOVE_SIGNAL {
                self.draft.consume(signal.id);
                self.follow_service(signal).await?;
                continue;
            }
            let Some(control) = Control::parse(&signal.kind) else { continue };
            self.draft.consume(signal.id);
            match control.applied_to(self.draft.status) {
                Err(illegal) => {
                    let body =
                        serde_json::json!({"signal": control.as_str(), "why": illegal.to_string()});
                    self.event(EventKind::SignalIgnored, body);
                }
                Ok(RunStatus::Cancelled) => {
                    if self.draft.state.early_end.is_none() {
                        self.event(EventKind::RunCancelled, signal.payload.clone());
                        return self.cancel().await;
                    }
                    let body =
                        serde_json::json!({"signal": "cancel", "why": "the run is already ending"});
                    self.event(EventKind::SignalIgnored, body);
                }
                Ok(status) if control == Control::Skip => {
                    self.skip(signal, status).await?;
                }
                Ok(status) => {
                    self.draft.status = status;
                    self.draft.state.quarantine = quarantine(control, &signal.payload);
                    self.pass_on(control).await?;
                    self.event(event_of(control), signal.payload.clone());
                    if control == Control::Retry {
                        self.draft.state.error = None;
                        self.draft.state.early_end = None;
                    }
                }
            }
        }
        if self.draft.status == RunStatus::Paused {
            let must_be_seen_to = self.draft.state.quarantine.map(|_| self.draft.last_at);
            self.draft.park(None, must_be_seen_to);
        }
        Ok(())
    }

    /// Records the plan of a run whose method was chosen for its goal.
    async fn record_plan(&mut self) -> Result<(), Problem> {
        if self.draft.state.plan_origin.is_named() {
            return Ok(());
        }
        let goal = load::named_values(self, &["goal".to_owned()]).await?;
        let goal = goal.into_iter().next().map_or(Value::Null, |(_, goal)| goal);
        let plan = Plan::of(&self.live.bundle.graph, &goal);
        metrics::histogram!("abide_plan_complexity").record(plan.complexity_score);
        let body = serde_json::to_value(plan).map_err(|error| Problem::bug(error.to_string()))?;
        self.event(EventKind::PlanProposed, body);
        Ok(())
    }

    /// Returns the members of the event `run.started`.
    fn start_as_recorded(&self) -> Value {
        let bundle = self.live.bundle.digest.to_string();
        let mut body = serde_json::json!({
            "method": self.live.bundle.graph.method, "bundle": bundle, "campaign": self.live.campaign,
        });
        if let Some(scheduled) = self.draft.state.scheduled {
            body["schedule_id"] = Value::from(scheduled.id.to_string());
            body["scheduled_at"] = Value::from(scheduled.at.to_string());
        }
        if let Some(rival) = self.draft.state.replaces {
            body["replaces"] = Value::from(rival.to_string());
        }
        if let Some(consent) = self.draft.state.consent {
            body["consent"] = serde_json::json!(consent);
        }
        if self.live.state.shadow.is_some() {
            body["shadow"] = true.into();
        }
        if let Some(old) = self.live.state.forked_from {
            body["forked_from"] = serde_json::json!(old);
        }
        body
    }

    /// Passes an order to pause or to resume on to the live child runs, so that they pause and resume
    /// together with their parent. Does nothing for any other order.
    async fn pass_on(&mut self, control: Control) -> Result<(), Problem> {
        if !matches!(control, Control::Pause | Control::Resume) {
            return Ok(());
        }
        let why = serde_json::json!({ "why": "passed on by its parent" });
        self.order_children(control.as_str(), &why).await
    }

    async fn order_children(&mut self, order: &str, payload: &Value) -> Result<(), Problem> {
        let run = self.live.id;
        let Some(tx) = self.tx.as_deref_mut() else { return Ok(()) };
        for child in tx.live_children(run).await? {
            tx.signal(child, SignalKind::Order(order), None, payload).await?;
        }
        Ok(())
    }

    /// Follows the service of the run, which has moved: its goal names the new time, and what the method computed
    /// from the old time moves as far. So do its children.
    async fn follow_service(&mut self, signal: &SignalRow) -> Result<(), Problem> {
        let Some(moved) = ServiceMove::read(&signal.payload) else { return Ok(()) };
        let goal = load::named_values(self, &["goal".to_owned()]).await?;
        let goal = goal.into_iter().next().and_then(|(_, goal)| moved.goal(&goal));
        if let Some(goal) = goal {
            self.draft.assign("goal".to_owned(), goal);
        }
        moved.move_wait(&mut self.draft.state);
        self.event(EventKind::RunMoved, signal.payload.clone());
        self.order_children(MOVE_SIGNAL, &signal.payload).await
    }
}

/// Returns how often the run was claimed without a commit, if the order `control` pauses the run for that
/// reason; `None` for any other order.
fn quarantine(control: Control, payload: &Value) -> Option<i64> {
    let poison = control == Control::Pause && payload["why"] == "poison";
    payload["claims"].as_i64().filter(|_| poison)
}

const fn event_of(control: Control) -> EventKind {
    match control {
        Control::Cancel => EventKind::RunCancelled,
        Control::Pause => EventKind::RunPaused,
        Control::Resume => EventKind::RunResumed,
        Control::Retry => EventKind::RunRetried,
        Control::Skip => EventKind::RunSkipped,
    }
}
