//! Folds a run's own events into the status that its head must have.

use serde_json::Value;

/// The status of a run as far as its events show it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Life {
    /// It has not started.
    #[default]
    Unborn,
    /// It is running or waiting, including the work that is left before its end.
    Alive,
    /// It is paused.
    Paused,
    /// It has completed its steps, with this outcome.
    Completed(String),
    /// It has ended with this status, `failed` or `cancelled`, and nothing is left to do.
    Ended(String),
}

impl Life {
    /// Applies one event. The events of a branch have the prefix `branch` and the same meaning.
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

    /// Whether a head with this status and outcome agrees with the events.
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
