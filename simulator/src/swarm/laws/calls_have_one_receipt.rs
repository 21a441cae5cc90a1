//! A call has one receipt. A run starts and ends once, and nothing follows its end.

use std::collections::{BTreeMap, BTreeSet};

use crate::play::TenantEvidence;

/// Events that end a run. After a failure or cancellation a run may still have calls to undo before it ends.
const ENDS: [&str; 2] = ["run.completed", "run.ended"];
/// Events that reopen a failed run.
const AGAIN: [&str; 2] = ["run.retried", "run.skipped"];

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let mut broken = Vec::new();
    let mut calls = BTreeSet::new();
    let mut ended: BTreeMap<_, bool> = BTreeMap::new();
    for event in &evidence.events {
        let place = format!("{} event {}", event.stream, event.seq);
        if event.kind == "receipt" && event.call.is_none_or(|call| !calls.insert(call)) {
            broken.push(format!("{place}: a second receipt of its call"));
        }
        let Some(run) =
            event.run.filter(|run| run.to_string()[4..] == event.stream.to_string()[4..])
        else {
            continue;
        };
        if event.kind == "run.started" && ended.insert(run, false).is_some() {
            broken.push(format!("{place}: {run} starts again"));
        }
        let over = ended.entry(run).or_default();
        if *over && (ENDS.contains(&event.kind.as_str()) || event.kind == "receipt") {
            broken.push(format!("{place}: `{}` after the end of {run}", event.kind));
        }
        if ENDS.contains(&event.kind.as_str()) {
            *over = true;
        } else if AGAIN.contains(&event.kind.as_str()) {
            *over = false;
        }
    }
    broken
}
