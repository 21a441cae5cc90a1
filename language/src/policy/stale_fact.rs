//! The rule about facts: a message that cites a fact whose review is overdue needs a supervisor's approval.

use super::PolicyVerdict;
use crate::base::{Problem, Value};

/// Decides whether a message may cite the facts that `values` contain, as the verb `fetch_kb` returns them.
#[must_use]
pub fn stale_fact<'v>(values: impl IntoIterator<Item = &'v Value>) -> PolicyVerdict {
    let Some(topic) = values.into_iter().find_map(stale_topic) else {
        return PolicyVerdict::allow();
    };
    let message = format!("the fact about `{topic}` has not been reviewed for too long");
    PolicyVerdict::ask(
        Problem::caller("approval_required", message)
            .with_hint("review the fact with `abide kb put`, or ask a supervisor"),
    )
}

/// Returns the topic of the first stale fact in a value: a fact, or a list of facts.
fn stale_topic(value: &Value) -> Option<&str> {
    match value {
        Value::Array(items) => items.iter().find_map(stale_topic),
        Value::Object(fact) if fact.get("stale") == Some(&Value::Bool(true)) => {
            // Other objects may have a member of this name; only facts have a reviewer as well.
            fact.get("reviewer").and(fact.get("topic")).and_then(Value::as_str)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::policy::PolicyDecision;

    #[test]
    fn only_a_stale_fact_asks() {
        let fact = |topic: &str, stale: bool| json!({ "topic": topic, "stale": stale, "reviewer": "Ruth" });
        let cases = [
            (json!([fact("parking", false)]), None),
            (json!([fact("parking", false), fact("check-in", true)]), Some("check-in")),
            (fact("parking", true), Some("parking")),
            (json!({ "stale": true, "topic": "bread" }), None),
            (json!("stale"), None),
        ];
        for (value, topic) in cases {
            let verdict = stale_fact([&value]);
            assert_eq!(verdict.decision == PolicyDecision::Ask, topic.is_some(), "{value}");
            let reason = verdict.reason.map(|reason| reason.message).unwrap_or_default();
            assert!(topic.is_none_or(|topic| reason.contains(topic)), "{reason}");
        }
    }
}
