//! What a calendar is asked for, and what is put into it. The calendar itself is a tool.

use serde::{Deserialize, Serialize};

use super::wire::{Obligation, ObligationType, Payload};

/// The payload of a `REPORT` of what the calendar holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalendarQuestion {
    /// The day: `2025-10-02`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Several days, with the first and the last one: `2025-10-06/2025-10-10`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<String>,
    /// A time of a day, in RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// What is looked for; `None` for everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
}

impl Payload for CalendarQuestion {
    const KIND: &'static str = "schedule";
}

impl Obligation {
    /// Builds a `SCHEDULE` of an event, with its time in RFC 3339 if it is known.
    #[must_use]
    pub fn schedule(event: &str, time: Option<&str>) -> Self {
        let mut members = serde_json::json!({ "event": event });
        if let (Some(time), Some(members)) = (time, members.as_object_mut()) {
            members.insert("time".to_owned(), time.into());
        }
        Self::new(ObligationType::Schedule, CalendarQuestion::KIND, members)
    }
}
