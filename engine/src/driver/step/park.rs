//! Parks a run while its current call waits: this process stops working on the run
//! until a due time has come or until the run is woken.

use super::context::{Called, Step, no_transaction};
use crate::base::{Problem, Timestamp};
use crate::run::{CallState, RunTransition};
use crate::store::RunRef;

/// Returns the instant from which the timeout of a wait counts. This is the beginning of the wait, `since`,
/// or the instant at which policy permitted the last of the run's messages to leave, if that is later.
pub(super) async fn permitted_since(
    step: &mut Step<'_>,
    since: Timestamp,
) -> Result<Timestamp, Problem> {
    let run = step.live.id;
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    let permitted = tx.last_permitted_send(run).await?;
    Ok(permitted.map_or(since, |at| at.max(since)))
}

/// Whether a deadline that has passed must still wait, because a message that was received by the deadline
/// is not applied yet. The run is woken when that message is applied.
pub(super) async fn is_barred(step: &mut Step<'_>, deadline: Timestamp) -> Result<bool, Problem> {
    let (run, tenant) = (step.live.id, step.live.tenant.clone());
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    let barred = tx.hold_until_applied(RunRef { tenant: &tenant, run }, deadline).await?;
    if barred {
        step.core.bells.inbox.ring();
    }
    Ok(barred)
}

/// Makes the run wait until the instant `until` or until the run is woken, whichever comes first. Stores
/// the waiting call.
pub(super) fn park(
    step: &mut Step<'_>,
    call: CallState,
    until: Option<Timestamp>,
) -> Result<Called, Problem> {
    park_until(step, call, until, until)
}

/// Makes the run wait until the instant `again` or until the run is woken, whichever comes first. Stores
/// the waiting call. If the run still waits after the instant `expected_by`, people see the run as stuck.
pub(super) fn park_until(
    step: &mut Step<'_>,
    call: CallState,
    expected_by: Option<Timestamp>,
    again: Option<Timestamp>,
) -> Result<Called, Problem> {
    step.draft.hold(call);
    step.draft.transition(RunTransition::Wait)?;
    let must = step.ends_by();
    let again = again.map_or(must, |again| again.min(must));
    step.draft.park(Some(again), Some(expected_by.unwrap_or(must)));
    Ok(Called::Unfinished)
}
