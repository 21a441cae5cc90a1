//! Invokes a verb: checks the arguments against the verb's contract, runs the verb,
//! and adds its result to the draft.

use super::super::core::check_tool;
use super::call::{CallParts, contract, count_messages, finish, guarded, not_configured, not_here};
use super::context::{Called, Step, no_transaction, node};
use super::external::begin;
use super::{approval, gate, key, states, wait};
use crate::base::{Problem, Value};
use crate::contract::Handler;
use crate::run::{CallState, RunTransition};
use crate::verb::{Effects, Prepared, Progress, Verb, VerbOutcome};

/// Makes a call, or continues a call that writes in several commits (*chunks*) with its next chunk.
pub(super) async fn invoke(
    step: &mut Step<'_>,
    call: CallState,
    args: &Value,
) -> Result<Called, Problem> {
    let node = node(step)?;
    let contract = contract(step, node)?;
    contract.check_args(args)?;
    if let Handler::NotConfigured(why) = &contract.handler {
        return Err(not_configured(node, why));
    }
    if step.live.settings.domains.is_some() {
        check_tool(&step.core.library(), &step.live.settings, contract)?;
    }
    let verb = step.core.verbs.of(contract).ok_or_else(|| not_here(node))?;
    let parts = CallParts::load(step).await?;
    let cx = parts.context(step, node, contract, &call);
    let begun = call.approval.is_some() || call.cursor.is_some();
    if call.cursor.is_none() {
        states::before(step, contract).await?;
    }
    if !begun && let Some(request) = gate::judge(step, contract, &verb, &cx, args).await? {
        return Box::pin(approval::ask(step, call, args, request)).await;
    }
    if let Some(earlier) = key::claim(step, contract, &call, args).await? {
        let effects = Effects { idempotency_hit: vec![earlier.key], ..Effects::default() };
        return finish(step, &call, args, VerbOutcome::done(earlier.result, effects)).await;
    }
    let outcome = match verb {
        Verb::Pure(verb) => guarded(step.core, contract, async { verb.run(&cx, args) }).await?,
        Verb::Write(verb) => {
            let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
            let code = verb.run(tx, &cx, args, call.cursor.as_ref());
            guarded(step.core, contract, code).await?
        }
        Verb::External(verb) => {
            let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
            match guarded(step.core, contract, verb.prepare(tx, &cx, args)).await? {
                Prepared::Call(wanted) => return begin(step, call, args, wanted),
                Prepared::Done(outcome) => outcome,
            }
        }
        Verb::Wait(verb) => {
            let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
            let spec = guarded(step.core, contract, verb.arm(tx, &cx, args)).await?;
            return wait::arm(step, call, args, spec).await;
        }
    };
    match outcome.progress {
        Progress::Done => {
            contract.check_result(&outcome.result)?;
            key::store_result(step, contract, args, &outcome.result).await?;
            finish(step, &call, args, outcome).await
        }
        Progress::More(cursor) => {
            keep_going(step, call, args, cursor, &outcome.effects)?;
            Ok(Called::Unfinished)
        }
    }
}

/// Stores an unfinished call in the draft, so that the next step can continue it with its next chunk.
fn keep_going(
    step: &mut Step<'_>,
    mut call: CallState,
    args: &Value,
    cursor: Value,
    effects: &Effects,
) -> Result<(), Problem> {
    count_messages(step, effects)?;
    let (writes, messages) = call.so_far.unwrap_or_default();
    call.so_far = Some((
        writes + effects.db_writes.len() as u64,
        messages + effects.messages_sent.len() as u64,
    ));
    call.cursor = Some(cursor);
    step.draft.freeze(args);
    step.draft.hold(call);
    step.draft.transition(RunTransition::Advance)
}
