//! Long lists in a receipt become a count and a digest: a receipt proves, it does not store.

use crate::base::{Digest, Value, limits};

/// Texts longer than this are cut in a receipt: its size must not follow its input.
const TEXT_CHARS_MAX: usize = 2_000;

/// The value with every list over [`limits::RECEIPT_LIST_MAX`] items replaced by
/// `{count, digest, first}`, and long texts cut.
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
