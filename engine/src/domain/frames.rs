//! What a language model is shown beside a text: the state in which the text was written. It is built from the
//! database each time, and never stored.

use serde::Serialize;
use serde_json::json;

use crate::base::{Digest, Value, text};
use crate::contract::Contracts;
use crate::policy::Settings;

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

/// Returns the tools with their tiers, the rules of the tenant, and the digest of both.
#[must_use]
pub fn system_frame(contracts: &Contracts, settings: &Settings) -> Value {
    let tools: Vec<String> =
        contracts.iter().map(|tool| format!("{} {}", tool.name, tool.risk)).collect();
    let policies = json!({
        "quiet_hours": settings.quiet_hours,
        "broadcast_approval_over": settings.broadcast_approval_over,
        "per_person_per_week": settings.per_person_per_week,
        "messages_per_month": settings.messages_per_month,
        "time_zone": settings.time_zone,
        "region": settings.region,
    });
    let digest = Digest::of_value(&json!([tools, policies]));
    json!({ "tools": tools, "policies": policies, "digest": digest.to_string() })
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
