//! What a run's own events say of it: folded one after the other they give the state that its head
//! must show.

use serde_json::Value;

/// Where a run is in its life, as far as its events tell.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Life {
    /// It has not begun.
    #[default]
    Unborn,
    /// It is at work or waits, also for what is left to be done before its end.
    Alive,
    /// It is paused.
    Paused,
    /// It came to the end of its steps, with this outcome.
    Completed(String),
    /// It failed or was cancelled, and nothing is left to be done.
    Ended(String),
}

impl Life {
    /// Goes on by one event. A branch's events are named for the branch and mean the same.
    #[must_use]
    pub fn after(self, kind: &str, body: &Value) -> Self {
        let word = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
        match kind.split_once('.') {
            Some(("run" | "branch", what)) => match what {
                "started" | "resumed" | "retried" | "skipped" | "cancelled" => Self::Alive,
                "paused" => Self::Paused,
                "completed" => Self::Completed(word("outcome")),
                "ended" => Self::Ended(word("status")),
                _ => self,
            },
            _ => self,
        }
    }

    /// True where a head with that status and outcome is what the events tell.
    #[must_use]
    pub fn is(&self, status: &str, outcome: Option<&str>) -> bool {
        match self {
            Self::Unborn => status == "pending",
            Self::Alive => ["running", "waiting"].contains(&status),
            Self::Paused => status == "paused",
            Self::Completed(how) => (status, outcome) == ("completed", Some(how.as_str())),
            Self::Ended(how) => status == how,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn life(events: &[(&str, Value)]) -> Life {
        events.iter().fold(Life::default(), |life, (kind, body)| life.after(kind, body))
    }

    #[test]
    fn a_life_ends_as_its_events_tell() {
        let started = ("run.started", json!({}));
        let cases = [
            (vec![], "pending", None),
            (vec![started.clone(), ("receipt", json!({}))], "waiting", None),
            (vec![started.clone(), ("run.paused", json!({}))], "paused", None),
            (
                vec![started.clone(), ("run.completed", json!({"outcome": "fell_short"}))],
                "completed",
                Some("fell_short"),
            ),
            (vec![started.clone(), ("run.failed", json!({}))], "running", None),
            (
                vec![
                    started.clone(),
                    ("run.failed", json!({})),
                    ("run.ended", json!({"status": "failed"})),
                ],
                "failed",
                None,
            ),
            (
                vec![
                    ("branch.started", json!({})),
                    ("branch.paused", json!({})),
                    ("branch.cancelled", json!({})),
                    ("branch.ended", json!({"status": "cancelled"})),
                ],
                "cancelled",
                None,
            ),
            (
                vec![
                    started,
                    ("run.ended", json!({"status": "failed"})),
                    ("run.retried", json!({})),
                ],
                "running",
                None,
            ),
        ];
        for (events, status, outcome) in cases {
            let life = life(&events);
            assert!(life.is(status, outcome), "{events:?} gave {life:?}");
            assert!(!life.is("other", outcome) && !life.is("completed", Some("succeeded")));
        }
    }
}
