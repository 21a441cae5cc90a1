//! The order to follow a service that has moved: what of a run's state depends on the time of the service.

use serde_json::json;

use super::deadline::ComputedEnd;
use super::state::{RunState, WaitingFor};
use crate::base::{Span, Timestamp, Value};

/// The kind of the signal that orders a run to follow its service.
pub const MOVE_SIGNAL: &str = "move";

/// A service that has moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceMove {
    /// When the service was to begin.
    pub from: Timestamp,
    /// When it begins now, as the goals of runs show it: in the time zone of the tenant.
    pub to: String,
}

impl ServiceMove {
    /// Reads the payload of an order; `None` for anything else.
    #[must_use]
    pub fn read(payload: &Value) -> Option<Self> {
        let (from, to) = (payload["from"].as_str()?.parse().ok()?, payload["to"].as_str()?);
        to.parse::<Timestamp>().ok()?;
        Some(Self { from, to: to.to_owned() })
    }

    /// Returns the payload of the order.
    #[must_use]
    pub fn payload(&self) -> Value {
        json!({ "from": self.from.to_string(), "to": self.to })
    }

    /// Returns by how much the service has moved; negative if it is earlier.
    #[must_use]
    pub fn by(&self) -> Span {
        self.to.parse::<Timestamp>().map_or(Span::ZERO, |to| to - self.from)
    }

    /// Returns the goal with the new time; `None` if the goal names no time, or another one.
    #[must_use]
    pub fn goal(&self, goal: &Value) -> Option<Value> {
        let time: Timestamp = goal.get("time")?.as_str()?.parse().ok()?;
        let mut moved = goal.clone();
        moved["time"] = Value::from(self.to.as_str());
        (time == self.from).then_some(moved)
    }

    /// Moves the instant at which the current wait ends, if the method computed one. A wait that lasts for a time of
    /// its own stays as it is.
    pub fn move_wait(&self, state: &mut RunState) {
        let Some(mut call) = state.call().cloned() else { return };
        match &mut call.waiting_for {
            Some(WaitingFor::Replies(wait)) => {
                wait.spec.until = wait.spec.until.map(|until| until + self.by());
            }
            Some(WaitingFor::Signal { ends, .. }) => {
                *ends = ComputedEnd { until: ends.until.map(|until| until + self.by()), ..*ends };
            }
            _ => return,
        }
        state.set_call(call);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_follows_only_its_own_service() {
        let payload = json!({"from": "2025-10-05T14:00:00Z", "to": "2025-10-05T11:00:00-05:00"});
        let order = ServiceMove::read(&payload).expect("an order");
        assert_eq!(ServiceMove::read(&order.payload()), Some(order.clone()));
        assert_eq!(order.by(), Span::from_secs(2 * 3600));
        let goal = json!({"kind": "FillRole", "time": "2025-10-05T09:00:00-05:00"});
        let moved = order.goal(&goal).expect("it moves");
        assert_eq!(moved, json!({"kind": "FillRole", "time": "2025-10-05T11:00:00-05:00"}));
        assert_eq!(order.goal(&moved), None, "it has moved");
        assert_eq!(order.goal(&json!({"kind": "FillRole"})), None);
        assert_eq!(ServiceMove::read(&json!({"from": "2025-10-05T14:00:00Z", "to": "soon"})), None);
    }
}
