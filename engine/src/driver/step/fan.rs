//! Performs a step by starting child runs: concurrent branches, rounds of a `foreach`, or another method.

use std::ops::Range;

use super::children::{has_rounds, start_more};
use super::context::{self, Called, Step, no_transaction};
use super::park::park;
use super::{askings, call};
use crate::base::{Problem, RunId, Value, limits};
use crate::ledger::EventKind;
use crate::method::{Node, StepAction};
use crate::run::{
    CallState, ChildStatus, FanOut, FanOutAction, RunState, RunStatus, RunTransition, WaitingFor,
    finish_rounds, finish_step, result_names,
};
use crate::store::{ChildRow, SignalKind};

/// Begins a step that starts child runs, and starts the first child runs.
pub(super) async fn begin(
    step: &mut Step<'_>,
    node: &Node,
    mut fan: FanOut,
    with: &Value,
) -> Result<Called, Problem> {
    let now = step.draft.last_at;
    if let StepAction::Method(method) = &node.action {
        fan.until = method.timeout.map(|timeout| now + timeout);
    }
    let args = step.draft.freeze(with);
    let call = CallState::new(step.core.ids.mint(now), args, now, Some(WaitingFor::Children(fan)));
    evaluate(step, call, with).await
}

/// Checks the child runs of the current step, then starts more of them, stops them,
/// waits for them, or ends the step.
pub(super) async fn evaluate(
    step: &mut Step<'_>,
    mut call: CallState,
    with: &Value,
) -> Result<Called, Problem> {
    let Some(WaitingFor::Children(mut fan)) = call.waiting_for.clone() else {
        return Err(Problem::bug("the current call has no children"));
    };
    let now = step.draft.last_at;
    let mut window = children(step, &call, fan.window_start..fan.started).await?;
    let mut ends: Vec<ChildStatus> = window.iter().map(end_of).collect();
    loop {
        match fan.decide(&ends, now) {
            FanOutAction::Start(more) => {
                start_more(step, &call, &fan, more, with).await?;
                fan.started += more;
                ends.extend(std::iter::repeat_n(ChildStatus::Open, more));
                if more == limits::CHILDREN_CHUNK_MAX {
                    call.waiting_for = Some(WaitingFor::Children(fan));
                    step.draft.hold(call);
                    step.draft.transition(RunTransition::Advance)?;
                    return Ok(Called::Unfinished);
                }
            }
            FanOutAction::Stop => {
                let open = window.iter().filter(|child| end_of(child) == ChildStatus::Open);
                let open: Vec<RunId> = open.map(|child| child.run).collect();
                stop(step, &open).await?;
                fan.stopping = true;
            }
            FanOutAction::Wait => {
                take_over(step, &fan, ended(&window)).await?;
                fan.count_ended(&ends);
                let until = fan.until.filter(|_| !fan.stopping);
                call.waiting_for = Some(WaitingFor::Children(fan));
                return park(step, call, until);
            }
            FanOutAction::Succeed => {
                take_over(step, &fan, &window).await?;
                return done(step, &call, window.pop()).await;
            }
            FanOutAction::Fail => {
                if let Some(first) = fan.first_failed {
                    window.splice(0..0, children(step, &call, first..first + 1).await?);
                }
                return Err(failure(step, &fan, &window));
            }
        }
    }
}

/// Orders child runs to stop. Each of them undoes its calls before it ends.
pub(super) async fn stop(step: &mut Step<'_>, open: &[RunId]) -> Result<(), Problem> {
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    let why = serde_json::json!({ "why": "its parent continues without it" });
    for child in open {
        tx.signal(*child, SignalKind::Order("cancel"), Some("parent"), &why).await?;
    }
    Ok(())
}

async fn children(
    step: &mut Step<'_>,
    call: &CallState,
    places: Range<usize>,
) -> Result<Vec<ChildRow>, Problem> {
    let parent = step.live.id;
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    Ok(tx.children(parent, call.id, places).await?)
}

fn end_of(child: &ChildRow) -> ChildStatus {
    match RunStatus::parse(&child.status) {
        Some(RunStatus::Completed) => ChildStatus::Completed,
        Some(RunStatus::Failed | RunStatus::Cancelled) => ChildStatus::Failed,
        _ => ChildStatus::Open,
    }
}

/// Returns the child runs at the beginning of `window` that have ended: those before the first child run
/// that has not ended.
fn ended(window: &[ChildRow]) -> &[ChildRow] {
    let open = window.iter().position(|child| end_of(child) == ChildStatus::Open);
    &window[..open.unwrap_or(window.len())]
}

/// Copies data of ended child runs to their parent: the variables, the number of queued messages,
/// and the calls on the undo stacks of the child runs.
async fn take_over(
    step: &mut Step<'_>,
    fan: &FanOut,
    children: &[ChildRow],
) -> Result<(), Problem> {
    let node = context::node(step)?;
    let parent = step.live.id;
    let mut undos = Vec::new();
    for (ordinal, child) in (fan.window_start..).zip(children) {
        let state = state_of(child)?;
        step.draft.state.messages += state.messages;
        if end_of(child) != ChildStatus::Completed
            || state.lineage.is_none_or(|l| l.inherits.is_empty())
        {
            continue;
        }
        undos.push((child.run, state.undos));
        let mut names: Vec<String> = match &node.action {
            StepAction::Parallel(parallel) if node.foreach.is_none() => {
                parallel.assigns.get(ordinal).cloned().unwrap_or_default()
            }
            _ => {
                let fills = node.foreach.iter().flat_map(|foreach| &foreach.assigns).cloned();
                result_names(node, ordinal).into_iter().chain(fills).collect()
            }
        };
        names.extend(askings::remembered(&step.live.bundle));
        let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
        for (name, value) in tx.vars(child.run, &names).await? {
            step.draft.assign(name, value);
        }
    }
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    step.draft.state.undos = tx.adopt_undos(parent, step.draft.state.undos, &undos).await?;
    call::check_messages(step)
}

/// Ends the step successfully, because all its child runs have ended and enough of them have completed.
async fn done(
    step: &mut Step<'_>,
    call: &CallState,
    last: Option<ChildRow>,
) -> Result<Called, Problem> {
    let node = context::node(step)?;
    let body = serde_json::json!({ "step_id": node.step_id, "call_id": call.id });
    step.event(EventKind::ChildrenDone, body);
    step.draft.transition(RunTransition::Advance)?;
    match &node.action {
        StepAction::Method(method) if !has_rounds(step, node) => {
            let value = match (&method.out, last) {
                (Some(_), Some(child)) => method_result(step, &child).await?,
                _ => Value::Null,
            };
            for (name, value) in crate::run::finish_call(node, &mut step.draft.state, &value) {
                step.draft.assign(name, value);
            }
        }
        _ if has_rounds(step, node) => finish_rounds(&mut step.draft.state),
        _ => finish_step(&mut step.draft.state),
    }
    Ok(Called::Finished)
}

async fn method_result(step: &mut Step<'_>, child: &ChildRow) -> Result<Value, Problem> {
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    let vars = tx.all_vars(child.run).await?;
    let own = vars.into_iter().filter(|(name, _)| {
        !name.starts_with('#') && !crate::method::BUILT_IN_VARIABLES.contains(&name.as_str())
    });
    let vars: serde_json::Map<String, Value> = own.collect();
    Ok(serde_json::json!({ "run_id": child.run, "outcome": child.outcome, "vars": vars }))
}

/// Returns the reason why the step fails: its timeout, or the error of the first child run that failed.
fn failure(step: &Step<'_>, fan: &FanOut, children: &[ChildRow]) -> Problem {
    let late = fan.until.is_some_and(|until| step.draft.last_at >= until);
    if late {
        return Problem::caller("timeout", "the method took longer than the `timeout` of the step")
            .with_hint("raise `timeout` of the step");
    }
    // A cancelled child run has no error. It may have been cancelled because another child run failed. In
    // that case, the step fails with the error of the failed child run.
    let mut failed = children.iter().filter(|child| end_of(child) == ChildStatus::Failed);
    let error = failed.find_map(|child| state_of(child).ok()?.error);
    let method = matches!(context::node(step).map(|node| &node.action), Ok(StepAction::Method(_)));
    match (error, method) {
        (Some(error), false) => error.problem,
        (Some(error), true) => {
            let message = format!("the method failed: {}", error.problem.message);
            let mut problem = Problem::author("child_failed", message);
            problem.detail = Some(format!("{} in step {}", error.problem.code, error.step_id));
            problem.hint = error.problem.hint;
            problem
        }
        (None, _) => {
            Problem::caller("child_cancelled", "a run that the step started was cancelled")
        }
    }
}

fn state_of(child: &ChildRow) -> Result<RunState, Problem> {
    serde_json::from_value(child.state.clone()).map_err(|e| Problem::bug(e.to_string()))
}
