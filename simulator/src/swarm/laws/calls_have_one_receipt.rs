//! One receipt a call, and one beginning and one end a run, with nothing behind its end.

use std::collections::{BTreeMap, BTreeSet};

use crate::play::Evidence;

/// What ends a run; one that fails or is cancelled may have something left to undo before.
const ENDS: [&str; 2] = ["run.completed", "run.ended"];
/// What takes a failed run up again.
const AGAIN: [&str; 2] = ["run.retried", "run.skipped"];

pub(super) fn law(evidence: &Evidence) -> Vec<String> {
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
            broken.push(format!("{place}: `{}` behind the end of {run}", event.kind));
        }
        if ENDS.contains(&event.kind.as_str()) {
            *over = true;
        } else if AGAIN.contains(&event.kind.as_str()) {
            *over = false;
        }
    }
    broken
}
