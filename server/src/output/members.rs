//! Access to the fields of an API response.

use serde_json::Value;

/// Returns the field `name`; `None` if the field is absent or null.
#[must_use]
pub(crate) fn member<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    value.get(name).filter(|member| !member.is_null())
}

/// Returns the field `name` if it is a string, otherwise an empty string.
#[must_use]
pub(crate) fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the list that a member holds; nothing if it holds none.
pub(crate) fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns the items of a list in an API response.
#[must_use]
pub(crate) fn items(answer: &Value) -> &[Value] {
    answer["items"].as_array().map_or(&[], Vec::as_slice)
}
