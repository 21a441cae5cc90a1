//! Formatting the result of moving runs to another version, or of a dry run.

use std::fmt::Write as _;

use serde_json::Value;

use super::counted;
use super::members::text;

/// Formats the groups of runs and the progress of the upgrade.
/// A group that cannot be moved is printed with the reason.
#[must_use]
pub(crate) fn page(upgrade: &Value) -> String {
    let mut out = String::new();
    let groups = upgrade["groups"].as_array().map(Vec::as_slice).unwrap_or_default();
    if groups.is_empty() {
        return "no runs to move".to_owned();
    }
    for group in groups {
        let count = usize::try_from(group["count"].as_u64().unwrap_or(0)).unwrap_or(0);
        let verdict = match text(group, "judgement") {
            "safe" if upgrade["dry_run"] == true => "can be moved",
            "safe" => "ordered to move",
            "needs_mapping" => "need `--map OLD=NEW`",
            _ => "cannot be moved",
        };
        let from = &group["from_version"];
        let _ = write!(out, "{} of version {from} {verdict}", counted(count, "run"));
        if let Some(step) = group["step"].as_str() {
            let _ = write!(out, ": `{step}`: {}", text(group, "why"));
        }
        let runs = group["runs"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let runs: Vec<&str> = runs.collect();
        let more = if count > runs.len() { " …" } else { "" };
        let _ = write!(out, "\n  {}{more}\n", runs.join(" "));
    }
    let progress = &upgrade["progress"];
    if progress.is_object() {
        let _ = write!(
            out,
            "{}: {} moved, {} pending, {} not moved",
            text(upgrade, "id"),
            progress["moved"],
            progress["ordered"],
            progress["kept"]
        );
        for kept in progress["kept_runs"].as_array().into_iter().flatten() {
            let _ = write!(out, "\n  {} {}", text(kept, "run_id"), text(kept, "why"));
        }
    }
    out.trim_end().to_owned()
}
