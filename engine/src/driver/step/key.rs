//! Enforces the idempotency keys of calls: a later call with the key of an earlier one gets the earlier
//! result, and the tool does not act again.

use std::borrow::Cow;

use super::context::{CallFailure, Step, no_transaction};
use super::lane::is_keyed;
use crate::base::{Digest, Problem, Value, limits};
use crate::contract::Contract;
use crate::ledger::ExternalOutcome;
use crate::planted::PlantedFault;
use crate::run::{CallState, outcome_unknown};
use crate::store::ToolKey;

/// Returns the idempotency key of a call: the caller's own key, or else the argument that the contract
/// names. Returns `None` for a call without a key.
pub(super) fn of_call(step: &Step<'_>, contract: &Contract, args: &Value) -> Option<String> {
    let given = step.draft.state.outside_call.as_ref().and_then(|call| call.key.clone());
    given.or_else(|| {
        let value = args.get(contract.key_field.as_ref()?)?;
        let text = value.as_str().map_or_else(|| Cow::Owned(value.to_string()), Cow::Borrowed);
        let fits = text.len() <= limits::KEY_BYTES_MAX;
        Some(if fits { text.into_owned() } else { Digest::of_value(value).to_string() })
    })
}

/// Returns the key that decides whether a call acts; `None` if the tool acts on each call.
fn deciding(step: &Step<'_>, contract: &Contract, args: &Value) -> Option<String> {
    of_call(step, contract, args).filter(|_| is_keyed(contract))
}

/// The first call with the key of the current call.
pub(super) struct EarlierCall {
    pub(super) key: String,
    pub(super) result: Value,
}

/// Claims the key of a call. Returns the earlier call that has the key, if there is one.
///
/// # Errors
/// `key_clash` if the caller gave the key of a call with other arguments; `key_busy` if the earlier call
/// has not finished, which is tried again.
pub(super) async fn claim(
    step: &mut Step<'_>,
    contract: &Contract,
    call: &CallState,
    args: &Value,
) -> Result<Option<EarlierCall>, Problem> {
    let Some(key) = deciding(step, contract, args) else { return Ok(None) };
    let given = step.draft.state.outside_call.as_ref().is_some_and(|call| call.key.is_some());
    let input = Digest::of_value(args);
    let claimed = ToolKey { tenant: &step.live.tenant, tool: &contract.name, key: &key };
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    let first = tx.claim_key(claimed, call.id, input).await?;
    if first.call == call.id || PlantedFault::KeyIgnored.is_active() {
        return Ok(None);
    }
    if given && first.input != input {
        return Err(clash(&key));
    }
    match first.result {
        Some(result) => Ok(Some(EarlierCall { key, result })),
        None if tx.receipt(&step.live.tenant, first.call).await?.is_some() => {
            let message =
                format!("the call {} has the same key, and its outcome is unknown", first.call);
            Err(outcome_unknown(message))
        }
        None => Err(Problem::transient("key_busy", "a call with the same key is not finished")),
    }
}

/// Builds the error for a key that the caller gave to two different calls.
pub(crate) fn clash(key: &str) -> Problem {
    let message = format!("the key `{key}` was used for a call with other arguments");
    Problem::caller("key_clash", message).with_hint("use a new key for a new call")
}

/// Stores the result of a call for later calls with the same key.
pub(super) async fn store_result(
    step: &mut Step<'_>,
    contract: &Contract,
    args: &Value,
    result: &Value,
) -> Result<(), Problem> {
    let Some(key) = deciding(step, contract, args) else { return Ok(()) };
    let key = ToolKey { tenant: &step.live.tenant, tool: &contract.name, key: &key };
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    Ok(tx.store_keyed_result(key, result).await?)
}

/// Gives up the key of a call that failed after a commit of its own: the call had written a part of its work,
/// or an outside system was to make it. The key of any other failed call is rolled back with the call. A call
/// that acted outside, or may have, keeps its key, so that no later call acts again.
pub(super) async fn release(
    step: &mut Step<'_>,
    contract: &Contract,
    failure: &CallFailure,
) -> Result<(), Problem> {
    let CallFailure { call, args, external, .. } = failure;
    let outcome = external.as_ref().map(|effect| effect.outcome);
    if outcome.is_some_and(|outcome| outcome != ExternalOutcome::NotDone)
        || (call.cursor.is_none() && outcome.is_none())
    {
        return Ok(());
    }
    let Some(key) = deciding(step, contract, args) else { return Ok(()) };
    let key = ToolKey { tenant: &step.live.tenant, tool: &contract.name, key: &key };
    match step.tx.as_deref_mut() {
        Some(tx) => Ok(tx.release_key(key, call.id).await?),
        None => Ok(()),
    }
}
