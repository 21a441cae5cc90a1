//! Law: a call has one receipt.
//! A run starts and ends once, and no receipt of a run follows the end of the run.

use std::collections::{BTreeMap, BTreeSet};

use abide_engine::ledger::EventKind;

use crate::play::TenantEvidence;

/// Events that end a run. The events of failure and cancellation are not
/// among them, because a failed or cancelled run may still undo calls.
const ENDS: [EventKind; 2] = [EventKind::RunCompleted, EventKind::RunEnded];
/// Events after which a failed run continues.
const AGAIN: [EventKind; 2] = [EventKind::RunRetried, EventKind::RunSkipped];

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let mut broken = Vec::new();
    let mut calls = BTreeSet::new();
    let mut ended: BTreeMap<_, bool> = BTreeMap::new();
    for event in &evidence.events {
        let place = format!("{} event {}", event.stream, event.seq);
        let kind = EventKind::parse(event.kind.as_str());
        if kind == Some(EventKind::Receipt) && event.call.is_none_or(|call| !calls.insert(call)) {
            broken.push(format!("{place}: a second receipt of its call"));
        }
        let Some(run) =
            event.run.filter(|run| run.to_string()[4..] == event.stream.to_string()[4..])
        else {
            continue;
        };
        if kind == Some(EventKind::RunStarted) && ended.insert(run, false).is_some() {
            broken.push(format!("{place}: {run} starts again"));
        }
        let over = ended.entry(run).or_default();
        let is_one_of = |kinds: &[EventKind]| kind.is_some_and(|kind| kinds.contains(&kind));
        if *over && (is_one_of(&ENDS) || is_one_of(&[EventKind::Receipt])) {
            broken.push(format!("{place}: `{}` after the end of {run}", event.kind));
        }
        if is_one_of(&ENDS) {
            *over = true;
        } else if is_one_of(&AGAIN) {
            *over = false;
        }
    }
    broken
}
