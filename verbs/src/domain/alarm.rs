//! Puts in the inbox of staff what no message tells them: runs that failed, and a budget that is used up.

use abide_engine::base::Problem;
use abide_engine::domain::{DomainContext, RunEnd};
use abide_engine::policy::BUDGET_EXHAUSTED;
use abide_engine::run::RunFailure;
use abide_engine::store::Tx;

use crate::data::inbox::InboxEntry;
use crate::inbox::Reason;
use crate::operations::{OperationContext, staff_inbox};

/// Tells staff of a run that failed. Of a budget that is used up they hear by itself, once a month.
pub(super) async fn run_failed(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    end: &RunEnd<'_>,
    failure: &RunFailure,
) -> Result<(), Problem> {
    if failure.problem.code == BUDGET_EXHAUSTED {
        return Ok(());
    }
    // The message of the problem may name people, so it stays with the run.
    let note = format!("{} failed at `{}`: {}", end.method, failure.step_id, failure.problem.code);
    let entry = InboxEntry::of_message(tx.mint(), cx.now, Reason::RunFailed);
    let entry = InboxEntry { run: Some(end.run), note: Some(note), ..entry };
    staff_inbox::put(tx, &OperationContext::of_domain(cx), &entry).await
}

/// Tells staff that messages do not fit into the month's budget.
pub(super) async fn budget_reached(tx: &mut Tx, cx: &DomainContext<'_>) -> Result<(), Problem> {
    let limit = cx.settings.messages_per_month.unwrap_or_default();
    let note = format!("the budget of {limit} messages a month is used up, or does not suffice");
    let entry = InboxEntry::of_message(tx.mint(), cx.now, Reason::BudgetReached);
    let entry = InboxEntry { note: Some(note), ..entry };
    staff_inbox::put(tx, &OperationContext::of_domain(cx), &entry).await
}
