//! Does what the calls of all verbs have in common: builds the context that a verb gets, handles the result
//! of the verb, and builds the receipt.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;

use super::super::core::{Core, answer_within};
use super::context::{Called, Step, node};
use super::{askings, key, load, states, undo};
use crate::base::{CallId, Digest, Problem, Timestamp, Value};
use crate::contract::{Contract, NotConfigured, Risk};
use crate::ledger::{Receipt, ReceiptError, ReceiptStatus};
use crate::method::Node;
use crate::run::{
    CallState, RunConsent, RunTransition, WaitingFor, finish_call, implied_variables,
};
use crate::verb::{AnswerTarget, CallContext, Effects, VerbOutcome};

/// Adds a finished call to the draft: its receipt, its variables and the new position of the run.
pub(super) async fn finish(
    step: &mut Step<'_>,
    call: &CallState,
    args: &Value,
    outcome: VerbOutcome,
) -> Result<Called, Problem> {
    let node = node(step)?;
    let contract = contract(step, node)?;
    contract.check_result(&outcome.result).map_err(|problem| {
        Problem::author(
            "output_invalid",
            format!("`{}` returned a result that breaks its contract", node.action_name()),
        )
        .with_detail(problem.message)
    })?;
    count_messages(step, &outcome.effects)?;
    let effects = Receipt::effects(&outcome.effects, call.so_far);
    let proof = receipt(step, node, call, args, None);
    let proof = Receipt { result: Receipt::shown(&outcome.result), effects, ..proof };
    step.draft.receipt(step.live, &proof);
    step.draft.transition(RunTransition::Advance)?;
    states::after(step, contract).await?;
    let value = contract.value_of(&outcome.result).clone();
    step.draft.state.keep_joint_approval(call.approval.as_ref());
    undo::remember(step, node, &value).await?;
    askings::remember(step, node);
    for (name, value) in
        implied_variables(node, &step.draft.state, contract.implied_of(&outcome.result))
    {
        step.draft.assign(name, value);
    }
    for (name, value) in finish_call(node, &mut step.draft.state, &value) {
        step.draft.assign(name, value);
    }
    metrics::counter!("abide_calls_total", "tool" => node.action_name().to_owned(), "status" => "succeeded")
        .increment(1);
    Ok(Called::Finished)
}

/// Builds the receipt of a call that has just succeeded, or failed with `problem`. Leaves the result and
/// the effects of a successful call empty, for `finish` to fill in.
pub(super) fn receipt(
    step: &Step<'_>,
    node: &Node,
    call: &CallState,
    args: &Value,
    problem: Option<&Problem>,
) -> Receipt {
    let status = match problem {
        None => ReceiptStatus::Succeeded,
        Some(problem) if problem.code == "not_configured" => ReceiptStatus::NotConfigured,
        Some(_) => ReceiptStatus::Failed,
    };
    let contract = contract(step, node).ok();
    let judged = judged_risk(call).or(step.judged_risk);
    let risk = judged.or_else(|| contract.map(|contract| contract.risk));
    Receipt {
        id: step.core.ids.mint(step.draft.last_at),
        call_id: call.id,
        run_id: step.live.id,
        step_id: node.step_id.clone(),
        tool: node.action_name().to_owned(),
        status,
        input: Receipt::shown(args),
        result: Value::Null,
        effects: Receipt::effects(&Effects::default(), None),
        error: problem.map(ReceiptError::from),
        idempotency_key: contract.and_then(|contract| key::of_call(step, contract, args)),
        attempt: call.attempt,
        risk: risk.unwrap_or(Risk::T1).to_string(),
        approval_id: call.approval.as_ref().map(|given| given.id),
        started_at: Receipt::instant(call.started_at),
        finished_at: Receipt::instant(step.draft.last_at),
    }
}

/// Returns the risk of a call that needed an approval, as the gate judged it.
fn judged_risk(call: &CallState) -> Option<Risk> {
    match (&call.waiting_for, &call.approval) {
        (Some(WaitingFor::Approval(wait)), _) => Some(wait.risk),
        (_, Some(given)) => Some(given.risk),
        _ => None,
    }
}

pub(super) fn count_messages(step: &mut Step<'_>, effects: &Effects) -> Result<(), Problem> {
    step.draft.state.messages += effects.messages();
    check_messages(step)
}

/// Checks that the run has not queued more messages than the limits of its method allow,
/// nor more than the limits of the current step and of the steps around it.
pub(super) fn check_messages(step: &Step<'_>) -> Result<(), Problem> {
    let state = &step.draft.state;
    let graph = &step.live.bundle.graph;
    let whole = graph.limits.max_messages.map(|max| (max, 0));
    let around = state
        .path(graph)
        .into_iter()
        .zip(&state.frames)
        .filter_map(|(node, frame)| Some((node.limits.max_messages?, frame.entered?.messages)));
    for (max, before) in whole.into_iter().chain(around) {
        let sent = state.messages - before;
        if sent > max {
            let message =
                format!("the run would send {sent} messages, more than its limit of {max}");
            return Err(Problem::author("max_messages", message)
                .with_hint("raise `limits.max_messages` of the method, or ask fewer people"));
        }
    }
    Ok(())
}

/// Counts a call that is about to begin, if the number of calls is limited.
///
/// # Errors
/// `max_tool_calls` if the run, or a step around the call, has made as many calls as its limit allows.
pub(super) fn count_call(step: &mut Step<'_>) -> Result<(), Problem> {
    let graph = &step.live.bundle.graph;
    let state = &mut step.draft.state;
    let whole = graph.limits.max_tool_calls.map(|max| (max, 0));
    let around =
        state.path(graph).into_iter().zip(&state.frames).filter_map(|(node, frame)| {
            Some((node.limits.max_tool_calls?, frame.entered?.tool_calls))
        });
    let limits: Vec<_> = whole.into_iter().chain(around).collect();
    if limits.is_empty() {
        return Ok(());
    }
    if let Some((max, _)) = limits.iter().find(|(max, before)| state.tool_calls - before >= *max) {
        let message = format!("the run has made {max} calls, as many as its limit allows");
        return Err(Problem::author("max_tool_calls", message)
            .with_hint("raise `limits.max_tool_calls` of the method"));
    }
    state.tool_calls += 1;
    Ok(())
}

/// The values that a [`CallContext`] borrows.
pub(super) struct CallParts {
    goal: Value,
}

impl CallParts {
    /// Returns the run's goal.
    pub(super) const fn goal(&self) -> &Value {
        &self.goal
    }

    pub(super) async fn load(step: &mut Step<'_>) -> Result<Self, Problem> {
        let known = match step.live.vars.get("goal") {
            Some(Some(goal)) => Some(goal.as_ref().clone()),
            _ => step.draft.loaded.get("goal").and_then(Option::as_deref).cloned(),
        };
        let goal = match known {
            Some(goal) => goal,
            None => {
                let found = load::named_values(step, &["goal".to_owned()]).await?;
                let goal = found.into_iter().next().map_or(Value::Null, |(_, value)| value);
                let shared = Some(std::sync::Arc::new(goal.clone()));
                step.draft.loaded.insert("goal".to_owned(), shared);
                goal
            }
        };
        Ok(Self { goal })
    }

    pub(super) fn context<'c>(
        &'c self,
        step: &Step<'c>,
        node: &'c Node,
        contract: &'c Contract,
        call: &CallState,
    ) -> CallContext<'c> {
        let live = step.live;
        CallContext {
            tenant: &live.tenant,
            now: step.draft.last_at,
            run: live.id,
            call: call.id,
            step_id: &node.step_id,
            contract,
            answer_to: AnswerTarget {
                run: live.message_target(),
                signal: askings::name(step, node),
            },
            request: live.request,
            campaign: live.campaign,
            occasion: node.call().and_then(|call| call.occasion.as_deref()),
            goal: &self.goal,
            settings: &live.settings,
            templates: &live.bundle.templates,
            approved: call.approval.is_some() || step.draft.state.is_approved_at_start(contract),
            consented: step.draft.state.consent.is_some_and(RunConsent::is_given),
            start_checker: step.core,
        }
    }
}

pub(super) fn contract<'a>(step: &Step<'a>, node: &Node) -> Result<&'a Contract, Problem> {
    let live = step.live;
    live.bundle.contracts.get(node.action_name()).ok_or_else(|| not_here(node))
}

pub(super) fn not_here(node: &Node) -> Problem {
    Problem::operator("not_configured", format!("this build has no verb `{}`", node.action_name()))
}

/// Says what is missing for a tool that is not configured yet, and what a person can do about it.
pub(super) fn not_configured(node: &Node, why: &NotConfigured) -> Problem {
    let message = format!("`{}` is not configured: {}", node.action_name(), why.reason);
    let mut steps = why.next_steps.clone();
    if !why.required_env.is_empty() {
        steps.push(format!("set {}", why.required_env.join(", ")));
    }
    Problem::operator("not_configured", message).with_hint(steps.join("; "))
}

/// Runs a verb's code. If the code panics or takes longer than its contract allows, only this call fails, not
/// the process. Code that only computes cannot be stopped.
pub(super) async fn guarded<T>(
    core: &Core,
    contract: &Contract,
    code: impl Future<Output = Result<T, Problem>>,
) -> Result<T, Problem> {
    let code = AssertUnwindSafe(code).catch_unwind();
    match answer_within(core, contract.timeout, code).await {
        Some(Ok(result)) => result,
        Some(Err(_)) => Err(Problem::bug(format!("`{}` panicked", contract.name))),
        None => {
            let message = format!("`{}` took longer than its time limit", contract.name);
            Err(Problem::transient("timeout", message)
                .with_hint("raise `timeout` of the contract, or give the call less to do"))
        }
    }
}

impl CallState {
    /// Builds the state of a call at its first attempt.
    pub(super) fn new(
        id: CallId,
        args: Digest,
        now: Timestamp,
        waiting_for: Option<WaitingFor>,
    ) -> Self {
        Self {
            id,
            attempt: 1,
            started_at: now,
            args,
            cursor: None,
            so_far: None,
            retry_at: None,
            waiting_for,
            approval: None,
        }
    }
}
