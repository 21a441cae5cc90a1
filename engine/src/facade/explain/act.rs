//! Determines who must act on a run, if anyone.

use super::plight::{Held, HeldBy, Plight, Workers};
use super::saying::{listed, ticked};
use crate::base::RunId;
use crate::base::problem::Blame;
use crate::facade::view::WaitingOn;

/// Says in one or two sentences who must act, and how.
pub(super) fn must_act(plight: &Plight) -> String {
    act(plight, plight.run.id)
}

/// Like [`must_act`], but commands name the run `id`: those for a branch name the run that it belongs to.
fn act(plight: &Plight, id: RunId) -> String {
    let run = &plight.run;
    if plight.switched_off && run.is_live() {
        return format!(
            "An administrator must turn the kill switch off: `abide tenant resume {}`.",
            plight.tenant
        );
    }
    match plight.workers {
        Workers::Missing if run.is_live() => {
            return "An operator must start `abide serve` or `abide worker`.".to_owned();
        }
        Workers::ClocksOff if run.is_live() => {
            return "An operator must set the clocks, best by NTP; `abide doctor` shows how far a \
                    machine's clock is off."
                .to_owned();
        }
        _ => {}
    }
    if let Some(stuck) = &run.stuck {
        return format!("{}.", stuck.must_act);
    }
    if let Some(Held { by: HeldBy::Budget, .. }) = plight.held.filter(|_| run.is_live()) {
        return BUDGET.to_owned();
    }
    match run.status.as_str() {
        "paused" if plight.poison => format!(
            "An operator must first find the cause in the log from that time; then `abide run resume \
             {id}` lets it continue."
        ),
        "paused" => format!("Somebody must resume it: `abide run resume {id}`."),
        "failed" => on_failure(plight),
        "completed" if run.outcome.as_deref() != Some("succeeded") => {
            "Somebody must take care of what is still missing.".to_owned()
        }
        "waiting" => on_wait(plight, id),
        _ => NOBODY.to_owned(),
    }
}

const BUDGET: &str = "Nobody has to do anything, unless it is urgent: an administrator can raise \
                      `messages_per_month`.";
const NOBODY: &str = "Nobody has to do anything.";

fn on_wait(plight: &Plight, id: RunId) -> String {
    match plight.run.waiting_on.as_ref().map(|wait| wait.kind.as_str()) {
        Some("replies") => "Nobody but the people who were asked has to do anything.".to_owned(),
        Some("answer") => {
            let wait = plight.run.waiting_on.as_ref();
            let people = wait.map(WaitingOn::names).unwrap_or_default();
            format!("Nobody but {} has to do anything.", listed(&people, "and"))
        }
        Some("signal") => {
            let ways = plight.ahead.signals.iter().map(|s| format!("abide run signal {id} {s}"));
            let ways: Vec<String> = ways.collect();
            format!("Somebody must send the signal: {}.", listed(&ticked(&ways), "or"))
        }
        Some("retry") => "Nobody has to do anything, unless it keeps failing.".to_owned(),
        Some("child") => plight.child.as_deref().map_or_else(
            || NOBODY.to_owned(),
            |child| act(child, if child.branch { id } else { child.run.id }),
        ),
        _ => NOBODY.to_owned(),
    }
}

fn on_failure(plight: &Plight) -> String {
    let id = plight.run.id;
    let retry = format!("`abide run retry {id}` tries the step again");
    match plight.blame {
        Some(Blame::Transient) => format!("The cause may be gone by now: {retry}."),
        Some(Blame::Author) => {
            "The author of the method must correct it; then a new run can be started.".to_owned()
        }
        Some(Blame::Operator) => format!("An operator must fix the cause; then {retry}."),
        Some(Blame::Bug) => {
            format!("This is a bug in abide, please report it; {retry}.")
        }
        Some(Blame::Caller) | None => {
            format!("The person who started it must correct that; then {retry}.")
        }
    }
}
