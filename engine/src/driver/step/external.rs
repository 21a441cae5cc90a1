//! Makes a call to an outside system in three parts: this step commits the intent, the adapter makes the call
//! outside of any transaction, and a later step records the outcome with the receipt.

use std::sync::Arc;

use super::super::core::START_WITHIN;
use super::call::{CallParts, contract, finish, guarded, not_configured, not_here, receipt};
use super::context::{self, Called, Step, no_transaction};
use super::load;
use super::park::park;
use crate::base::{CallId, Problem, Span, Timestamp, Value, limits};
use crate::ledger::{ExternalEffect, ExternalOutcome};
use crate::method::Node;
use crate::run::{
    AfterReport, CallState, ExternalCall, ExternalReport, ExternalStage, OUTCOME_UNKNOWN,
    RunTransition, WaitingFor,
};
use crate::store::Dialect;
use crate::verb::{ExternalRequest, Verb};

/// Stores the intent of a call in the draft. After the commit, the process that takes this step hands the
/// call to the adapter.
pub(super) fn begin(
    step: &mut Step<'_>,
    mut call: CallState,
    args: &Value,
    wanted: ExternalRequest,
) -> Result<Called, Problem> {
    let node = context::node(step)?;
    let adapter = step.core.adapters.get(wanted.adapter).ok_or_else(|| not_here(node))?;
    if let Some(why) = adapter.missing(&wanted.request) {
        return Err(not_configured(node, &why));
    }
    step.draft.freeze(args);
    let request = step.draft.freeze(&wanted.request);
    step.draft.wanted = Some((request, Arc::new(wanted.request)));
    let since = step.draft.last_at;
    let external = ExternalCall {
        adapter: wanted.adapter.to_owned(),
        target: wanted.target,
        request,
        since,
        tries: 1,
        asked: 0,
        complete_within: wanted.complete_within,
        stage: ExternalStage::Calling { answer_by: answer_by(step, node, since)? },
    };
    call.waiting_for = Some(WaitingFor::External(external));
    go_on(step, call)
}

/// Records what is known about the current call by now: finishes or fails the call, has it made again, or
/// lets the run wait.
pub(super) async fn evaluate(
    step: &mut Step<'_>,
    mut call: CallState,
    args: &Value,
) -> Result<Called, Problem> {
    let node = context::node(step)?;
    let Some(WaitingFor::External(mut external)) = call.waiting_for.clone() else {
        return Err(Problem::bug("the current call is to no outside system"));
    };
    let now = step.draft.last_at;
    let report = step.report.take();
    let mut after = report.as_ref().map(|report| external.after(report, now));
    if matches!(after, None | Some(AfterReport::Wait(_)))
        && let Some(completed) = completion(step, call.id).await?
    {
        after = Some(external.after(&completed, now));
    }
    match after {
        Some(AfterReport::Conclude(answer)) => conclude(step, &call, args, answer).await,
        Some(AfterReport::Fail(problem)) => Err(problem),
        Some(AfterReport::CallAgain) => {
            external.tries += u32::from(report != Some(ExternalReport::NotBegun));
            external.stage = ExternalStage::Calling { answer_by: answer_by(step, node, now)? };
            call.waiting_for = Some(WaitingFor::External(external));
            go_on(step, call)
        }
        Some(AfterReport::Wait(stage)) => {
            external.asked += 1;
            external.stage = stage;
            call.waiting_for = Some(WaitingFor::External(external));
            park(step, call, Some(stage.due()))
        }
        None => match external.stage {
            ExternalStage::Accepted { until } if now >= until => {
                Err(external.unknown("it accepted the call and did not complete it in time"))
            }
            stage => park(step, call, Some(stage.due())),
        },
    }
}

/// Stores the call in the draft. The run goes on at once, because the adapter is to make the call.
fn go_on(step: &mut Step<'_>, call: CallState) -> Result<Called, Problem> {
    step.draft.hold(call);
    step.draft.transition(RunTransition::Advance)?;
    Ok(Called::Unfinished)
}

/// Returns the time after which a call that is allowed to begin at `from` can no longer be in progress, on
/// the clock of any process that may drive the run.
fn answer_by(step: &Step<'_>, node: &Node, from: Timestamp) -> Result<Timestamp, Problem> {
    let skew = match step.core.store.dialect() {
        Dialect::Sqlite => Span::ZERO, // all processes are on one machine
        Dialect::Postgres => limits::CLOCK_SKEW_MAX,
    };
    Ok(from + START_WITHIN + contract(step, node)?.timeout + skew)
}

async fn conclude(
    step: &mut Step<'_>,
    call: &CallState,
    args: &Value,
    answer: Value,
) -> Result<Called, Problem> {
    let node = context::node(step)?;
    let contract = contract(step, node)?;
    let Some(Verb::External(verb)) = step.core.verbs.of(contract) else {
        return Err(not_here(node));
    };
    step.acted_outside = true;
    let parts = CallParts::load(step).await?;
    let cx = parts.context(step, node, contract, call);
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    let mut outcome = guarded(step.core, contract, verb.conclude(tx, &cx, args, answer)).await?;
    outcome.effects.external_calls.extend(effect(call, ExternalOutcome::Done));
    super::key::store_result(step, contract, args, &outcome.result).await?;
    finish(step, call, args, outcome).await
}

/// Consumes the completion of the current call, if the other side has sent it.
async fn completion(step: &mut Step<'_>, call: CallId) -> Result<Option<ExternalReport>, Problem> {
    let name = completion_signal(call);
    let Some(signal) = step.take_signal(&[&name]).await? else { return Ok(None) };
    let completed = serde_json::from_value(signal.payload);
    let completed = completed.map_err(|error| Problem::bug(error.to_string()))?;
    Ok(Some(ExternalReport::Completed(completed)))
}

/// Returns the name of the signal that completes a call. No method can name it.
pub(crate) fn completion_signal(call: CallId) -> String {
    format!("#completed {call}")
}

/// Returns the effect of a call on the outside; `None` if the call did not get as far as an adapter.
pub(super) fn effect(call: &CallState, outcome: ExternalOutcome) -> Option<ExternalEffect> {
    let Some(WaitingFor::External(external)) = &call.waiting_for else { return None };
    Some(ExternalEffect {
        adapter: external.adapter.clone(),
        target: external.target.clone(),
        tries: external.tries,
        outcome,
    })
}

impl Step<'_> {
    /// Returns the effect of a call that failed with `problem`.
    pub(super) fn failed_effect(
        &self,
        call: &CallState,
        problem: &Problem,
    ) -> Option<ExternalEffect> {
        let outcome = match (self.acted_outside, problem.code == OUTCOME_UNKNOWN) {
            (true, _) => ExternalOutcome::Done,
            (false, true) => ExternalOutcome::Unknown,
            (false, false) => ExternalOutcome::NotDone,
        };
        effect(call, outcome)
    }

    /// If an outside system is making the current call while the run ends or moves on, ends the call with a
    /// receipt that says so. Its outcome is never known.
    pub(super) async fn abandon_external_call(&mut self) -> Result<(), Problem> {
        let Some(call) = self.draft.state.call().cloned() else { return Ok(()) };
        let Some(WaitingFor::External(external)) = &call.waiting_for else { return Ok(()) };
        let node = context::node(self)?;
        let args = load::frozen(self, call.args).await?;
        let problem = external.unknown("the run did not wait for the outcome");
        let mut proof = receipt(self, node, &call, &args, Some(&problem));
        proof.with_external(effect(&call, ExternalOutcome::Unknown));
        self.draft.receipt(self.live, &proof);
        self.draft.state.drop_call();
        Ok(())
    }
}
