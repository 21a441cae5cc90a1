//! Skips the step at which a run waits, is paused, has failed or is stuck.

use super::Engine;
use super::control::{Ahead, check_names};
use super::view::{RunView, state_of};
use crate::base::{Problem, RunId, Value, extent, limits, text};
use crate::driver::{Core, skip_order};
use crate::method::{Node, StepAction};
use crate::run::{Control, Phase, RunState, WaitingFor};
use crate::store::{RunRow, SignalKind, Tx, tx_closure};

impl Engine {
    /// Makes a run continue after its current step. The step's variable is bound to `out` as if the step
    /// had returned it, or stays unset if `out` is `None`. In a `foreach` only the current item is skipped.
    /// With a `key`, one step is skipped, however often the order is sent.
    ///
    /// # Errors
    /// `unknown_run`; `wrong_state` if the run has no current step, or the step's child runs are still
    /// running; `out_unbound` if the step binds no variable that could take `out`; `signal_invalid` if
    /// `out` is too large; `key_too_long`.
    pub async fn skip(
        &self,
        (tenant, run): (&str, RunId),
        out: Option<Value>,
        key: Option<String>,
    ) -> Result<RunView, Problem> {
        check_names(key.as_deref())?;
        let mut out = out;
        if let Some(value) = &mut out {
            text::replace_nul(value);
            if let Some(why) = extent::excess(value, limits::SIGNAL_BYTES_MAX) {
                return Err(Problem::caller("signal_invalid", format!("the value of `out` {why}"))
                    .with_hint("pass the ids of long texts and lists instead of their contents"));
            }
        }
        let (core, owned) = (self.core.clone(), tenant.to_owned());
        let task = tx_closure(move |tx| {
            let (core, tenant) = (core.clone(), owned.clone());
            let (out, key) = (out.clone(), key.clone());
            Box::pin(async move { order(&core, tx, (&tenant, run), (out, key)).await })
        });
        self.core.store.try_write(task).await?;
        self.core.bells.ring_runs();
        self.settle().await?;
        self.run(tenant, run).await
    }
}

async fn order(
    core: &Core,
    tx: &mut Tx,
    (tenant, run): (&str, RunId),
    (out, key): (Option<Value>, Option<String>),
) -> Result<(), Problem> {
    let ahead = Ahead::read(tx, run).await?;
    let row = super::runs::row(tx, tenant, run).await?;
    let kind = SignalKind::Order(Control::Skip.as_str());
    // A caller that got no answer repeats the order. By then the run may be at the next step, or have ended.
    if let Some(key) = key.as_deref()
        && tx.has_signal(run, kind, key).await?
    {
        return Ok(());
    }
    if ahead.status_after(&row)?.after(Control::Skip.transition()).is_err() {
        return Err(refused(&row, "it has no step to skip"));
    }
    let state = state_of(&row)?;
    let bundle = core.bundle(tx, row.bundle).await?;
    let Some(node) = state.node(&bundle.graph) else {
        return Err(refused(&row, "it is between two steps: try again in a moment"));
    };
    check(tx, &row, (&state, node)).await?;
    if out.is_some() && node.out().is_none() {
        let message = format!("`{}` is not a call that binds its result", node.step_id);
        let hint = match &node.action {
            StepAction::Await(wait) if !wait.signals.is_empty() => {
                "omit `out`, or send the signal that the step awaits with `abide run signal`"
            }
            _ => "omit `out`",
        };
        return Err(Problem::caller("out_unbound", message).with_hint(hint));
    }
    tx.reopen_turn(run).await?;
    let payload = skip_order(&node.key, out);
    tx.signal(run, kind, key.as_deref(), &payload).await?;
    Ok(())
}

/// Checks that the current step can be skipped.
async fn check(
    tx: &mut Tx,
    row: &RunRow,
    (state, node): (&RunState, &Node),
) -> Result<(), Problem> {
    if matches!(state.phase, Phase::Undo { .. }) {
        return Err(refused(row, "it is undoing its calls, or has undone them: start a new run"));
    }
    let on = state.call().and_then(|call| call.waiting_for.as_ref());
    let has_children = matches!(on, Some(WaitingFor::Children(_)));
    if has_children && !tx.live_children(row.id).await?.is_empty() {
        let why = format!(
            "runs that `{}` started are still running: wait for them, or cancel them",
            node.step_id
        );
        return Err(refused(row, &why));
    }
    Ok(())
}

fn refused(row: &RunRow, why: &str) -> Problem {
    Problem::caller("wrong_state", format!("the run is {}, and {why}", row.status))
        .with_hint("see `abide run show`")
}
