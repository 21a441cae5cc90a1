//! Who must act on a run, if anybody.

use super::plight::{Held, HeldBy, Plight, Workers};
use super::saying::{listed, ticked};
use crate::base::RunId;
use crate::base::problem::Blame;
use crate::facade::view::WaitingOn;

/// A sentence, or two.
pub(super) fn must_act(plight: &Plight) -> String {
    act(plight, plight.run.id)
}

/// The same, orders going to the run `id`: a branch has none of its own.
fn act(plight: &Plight, id: RunId) -> String {
    let run = &plight.run;
    if plight.switched_off && run.is_live() {
        return "An administrator must turn the kill switch off again.".to_owned();
    }
    match plight.workers {
        Workers::Missing if run.is_live() => {
            return "An operator must start `abide worker`, or `abide serve`.".to_owned();
        }
        Workers::ClocksOff if run.is_live() => {
            return "An operator must set the clocks, best by NTP; `abide doctor` tells how far one is off."
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
            "An operator must find out why first, in the log of that time; then `abide run resume {id}`."
        ),
        "paused" => format!("To let it go on, somebody must say `abide run resume {id}`."),
        "failed" => on_failure(plight),
        "completed" if run.outcome.as_deref() != Some("succeeded") => {
            "What is still missing, somebody must see to in person.".to_owned()
        }
        "waiting" => on_wait(plight, id),
        _ => NOBODY.to_owned(),
    }
}

const BUDGET: &str = "Nobody has to do anything, unless it is urgent: an administrator can raise `messages_per_month`.";
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
            format!("Whoever decides that must say so: {}.", listed(&ticked(&ways), "or"))
        }
        Some("retry") => "Nobody has to do anything, unless it fails again and again.".to_owned(),
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
        Some(Blame::Transient) => format!("It may have passed by now: {retry}."),
        Some(Blame::Author) => {
            "Whoever wrote the method must mend it; then it can be started anew.".to_owned()
        }
        Some(Blame::Operator) => format!("An operator must see to that; then {retry}."),
        Some(Blame::Bug) => {
            format!("This is a fault of abide, please report it; {retry}.")
        }
        Some(Blame::Caller) | None => {
            format!("Whoever started it must put that right; then {retry}.")
        }
    }
}
