//! Parks a run while one of its calls waits, and decides when the call is evaluated again.

use super::context::{Called, Step, no_transaction};
use crate::base::{Problem, Timestamp};
use crate::run::{CallState, RunTransition};
use crate::store::RunRef;

/// Returns the instant from which a wait that began at `since` counts. This is `since`,
/// or the time at which policy first permitted the run's last message to leave, if that is later.
pub(super) async fn permitted_since(
    step: &mut Step<'_>,
    since: Timestamp,
) -> Result<Timestamp, Problem> {
    let run = step.live.id;
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    let permitted = tx.last_permitted_send(run).await?;
    Ok(permitted.map_or(since, |at| at.max(since)))
}

/// Whether a deadline that has passed must still wait, because a message received by then is not applied
/// yet. Applying that message wakes the run.
pub(super) async fn is_barred(step: &mut Step<'_>, deadline: Timestamp) -> Result<bool, Problem> {
    let (run, tenant) = (step.live.id, step.live.tenant.clone());
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    let barred = tx.hold_until_applied(RunRef { tenant: &tenant, run }, deadline).await?;
    if barred {
        step.core.bells.inbox.ring();
    }
    Ok(barred)
}

/// Parks the call until the instant `until` or a wake-up, whichever comes first.
pub(super) fn park(
    step: &mut Step<'_>,
    call: CallState,
    until: Option<Timestamp>,
) -> Result<Called, Problem> {
    park_until(step, call, until, until)
}

/// Parks the call until `again` or a wake-up. The run counts as stuck after `expected_by`.
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
