//! Skips the step at which a run waits, is paused, has failed or is stuck.

use super::control::{PendingOrders, check_names};
use super::engine::Engine;
use super::run_view::RunView;
use super::runs::find_run;
use crate::base::{Problem, RunId, Value, extent, limits, text};
use crate::boxed;
use crate::driver::{Core, skip_order};
use crate::method::{Node, StepAction};
use crate::run::{Control, Phase, RunState, WaitingFor};
use crate::store::{RunRef, RunRow, SignalKind, Tx};
use crate::transaction;

impl Engine {
    /// Makes a run continue after its current step. Assigns `out` to the step's variable as if the step
    /// had returned it; if `out` is `None`, the variable stays unset. In a `foreach`, skips only
    /// the current item. If several orders have the same `key`, only the first order skips a step.
    ///
    /// # Errors
    /// `unknown_run`; `wrong_state` if the run has no current step, or the step's child runs
    /// are still running; `out_unbound` if `out` is given but the step has no variable for its result;
    /// `signal_invalid` if `out` is too large; `key_too_long`.
    #[boxed]
    pub async fn skip(
        &self,
        tenant: &str,
        run: RunId,
        mut out: Option<Value>,
        key: Option<String>,
    ) -> Result<RunView, Problem> {
        check_names(key.as_deref())?;
        if let Some(value) = &mut out {
            text::replace_nul(value);
            if let Some(why) = extent::excess(value, limits::SIGNAL_BYTES_MAX) {
                return Err(Problem::caller("signal_invalid", format!("the value of `out` {why}"))
                    .with_hint("pass the ids of long texts and lists instead of their contents"));
            }
        }
        let task =
            transaction!([core = self.core.clone(), tenant = tenant.to_owned(), out, key], |tx| {
                give_order(&core, tx, RunRef { tenant: &tenant, run }, out, key.as_deref()).await
            });
        self.core.store.try_write(task).await?;
        self.core.bells.ring_runs();
        self.settle().await?;
        self.run(tenant, run).await
    }
}

/// Stores a signal that orders the run to skip its current step.
/// Does nothing if an order with the same key is stored already.
async fn give_order(
    core: &Core,
    tx: &mut Tx,
    RunRef { tenant, run }: RunRef<'_>,
    out: Option<Value>,
    key: Option<&str>,
) -> Result<(), Problem> {
    let pending = PendingOrders::read(tx, run).await?;
    let row = find_run(tx, tenant, run).await?;
    let kind = SignalKind::Order(Control::Skip.as_str());
    // Check the key before the state: a caller that got no answer repeats the order,
    // and the first order may already have moved the run to its next step or to its end.
    // The repeated order must then skip nothing and return no error.
    if let Some(key) = key
        && tx.has_signal(run, kind, key).await?
    {
        return Ok(());
    }
    if pending.status_after(&row).after(Control::Skip.transition()).is_err() {
        return Err(wrong_state(&row, "it has no step to skip"));
    }
    let state = row.parsed_state()?;
    let bundle = core.bundle(tx, row.bundle).await?;
    let Some(node) = state.node(&bundle.graph) else {
        return Err(wrong_state(&row, "it is between two steps: try again in a moment"));
    };
    check_can_skip(tx, &row, &state, node).await?;
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
    tx.signal(run, kind, key, &payload).await?;
    Ok(())
}

/// Checks that the current step can be skipped: the run is not undoing its calls,
/// and no child runs of the step are live.
async fn check_can_skip(
    tx: &mut Tx,
    row: &RunRow,
    state: &RunState,
    node: &Node,
) -> Result<(), Problem> {
    if matches!(state.phase, Phase::Undo { .. }) {
        return Err(wrong_state(
            row,
            "it is undoing its calls, or has undone them: start a new run",
        ));
    }
    let on = state.call().and_then(|call| call.waiting_for.as_ref());
    let has_children = matches!(on, Some(WaitingFor::Children(_)));
    if has_children && !tx.live_children(row.id).await?.is_empty() {
        let why = format!(
            "runs that `{}` started are still running: wait for them, or cancel them",
            node.step_id
        );
        return Err(wrong_state(row, &why));
    }
    Ok(())
}

fn wrong_state(row: &RunRow, why: &str) -> Problem {
    Problem::caller("wrong_state", format!("the run is {}, and {why}", row.status.as_str()))
        .with_hint("see `abide run show`")
}
