//! Asks the domain about calls that can bring about or end states, and tells it of them.

use super::context::Step;
use crate::base::Problem;
use crate::contract::Contract;

/// Asks whether a call may act.
///
/// # Errors
/// The refusal of the domain.
pub(super) async fn before(step: &mut Step<'_>, contract: &Contract) -> Result<(), Problem> {
    let (core, live) = (step.core, step.live);
    if contract.touched().next().is_none() {
        return Ok(());
    }
    let Some(tx) = step.tx.as_deref_mut() else { return Ok(()) }; // the call only computes
    let library = core.library();
    let cx = core.domain_context(&live.tenant, &live.settings, &library);
    core.domain.before_call(tx, &cx, contract).await
}

/// Tells of a call that has succeeded.
pub(super) async fn after(step: &mut Step<'_>, contract: &Contract) -> Result<(), Problem> {
    let (core, live) = (step.core, step.live);
    if contract.touched().next().is_none() {
        return Ok(());
    }
    let Some(tx) = step.tx.as_deref_mut() else { return Ok(()) };
    let library = core.library();
    let cx = core.domain_context(&live.tenant, &live.settings, &library);
    core.domain.after_call(tx, &cx, contract, live.message_target()).await
}
