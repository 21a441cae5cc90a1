//! Checks the month's message budget before a verb sends messages to many people.
//! If the budget does not suffice for all messages, the verb sends none.

use abide_engine::base::Problem;
use abide_engine::policy::{self, Month};
use abide_engine::store::Tx;

use super::OperationContext;

/// Checks that this month's budget suffices for this many more messages.
/// Queued messages are counted as if they were sent already.
///
/// # Errors
/// `budget_exhausted` if the budget does not suffice.
pub async fn check(
    tx: &mut Tx,
    context: &OperationContext<'_>,
    wanted: usize,
) -> Result<(), Problem> {
    let Some(limit) = context.settings.messages_per_month else { return Ok(()) };
    let month = Month::of(context.now, &context.settings.zone());
    let used =
        tx.spent(context.tenant, month.from).await? + tx.count_queued(context.tenant).await?;
    let used = u64::try_from(used).unwrap_or(0);
    match policy::budget::plan(wanted as u64, used, Some(limit)).reason {
        Some(refusal) => Err(refusal),
        None => Ok(()),
    }
}
