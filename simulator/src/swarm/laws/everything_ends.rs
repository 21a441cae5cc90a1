//! Once nothing goes wrong any more, every run ends, and every text has left or is known not to. Of one that
//! the provider could not tell of for a whole day nobody will ever know: that is an end, too. A schedule never
//! ends: what its last run of a story sends may have to wait for the morning.

use std::collections::BTreeSet;

use abide_engine::base::{RunId, Span, Timestamp};

use super::history::instant;
use crate::play::Evidence;

/// Quiet hours hold a text no longer than this.
const HELD_MAX: Span = Span::from_secs(24 * 3_600);

pub(super) fn law(evidence: &Evidence) -> Vec<String> {
    let live = evidence.runs.iter().filter(|run| run.is_live()).map(|run| {
        let step = run.position.as_ref().map_or("no step", |position| &position.step_id);
        format!("{} of `{}` is `{}` at {step}", run.id, run.method, run.status)
    });
    let on_its_way = |state: &str| matches!(state, "queued" | "sending");
    let (last, scheduled) = (last_event(evidence), scheduled(evidence));
    let left = evidence.messages.iter().filter(|message| {
        let decided = instant(Some(&message.created_at)).unwrap_or(Timestamp::EPOCH);
        let is_scheduled = message.run_id.is_some_and(|run| scheduled.contains(&run));
        on_its_way(&message.state) && !(is_scheduled && decided + HELD_MAX > last)
    });
    live.chain(left.map(|message| format!("{} is `{}`", message.id, message.state))).collect()
}

fn last_event(evidence: &Evidence) -> Timestamp {
    evidence.events.iter().map(|event| event.at).max().unwrap_or(Timestamp::EPOCH)
}

/// The runs that a schedule has started.
fn scheduled(evidence: &Evidence) -> BTreeSet<RunId> {
    let of_a_schedule = evidence
        .events
        .iter()
        .filter(|event| event.kind == "run.started" && event.body.get("schedule_id").is_some());
    of_a_schedule.filter_map(|event| event.run).collect()
}
