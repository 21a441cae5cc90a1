//! Performs an `await`: a wait that ends when the first of several signals arrives, or at its deadline.

use super::askings;
use super::context::{self, Called, Step};
use super::lane::Lane;
use super::park::{is_barred, park, park_until, permitted_since};
use crate::base::{Digest, Problem, Value};
use crate::ledger::EventKind;
use crate::method::{Await, StepAction};
use crate::run::{CallState, ComputedEnd, RunTransition, WaitStart, WaitingFor, finish_step};

/// Begins an `await` and evaluates it at once, because a signal may have arrived already.
pub(super) async fn begin(
    step: &mut Step<'_>,
    wait: &Await,
    ends: ComputedEnd,
) -> Result<Called, Problem> {
    let since = step.draft.last_at;
    let deadline = ends.deadline(WaitStart { since, base: since }, wait.timeout);
    let on = WaitingFor::Signal { since, deadline, ends };
    let call = CallState::new(step.core.ids.mint(since), Digest::ZERO, since, Some(on));
    evaluate(step, call).await
}

/// Evaluates the current `await`: ends it with a signal or at its deadline, or lets the run keep waiting.
pub(super) async fn evaluate(step: &mut Step<'_>, mut call: CallState) -> Result<Called, Problem> {
    let node = context::node(step)?;
    let (StepAction::Await(wait), Some(WaitingFor::Signal { since, ends, .. })) =
        (&node.action, &call.waiting_for)
    else {
        return Err(Problem::bug("the current call is not an `await`"));
    };
    let (since, ends, now) = (*since, *ends, step.draft.last_at);
    if let Some(name) = take_message(step, wait).await? {
        step.draft.state.timed_out = false;
        return pass(step, wait, Some(&name));
    }
    // An `await` without signals only waits for time to pass, so its deadline counts from its beginning.
    // An `await` with signals waits for people, so it lasts longer if the messages to them were delayed.
    let base = match wait.signals.is_empty() || step.lane == Lane::Memory {
        true => since, // in memory, the run sends no messages
        false => permitted_since(step, since).await?,
    };
    let deadline = ends.deadline(WaitStart { since, base }, wait.timeout);
    let times_out = now >= deadline && !wait.signals.is_empty();
    if times_out && step.lane != Lane::Memory && is_barred(step, deadline).await? {
        return park_until(step, call, Some(deadline), None);
    }
    if now >= deadline {
        step.core.count_fired();
        if !wait.signals.is_empty() {
            step.draft.state.timed_out = true;
            step.draft.passes = Some(deadline).filter(|_| step.lane != Lane::Own);
        }
        step.event(EventKind::AwaitEnded, serde_json::json!({ "step_id": node.step_id }));
        return pass(step, wait, None);
    }
    call.waiting_for = Some(WaitingFor::Signal { since, deadline, ends });
    park(step, call, Some(deadline))
}

/// Consumes the oldest signal that ends the `await`. Returns the name that the method gives this signal;
/// `None` if no such signal has arrived.
async fn take_message(step: &mut Step<'_>, wait: &Await) -> Result<Option<String>, Problem> {
    let awaited = askings::awaited(step, wait).await?;
    let names: Vec<&str> = awaited.iter().map(|(name, _)| name.as_str()).collect();
    let Some(message) = step.take_signal(&names).await? else { return Ok(None) };
    let came = awaited.iter().find(|(name, _)| message.name.as_ref() == Some(name));
    let Some((_, awaited)) = came else { return Ok(None) };
    if let Some(out) = &awaited.out {
        step.draft.assign(out.clone(), message.payload);
    }
    let name = awaited.signal.as_str();
    step.event(
        EventKind::SignalReceived,
        serde_json::json!({ "name": name, "signal_id": message.id }),
    );
    Ok(Some(name.to_owned()))
}

/// Completes the step. Sets to null the variables of those signals that did not arrive.
fn pass(step: &mut Step<'_>, wait: &Await, came: Option<&str>) -> Result<Called, Problem> {
    for awaited in wait.signals.iter().filter(|awaited| Some(awaited.signal.as_str()) != came) {
        if let Some(out) = &awaited.out {
            step.draft.assign(out.clone(), Value::Null);
        }
    }
    finish_step(&mut step.draft.state);
    step.draft.transition(RunTransition::Advance)?;
    Ok(Called::Finished)
}
