//! Nothing goes wrong on our side: no text is set aside, and no call fails, for a reason that only a fault of
//! the engine can have.

use serde_json::Value;

use crate::play::Evidence;

/// The code of a problem that is a fault of ours.
const OURS: &str = "internal";

pub(super) fn law(evidence: &Evidence) -> Vec<String> {
    let blamed = evidence.events.iter().filter(|event| names(&event.body, OURS));
    let blamed = blamed.map(|event| format!("`{}` of {:?}: {}", event.kind, event.run, event.body));
    let failed =
        evidence.runs.iter().filter(|run| run.error.as_ref().is_some_and(|e| e["code"] == OURS));
    blamed.chain(failed.map(|run| format!("{} failed inside", run.id))).collect()
}

/// True where a member that says why, or its code, says so.
fn names(body: &Value, code: &str) -> bool {
    match body {
        Value::Object(members) => members.iter().any(|(name, value)| {
            (matches!(name.as_str(), "why" | "code") && value == code) || names(value, code)
        }),
        Value::Array(items) => items.iter().any(|item| names(item, code)),
        _ => false,
    }
}
