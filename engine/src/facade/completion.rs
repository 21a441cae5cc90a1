//! Completes calls that an outside system has accepted and carries out later.

use super::engine::Engine;
use std::sync::Arc;

use crate::adapter::CompletionRequest;
use crate::base::{CallId, Problem, RunId, Value};
use crate::boxed;
use crate::contract::Handler;
use crate::driver::{Core, completion_signal};
use crate::ledger::{Receipt, ReceiptError};
use crate::run::WaitingFor;
use crate::store::{SignalKind, Tx};
use crate::transaction;
use crate::verb::REMOTE;

/// How an outside system completed a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    /// Id of the call.
    pub call: CallId,
    /// Run that makes the call, as the token of the call names it.
    pub run: RunId,
    /// The token of the call.
    pub token: String,
    /// The result of the call, or why it failed.
    pub outcome: Result<Value, Problem>,
}

/// A call that is to be completed, with what the adapter needs to check the token.
struct Found {
    adapter: String,
    request: Value,
    /// The receipt of the call, if it is finished.
    receipt: Option<Receipt>,
}

impl Engine {
    /// Stores the result of a call that an outside system has accepted, and wakes the run that waits for it.
    /// A second completion with the same outcome changes nothing.
    ///
    /// # Errors
    /// `unauthorized` if the token does not belong to the call; `call_finished` if the call has ended with
    /// another outcome, or will.
    #[boxed]
    pub async fn complete_call(&self, completion: Completion) -> Result<(), Problem> {
        let Completion { call, run, token, outcome } = completion;
        let core = Arc::clone(&self.core);
        let find = transaction!([core], |tx| find(&core, tx, run, call).await);
        let found = self.core.store.read(find).await?.ok_or_else(refused)?;
        let adapter = self.core.adapters.get(&found.adapter).ok_or_else(refused)?;
        let claim = CompletionRequest { call, run, token: &token };
        if !adapter.may_complete(&found.request, claim) {
            return Err(refused());
        }
        if let Some(receipt) = found.receipt {
            return if is_same(&receipt, &outcome) { Ok(()) } else { Err(finished()) };
        }
        let payload = serde_json::to_value(&outcome).map_err(|e| Problem::bug(e.to_string()))?;
        let write = transaction!([payload], |tx| store(tx, run, call, &payload).await);
        self.core.store.write(write).await
    }
}

/// Builds the error for every completion that is not allowed. It does not say why, because the caller is
/// nobody that the engine knows.
fn refused() -> Problem {
    Problem::caller("unauthorized", "this token completes no call")
        .with_hint("use the token that came with the call")
}

fn finished() -> Problem {
    Problem::caller("call_finished", "the call has ended with another outcome")
        .with_hint("nothing more can be reported for it")
}

/// Whether a finished call has this outcome.
fn is_same(receipt: &Receipt, outcome: &Result<Value, Problem>) -> bool {
    match outcome {
        Ok(result) => receipt.error.is_none() && receipt.result == Receipt::shown(result),
        Err(problem) => receipt.error.as_ref() == Some(&ReceiptError::from(problem)),
    }
}

/// Finds a call that a server of the home makes or has made, in a run; `None` if the run has no such call.
async fn find(
    core: &Core,
    tx: &mut Tx,
    run: RunId,
    call: CallId,
) -> Result<Option<Found>, Problem> {
    let Some(row) = tx.run(run).await? else { return Ok(None) };
    let state = row.parsed_state()?;
    if let Some(current) = state.call().filter(|current| current.id == call)
        && let Some(WaitingFor::External(external)) = &current.waiting_for
    {
        let request = tx.blob(external.request).await?;
        return Ok(Some(Found { adapter: external.adapter.clone(), request, receipt: None }));
    }
    let Some(receipt) = tx.receipt(&row.tenant, call).await? else { return Ok(None) };
    let receipt: Receipt =
        serde_json::from_value(receipt.body).map_err(|e| Problem::bug(e.to_string()))?;
    let bundle = core.bundle(tx, row.bundle).await?;
    let contract = bundle.contracts.get(&receipt.tool).filter(|_| receipt.run_id == run);
    let Some(Handler::Remote(tool)) = contract.map(|contract| &contract.handler) else {
        return Ok(None);
    };
    let request = serde_json::json!({ "secret_env": tool.secret_env });
    Ok(Some(Found { adapter: REMOTE.to_owned(), request, receipt: Some(receipt) }))
}

/// Stores the completion as a signal to the run that receives the signals of the call's run.
async fn store(tx: &mut Tx, run: RunId, call: CallId, payload: &Value) -> Result<(), Problem> {
    let Some(row) = tx.run(run).await? else { return Err(refused()) };
    let root = row.parsed_state()?.signal_receiver(run);
    let name = completion_signal(call);
    if tx.signal(root, SignalKind::Named(&name), Some(&name), payload).await? {
        return Ok(());
    }
    match tx.first_named(root, &[&name]).await? {
        Some(earlier) if earlier.payload != *payload => Err(finished()),
        _ => Ok(()),
    }
}
