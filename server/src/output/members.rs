//! Access to the members of an answer of the API.

use serde_json::Value;

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
