//! How a thing of the API is shown: from when, in which zone, and its members read without fuss.

use abide_engine::base::Timestamp;
use jiff::tz::TimeZone;
use serde_json::Value;

use super::when;

/// The eyes of the reader: what time it is for them, and in which zone they live.
pub(crate) struct View {
    now: Timestamp,
    zone: TimeZone,
}

impl View {
    /// A view at `now` from `zone`.
    #[must_use]
    pub(crate) fn new(now: Timestamp, zone: TimeZone) -> Self {
        Self { now, zone }
    }

    /// The instant of an RFC 3339 text in local time; empty for what is none.
    #[must_use]
    pub(crate) fn local(&self, text: &str) -> String {
        text.parse().map(|at| when::local(at, self.now, &self.zone)).unwrap_or_default()
    }

    /// `3h ago`; empty for what is no instant.
    #[must_use]
    pub(crate) fn since(&self, text: &str) -> String {
        text.parse().map(|at| when::since(at, self.now)).unwrap_or_default()
    }

    /// `in 3h`; empty for what is no instant.
    #[must_use]
    pub(crate) fn until(&self, text: &str) -> String {
        text.parse().map(|at| when::until(at, self.now)).unwrap_or_default()
    }
}

/// A member that is there and not null.
#[must_use]
pub(crate) fn member<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    value.get(name).filter(|member| !member.is_null())
}

/// A member that is a text; empty where it is absent.
#[must_use]
pub(crate) fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The items of a list's answer.
#[must_use]
pub(crate) fn items(answer: &Value) -> &[Value] {
    answer["items"].as_array().map_or(&[], Vec::as_slice)
}
