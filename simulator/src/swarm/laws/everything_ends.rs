//! Law: after the faults have ended, every run ends, and every message is either sent
//! or known not to have been sent. A message gets the state `unknown` after the provider could not
//! report for a whole day what happened to the message. Such a message does not break the law.
//! Schedules start runs until the simulation ends. So a message of the last
//! scheduled run may still wait for the end of quiet hours without breaking the law.

use std::collections::BTreeSet;

use abide_engine::base::{RunId, Span, Timestamp};
use abide_engine::ledger::EventKind;
use abide_engine::store::MessageState;

use super::history::instant;
use crate::play::TenantEvidence;

/// The longest time for which quiet hours can delay a message.
const HELD_MAX: Span = Span::from_secs(24 * 3_600);

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let live = evidence.runs.iter().filter(|run| run.is_live()).map(|run| {
        let step = run.position.as_ref().map_or("no step", |position| &position.step_id);
        format!("{} of `{}` is still `{}` at {step}", run.id, run.method, run.status.as_str())
    });
    let on_its_way = |state| matches!(state, MessageState::Queued | MessageState::Sending);
    let (last, scheduled) = (last_event(evidence), scheduled(evidence));
    let left = evidence.messages.iter().filter(|message| {
        let decided = instant(Some(&message.created_at)).unwrap_or(Timestamp::EPOCH);
        let is_scheduled = message.run_id.is_some_and(|run| scheduled.contains(&run));
        on_its_way(message.state) && !(is_scheduled && decided + HELD_MAX > last)
    });
    live.chain(left.map(|message| format!("{} is still `{}`", message.id, message.state))).collect()
}

fn last_event(evidence: &TenantEvidence) -> Timestamp {
    evidence.events.iter().map(|event| event.at).max().unwrap_or(Timestamp::EPOCH)
}

/// Returns the runs that a schedule started.
fn scheduled(evidence: &TenantEvidence) -> BTreeSet<RunId> {
    let of_a_schedule = evidence.events.iter().filter(|event| {
        event.kind == EventKind::RunStarted && event.body.get("schedule_id").is_some()
    });
    of_a_schedule.filter_map(|event| event.run).collect()
}
