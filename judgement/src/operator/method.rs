//! Writes the method that carries a plan out. The method holds no word of the message: the inputs of the calls are
//! the goal of its run, so plans of the same shape share one method.

use std::fmt::Write as _;

use abide_engine::base::Digest;
use serde_json::json;

use super::plan::{PlannedToolCall, RunPlan};

/// How many characters of a digest are part of the name of the method.
const DIGEST_CHARS: usize = 12;

/// Returns the text of the method that carries a plan out.
#[must_use]
pub fn method_of(plan: &RunPlan) -> String {
    let steps = steps(plan);
    format!(
        "method: {}\n\
         description: Carries out a plan of the operator.\n\
         limits: {{ max_tool_calls: {} }}\n\
         steps:\n{steps}",
        name_of(&steps),
        plan.calls.len(),
    )
}

/// Returns the name of the method that carries a plan out.
#[must_use]
pub fn method_name(plan: &RunPlan) -> String {
    name_of(&steps(plan))
}

fn steps(plan: &RunPlan) -> String {
    plan.calls.iter().map(step).collect()
}

fn name_of(steps: &str) -> String {
    let digest = Digest::of(steps.as_bytes()).to_string();
    format!("plan_{}", digest.chars().take(DIGEST_CHARS).collect::<String>())
}

fn step(call: &PlannedToolCall) -> String {
    let PlannedToolCall { step_id, tool, input, from_results } = call;
    let mut text = format!("  - id: {step_id}\n    call: {}\n", json!(tool));
    if input.is_empty() && from_results.is_empty() {
        text.push_str("    args: {}\n");
    } else {
        text.push_str("    args:\n");
    }
    for name in input.keys().filter(|name| !from_results.contains_key(*name)) {
        let value = format!("{{{{{}}}}}", member(&format!("goal.{step_id}"), name));
        let _ = writeln!(text, "      {}: {}", json!(name), json!(value));
    }
    for (name, from) in from_results {
        let _ = writeln!(text, "      {}: {}", json!(name), json!(format!("{{{{{from}}}}}")));
    }
    let _ = writeln!(text, "    out: {step_id}");
    text
}

/// Returns the expression that reads a member of a value.
fn member(of: &str, name: &str) -> String {
    let mut chars = name.chars();
    let first = chars.next().is_some_and(|c| c.is_ascii_lowercase());
    if first && chars.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_') {
        return format!("{of}.{name}");
    }
    format!("get({of}, {})", json!(name))
}
