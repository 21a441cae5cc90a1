//! What a language model is shown beside a text: the state in which the text was written. It is built from the
//! database each time, and never stored.

use serde::Serialize;

use crate::base::{Value, text};

/// Maximum number of characters of what tools exist and which rules apply.
pub const SYSTEM_CHARS_MAX: usize = 4_000;
/// Maximum number of characters of the conversation so far.
pub const SESSION_CHARS_MAX: usize = 2_500;
/// Maximum number of characters of the work that the conversation is about.
pub const TASK_CHARS_MAX: usize = 1_500;
/// Maximum number of characters of one text in a frame: that of two segments.
const TEXT_CHARS_MAX: usize = 306;

/// What the domain knows of the state in which a text was written.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Frames {
    /// The conversation: goals, open asks and the last texts, the oldest first.
    pub session: Value,
    /// The work: requests with their counts, runs, deadlines, and the knowledge that is cited.
    pub task: Value,
}

/// Returns a frame of at most `chars_max` characters. Long texts in it keep their beginnings and ends; then the
/// first items of its lists are left out, the longest list first.
#[must_use]
pub fn limited(frame: Value, chars_max: usize) -> Value {
    let mut frame = with_short_texts(frame);
    while frame.to_string().chars().count() > chars_max {
        let longest = frame.as_object_mut().into_iter().flat_map(|members| members.values_mut());
        let lists = longest.filter_map(Value::as_array_mut).filter(|list| !list.is_empty());
        match lists.max_by_key(|list| list.len()) {
            Some(list) => drop(list.remove(0)),
            None => return Value::Null,
        }
    }
    frame
}

fn with_short_texts(value: Value) -> Value {
    match value {
        Value::String(long) => Value::String(text::shortened(&long, TEXT_CHARS_MAX)),
        Value::Array(items) => items.into_iter().map(with_short_texts).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(name, value)| (name, with_short_texts(value))).collect()
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_frame_keeps_its_newest_items_within_its_limit() {
        let turns: Vec<String> = (0..40).map(|n| format!("turn {n} {}", "x".repeat(400))).collect();
        let frame = limited(json!({ "turns": turns, "asks": ["nursery"] }), SESSION_CHARS_MAX);
        assert!(frame.to_string().chars().count() <= SESSION_CHARS_MAX);
        let kept = frame["turns"].as_array().expect("turns");
        assert!(kept.len() >= 5, "{}", kept.len());
        assert!(kept.last().expect("a turn").as_str().expect("a text").starts_with("turn 39"));
        assert_eq!(frame["asks"], json!(["nursery"]));
        let small = json!({ "asks": [], "n": 1 });
        assert_eq!(limited(small.clone(), SESSION_CHARS_MAX), small);
    }
}
