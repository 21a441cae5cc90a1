//! Law: nothing fails because of a bug in the engine.
//! A bug has the code `internal`. So no message may be set aside, and no call or run may fail, with this
//! code.

use serde_json::Value;

use crate::play::TenantEvidence;

/// The code of every problem that is a bug in the engine.
const OURS: &str = "internal";

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let blamed = evidence.events.iter().filter(|event| names(&event.body, OURS));
    let blamed = blamed.map(|event| format!("`{}` of {:?}: {}", event.kind, event.run, event.body));
    let failed =
        evidence.runs.iter().filter(|run| run.error.as_ref().is_some_and(|e| e.code == OURS));
    blamed.chain(failed.map(|run| format!("{} failed with an internal error", run.id))).collect()
}

/// Whether `body` contains, at any depth, a member named `why` or `code` whose value is the given code.
fn names(body: &Value, code: &str) -> bool {
    match body {
        Value::Object(members) => members.iter().any(|(name, value)| {
            (matches!(name.as_str(), "why" | "code") && value == code) || names(value, code)
        }),
        Value::Array(items) => items.iter().any(|item| names(item, code)),
        _ => false,
    }
}
