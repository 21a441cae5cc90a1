//! Bounds the size of receipts: replaces a long list by a count and a digest, and truncates a long string.
//! A receipt proves what a call did; it need not contain all of the call's data.

use crate::base::{Digest, Value, limits};

/// Maximum length of a string in a receipt, in characters. Longer strings are truncated,
/// so that a call with a long input does not get a long receipt.
const TEXT_CHARS_MAX: usize = 2_000;

/// Replaces every list with more than [`limits::RECEIPT_LIST_MAX`] items by `{count, digest, first}`,
/// where `first` holds the first three items. Truncates long strings.
#[must_use]
pub fn bounded(value: &Value) -> Value {
    match value {
        Value::Array(items) if items.len() > limits::RECEIPT_LIST_MAX => serde_json::json!({
            "count": items.len(),
            "digest": Digest::of_value(value).to_string(),
            "first": items.iter().take(3).map(bounded).collect::<Vec<_>>(),
        }),
        Value::Array(items) => Value::Array(items.iter().map(bounded).collect()),
        Value::Object(members) => Value::Object(
            members.iter().map(|(name, member)| (name.clone(), bounded(member))).collect(),
        ),
        Value::String(text) if text.chars().count() > TEXT_CHARS_MAX => {
            let cut: String = text.chars().take(TEXT_CHARS_MAX).collect();
            Value::String(cut + "…")
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn long_lists_become_a_count_and_a_digest() {
        let list: Vec<u32> = (0..10_000).collect();
        let receipt = bounded(&json!({ "people": list, "role": "nursery" }));
        assert_eq!(receipt["people"]["count"], 10_000);
        assert_eq!(receipt["people"]["first"], json!([0, 1, 2]));
        assert_eq!(receipt["role"], "nursery");
        assert!(receipt.to_string().len() < 300);
    }

    #[test]
    fn short_lists_stay() {
        let value = json!({ "people": ["a", "b"] });
        assert_eq!(bounded(&value), value);
    }
}
