//! Determines who must act on a run, if anyone.

use super::diagnosis::{Diagnosis, HeldBack, HoldReason, Workers};
use super::wording::{in_backticks, join_names};
use crate::base::RunId;
use crate::base::problem::Blame;
use crate::facade::waiting_on::{WaitKind, WaitingOn};
use crate::run::{RunOutcome, RunStatus};

/// Returns one or two sentences that say who must act, and how.
pub(super) fn must_act(diagnosis: &Diagnosis) -> String {
    must_act_on(diagnosis, diagnosis.run.id)
}

/// Like [`must_act`], but the commands in the text name the run with this id.
/// If the diagnosis is that of a branch, the id is that of the run that started the branch,
/// because people give orders to that run and not to its branches.
fn must_act_on(diagnosis: &Diagnosis, id: RunId) -> String {
    let run = &diagnosis.run;
    if diagnosis.switched_off && run.is_live() {
        return format!(
            "An administrator must turn the kill switch off: `abide tenant resume {}`.",
            diagnosis.tenant
        );
    }
    match diagnosis.workers {
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
    if let Some(HeldBack { reason: HoldReason::Budget, .. }) =
        diagnosis.held.filter(|_| run.is_live())
    {
        return BUDGET.to_owned();
    }
    match run.status {
        RunStatus::Paused if diagnosis.quarantined => format!(
            "An operator must first find the cause in the log from that time; then `abide run resume \
             {id}` lets it continue."
        ),
        RunStatus::Paused => format!("Somebody must resume it: `abide run resume {id}`."),
        RunStatus::Failed => on_failure(diagnosis),
        RunStatus::Completed if run.outcome != Some(RunOutcome::Succeeded) => {
            "Somebody must take care of what is still missing.".to_owned()
        }
        RunStatus::Waiting => on_wait(diagnosis, id),
        RunStatus::Pending | RunStatus::Running | RunStatus::Completed | RunStatus::Cancelled => {
            NOBODY.to_owned()
        }
    }
}

const BUDGET: &str = "Nobody has to do anything, unless it is urgent: an administrator can raise \
                      `messages_per_month`.";
const NOBODY: &str = "Nobody has to do anything.";

fn on_wait(diagnosis: &Diagnosis, id: RunId) -> String {
    match diagnosis.run.waiting_on.as_ref().map(|wait| wait.kind) {
        Some(WaitKind::Replies) => {
            "Nobody but the people who were asked has to do anything.".to_owned()
        }
        Some(WaitKind::Answer) => {
            let wait = diagnosis.run.waiting_on.as_ref();
            let people = wait.map(WaitingOn::names).unwrap_or_default();
            format!("Nobody but {} has to do anything.", join_names(&people, "and"))
        }
        Some(WaitKind::Signal) => {
            let ways = diagnosis.signals.iter().map(|s| format!("abide run signal {id} {s}"));
            let ways: Vec<String> = ways.collect();
            format!("Somebody must send the signal: {}.", join_names(&in_backticks(&ways), "or"))
        }
        Some(WaitKind::Approval) => {
            let id = diagnosis.run.waiting_on.as_ref().and_then(|wait| wait.approval_id);
            let id = id.map(|id| id.to_string()).unwrap_or_default();
            format!("A supervisor must decide: `abide approvals approve {id}`, or `deny`.")
        }
        Some(WaitKind::Retry) => "Nobody has to do anything, unless it keeps failing.".to_owned(),
        Some(WaitKind::Child) => diagnosis.child.as_deref().map_or_else(
            || NOBODY.to_owned(),
            |child| must_act_on(child, if child.branch { id } else { child.run.id }),
        ),
        Some(
            WaitKind::Timer
            | WaitKind::External
            | WaitKind::Pause
            | WaitKind::Quarantine
            | WaitKind::CapableNode,
        )
        | None => NOBODY.to_owned(),
    }
}

fn on_failure(diagnosis: &Diagnosis) -> String {
    let id = diagnosis.run.id;
    let retry = format!("`abide run retry {id}` tries the step again");
    match diagnosis.blame {
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
