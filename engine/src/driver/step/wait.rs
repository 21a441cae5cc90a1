//! Performs a wait for replies. The wait is *armed* once: a row is stored,
//! so that a reply can wake the run. The wait is evaluated whenever it may have ended.

use super::call::{CallParts, contract, finish, guarded};
use super::context::{self, Called, Step, no_transaction};
use super::lane::Lane;
use super::park::{is_barred, park, park_until, permitted_since};
use crate::base::{Problem, TypedId as _, Value};
use crate::run::{CallState, WaitCheck, WaitDecision, WaitStart, WaitState, WaitingFor};
use crate::store::WaitRow;
use crate::verb::{Verb, WaitEnd, WaitSpec};

/// Arms a wait for replies and evaluates it at once, because enough replies may have arrived already.
pub(super) async fn arm(
    step: &mut Step<'_>,
    mut call: CallState,
    args: &Value,
    spec: WaitSpec,
) -> Result<Called, Problem> {
    let node = context::node(step)?;
    step.draft.freeze(args);
    step.draft.arm(row(&node.key, &spec));
    let since = step.draft.last_at;
    let start = WaitStart { since, base: since };
    call.waiting_for =
        Some(WaitingFor::Replies(WaitState { deadline: spec.deadline(start), since, spec }));
    evaluate(step, call, args).await
}

/// Returns the stored row of a wait.
fn row(frame: &str, spec: &WaitSpec) -> WaitRow {
    WaitRow {
        frame: frame.to_owned(),
        partition: spec.request.uuid(),
        yes_cell: spec.yes_cell.clone(),
        open_cells: spec.open_cells.clone(),
        need: spec.need,
    }
}

/// Evaluates the current wait for replies: ends the wait, or lets the run keep waiting.
pub(super) async fn evaluate(
    step: &mut Step<'_>,
    mut call: CallState,
    args: &Value,
) -> Result<Called, Problem> {
    let node = context::node(step)?;
    let Some(Verb::Wait(verb)) = step.core.verbs.get(node.action_name()).cloned() else {
        return Err(Problem::bug(format!("`{}` is not a verb that waits", node.action_name())));
    };
    let Some(WaitingFor::Replies(mut wait)) = call.waiting_for.clone() else {
        return Err(Problem::bug("the current call is not a wait for replies"));
    };
    let now = step.draft.last_at;
    let base = permitted_since(step, wait.since).await?;
    let deadline = wait.spec.deadline(WaitStart { since: wait.since, base });
    if now >= deadline && is_barred(step, deadline).await? {
        return park_until(step, call, Some(deadline), None);
    }
    let contract = contract(step, node)?;
    let parts = CallParts::load(step).await?;
    let cx = parts.context(step, node, contract, &call);
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    let armed = wait.spec.clone();
    let before = (now >= deadline).then_some(deadline);
    let have = guarded(step.core, contract, verb.count(tx, &cx, &mut wait.spec, before)).await?;
    if wait.spec != armed {
        step.draft.arm(row(&node.key, &wait.spec));
        call.waiting_for = Some(WaitingFor::Replies(wait.clone()));
    }
    let tallies = tx.request_tallies(wait.spec.request).await?;
    let open = wait.spec.open_cells.iter().filter_map(|c| tallies.get(c)).map(|t| t.open).sum();
    let check = WaitCheck { now, deadline, have, need: wait.spec.need, open };
    match check.decide() {
        WaitDecision::Wait { until } => {
            if let Some(WaitingFor::Replies(wait)) = &mut call.waiting_for {
                wait.deadline = until;
            }
            park(step, call, Some(until))
        }
        WaitDecision::End(end) => {
            let outcome =
                guarded(step.core, contract, verb.finish(tx, &cx, &wait.spec, end)).await?;
            step.draft.state.timed_out = matches!(end, WaitEnd::Timeout { .. });
            if step.draft.state.timed_out {
                step.core.count_fired();
                step.draft.passes = Some(deadline).filter(|_| step.lane != Lane::Own);
            }
            step.draft.disarm(node.key.clone());
            finish(step, &call, args, outcome).await
        }
    }
}
