//! Helpers to show answers of the API: times relative to now and in a zone, and access to JSON members.

use abide_engine::base::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;

use super::when;

/// The current time and the time zone of the reader.
pub(crate) struct View {
    now: Timestamp,
    zone: TimeZone,
}

impl View {
    /// Creates a view at `now` in `zone`.
    #[must_use]
    pub(crate) fn new(now: Timestamp, zone: TimeZone) -> Self {
        Self { now, zone }
    }

    /// Formats an RFC 3339 time in local time; empty if `text` is not a time.
    #[must_use]
    pub(crate) fn local(&self, text: &str) -> String {
        text.parse().map(|at| when::local(at, self.now, &self.zone)).unwrap_or_default()
    }

    /// Formats an RFC 3339 time as `3h ago`; empty if `text` is not a time.
    #[must_use]
    pub(crate) fn since(&self, text: &str) -> String {
        text.parse().map(|at| when::since(at, self.now)).unwrap_or_default()
    }

    /// Formats an RFC 3339 time as `in 3h`; empty if `text` is not a time.
    #[must_use]
    pub(crate) fn until(&self, text: &str) -> String {
        text.parse().map(|at| when::until(at, self.now)).unwrap_or_default()
    }
}

/// Returns a member that is present and not null.
#[must_use]
pub(crate) fn member<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    value.get(name).filter(|member| !member.is_null())
}

/// Returns a member that is a string; empty if it is absent or not a string.
#[must_use]
pub(crate) fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the items of a list that the API answered.
#[must_use]
pub(crate) fn items(answer: &Value) -> &[Value] {
    answer["items"].as_array().map_or(&[], Vec::as_slice)
}
