//! Decides what follows a failed call: another attempt, or the failure of the step.

use super::super::core::budget_reached;
use super::call::{contract, receipt};
use super::context::{CallFailure, Step, node};
use super::key;
use super::lane::Lane;
use crate::base::Problem;
use crate::ledger::EventKind;
use crate::policy::BUDGET_EXHAUSTED;
use crate::run::{AfterFailure, RunTransition, WaitingFor, record_failure};

/// Adds the consequence of a failed call to the draft: a pause before the next attempt, or the failure of the step if no further
/// attempt is made. If the consequence needs a later lane, the step wants that lane afterwards.
pub(in crate::driver) async fn follow(
    step: &mut Step<'_>,
    failure: &CallFailure,
) -> Result<(), Problem> {
    let tool = node(step)?.action_name().to_owned();
    let concerns_others =
        step.draft.state.awaited_approval().is_some() || failure.problem.code == BUDGET_EXHAUSTED;
    if step.lane == Lane::Memory && concerns_others {
        step.wants = Some(Lane::Own);
        return Ok(());
    }
    add_consequence(step, failure).await?;
    if step.wants.is_none() {
        metrics::counter!("abide_calls_total", "tool" => tool, "status" => "failed").increment(1);
    }
    Ok(())
}

async fn add_consequence(step: &mut Step<'_>, failure: &CallFailure) -> Result<(), Problem> {
    let CallFailure { call, args, problem, external, .. } = failure;
    let node = node(step)?;
    let now = step.draft.last_at;
    step.close_approval_of_failed().await?;
    let waited = matches!(call.waiting_for, Some(WaitingFor::Replies(_)));
    match record_failure(node, &mut step.draft.state, call.clone(), problem, now) {
        AfterFailure::Retry { at } => {
            let body = serde_json::json!({
                "step_id": node.step_id, "attempt": call.attempt, "code": problem.code,
                "message": problem.message, "next_at": at.to_string(),
            });
            step.event(EventKind::AttemptFailed, body);
            step.draft.freeze(args);
            step.draft.transition(RunTransition::Wait)?;
            step.draft.park(Some(at), Some(at));
            Ok(())
        }
        AfterFailure::GiveUp => {
            if problem.code == BUDGET_EXHAUSTED
                && let Some(tx) = step.tx.as_deref_mut()
            {
                budget_reached(step.core, tx, &step.live.tenant, &step.live.settings).await?;
            }
            if waited {
                step.draft.disarm(node.key.clone());
            }
            if node.call().is_some() {
                if let Ok(contract) = contract(step, node) {
                    key::release(step, contract, failure).await?;
                }
                let mut proof = receipt(step, node, call, args, Some(problem));
                proof.with_external(external.clone());
                step.draft.receipt(step.live, &proof);
            }
            step.fail(problem.clone()).await
        }
    }
}
