//! Refuses calls from outside that need the consent of a person.

use super::context::Step;
use crate::base::Problem;
use crate::contract::{Contract, Risk};

/// The lowest risk at which a call from outside needs consent.
const RISK_MIN: Risk = Risk::T2;

/// Returns the risk of a call from outside. No method has planned the messages of such a call, so a call
/// that sends messages counts as an act that reaches people.
fn risk_from_outside(contract: &Contract) -> Risk {
    if contract.sends.is_some() { contract.risk.max(Risk::T3) } else { contract.risk }
}

/// Checks that the current call may act.
///
/// # Errors
/// `approval_required` for a call from outside that needs consent and has none.
pub(super) fn check(step: &Step<'_>, contract: &Contract) -> Result<(), Problem> {
    let Some(outside) = &step.draft.state.outside_call else { return Ok(()) };
    let risk = risk_from_outside(contract);
    if outside.consented || risk < RISK_MIN {
        return Ok(());
    }
    let message = format!("`{}` has risk {risk}, so a person must approve the call", contract.name);
    Err(Problem::caller("approval_required", message)
        .with_hint("call the tool in a step of a method that somebody who may has started"))
}
