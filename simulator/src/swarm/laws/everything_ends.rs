//! Once nothing goes wrong any more, every run ends, and every text has left or is known not to. Of one that
//! the provider could not tell of for a whole day nobody will ever know: that is an end, too.

use crate::play::Evidence;

pub(super) fn law(evidence: &Evidence) -> Vec<String> {
    let live = evidence.runs.iter().filter(|run| run.is_live()).map(|run| {
        let step = run.position.as_ref().map_or("no step", |position| &position.step_id);
        format!("{} of `{}` is `{}` at {step}", run.id, run.method, run.status)
    });
    let on_its_way = |state: &str| matches!(state, "queued" | "sending");
    let left = evidence.messages.iter().filter(|message| on_its_way(&message.state));
    live.chain(left.map(|message| format!("{} is `{}`", message.id, message.state))).collect()
}
