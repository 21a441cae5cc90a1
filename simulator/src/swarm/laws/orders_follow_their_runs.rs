//! Law: what somebody has ordered to keep up, to avoid or to bring about has one run. The order is open as long as its run
//! lives, and then says how the run ended. No answer says that something is done before the run has ended.

use abide_engine::base::{RowId, RunId};
use abide_engine::facade::RunView;
use abide_engine::ledger::EventKind;
use abide_engine::run::RunOutcome;
use abide_judgement::data::asked::{AskRow, ObligationStatus};
use abide_judgement::data::standing::StandingRow;
use abide_judgement::obligations::Trace;

use super::history::instant;
use crate::play::TenantEvidence;

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let stored = &evidence.judgement.stored;
    let mut broken: Vec<String> =
        stored.orders.iter().filter_map(|order| other_than_its_run(evidence, order)).collect();
    broken.extend(stored.asks.iter().flat_map(|ask| told_too_early(evidence, ask)));
    broken
}

/// Returns a breach if the state of an order is not that of its run.
fn other_than_its_run(evidence: &TenantEvidence, order: &StandingRow) -> Option<String> {
    let Some(status) = status_of(evidence, order.id) else {
        return Some(format!("the order {} is of no obligation", order.id));
    };
    let id = order.id.to_string();
    let mut runs = evidence.runs.iter().filter(|run| run.goal["obligation_id"] == *id);
    match (runs.next(), runs.next()) {
        // An order that was refused or ended before its run began needs none.
        (None, _) if is_over_without_run(status) => None,
        (None, _) => Some(format!("the order {id} is `{status}`, and has no run")),
        (Some(one), Some(other)) => Some(format!("the order {id} has {} and {}", one.id, other.id)),
        (Some(run), None) => (!agree(status, run)).then(|| {
            let outcome = run.outcome.map_or("no outcome", RunOutcome::as_str);
            format!(
                "the order {id} is `{status}`, and {} is `{}` with {outcome}",
                run.id, run.status
            )
        }),
    }
}

fn status_of(evidence: &TenantEvidence, order: RowId) -> Option<ObligationStatus> {
    let obligations = &evidence.judgement.stored.obligations;
    obligations.iter().find(|it| it.id == order).map(|it| it.status)
}

fn is_over_without_run(status: ObligationStatus) -> bool {
    matches!(status, ObligationStatus::Failed | ObligationStatus::Cancelled)
}

/// Whether an order is in a state that fits its run.
fn agree(status: ObligationStatus, run: &RunView) -> bool {
    use ObligationStatus::{Active, Cancelled, Expired, Failed, Resolved};
    match run.outcome {
        _ if run.is_live() => status == Active,
        Some(RunOutcome::Succeeded) => status == Resolved,
        Some(RunOutcome::FellShort) => matches!(status, Expired | Failed),
        None => matches!(status, Failed | Cancelled),
    }
}

/// Returns a breach for each order that an answer calls done although its run had not ended.
fn told_too_early<'e>(
    evidence: &'e TenantEvidence,
    ask: &AskRow,
) -> impl Iterator<Item = String> + use<'e> {
    let trace = Trace::of(ask);
    let (id, told_at) = (ask.id, trace.as_ref().and_then(|trace| instant(Some(&trace.at))));
    let done = trace
        .into_iter()
        .flat_map(|trace| trace.obligations)
        .filter(|it| it.status == ObligationStatus::Resolved);
    let runs = done.filter_map(|it| it.run_id?.parse::<RunId>().ok());
    runs.filter_map(move |run| {
        let ends = evidence
            .events
            .iter()
            .filter(|event| event.run == Some(run) && event.kind == EventKind::RunCompleted);
        let is_over = ends
            .map(|event| event.at)
            .any(|ended| told_at.is_some_and(|told| ended <= told + evidence.clock_tolerance));
        (!is_over).then(|| format!("{id} says that {run} is done, which had not ended"))
    })
}
