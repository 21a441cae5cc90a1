//! Passing over the step at which a run is paused, failed or stuck.

use super::Engine;
use super::control::{Ahead, check_names};
use super::view::{RunView, state_of};
use crate::base::{Problem, RunId, Value, extent, limits, text};
use crate::driver::{Core, skip_order};
use crate::method::{Act, Node};
use crate::run::{Control, Pending, Phase, RunState};
use crate::store::{RunRow, Tx, work};

impl Engine {
    /// Has a run go on behind the step at hand; `out` is bound as if the step had given it, else its
    /// variable stays unset. In a `foreach` the item at hand is passed over. The same `key` passes
    /// over one step only, however often it is sent.
    ///
    /// # Errors
    /// `unknown_run`; `wrong_state` where no step is at hand, or its branches are at work;
    /// `out_unbound` for a value that the step binds to no variable; `signal_invalid` for a larger one
    /// than any step gives; `key_too_long`.
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
                    .with_hint(
                        "keep long texts and lists where they are, and name them by their ids",
                    ));
            }
        }
        let (core, owned) = (self.core.clone(), tenant.to_owned());
        let task = work(move |tx| {
            let (core, tenant) = (core.clone(), owned.clone());
            let (out, key) = (out.clone(), key.clone());
            Box::pin(async move { order(&core, tx, (&tenant, run), (out, key)).await })
        });
        self.core.store.try_write(false, task).await?;
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
    let kind = Control::Skip.as_str();
    // Whoever was not answered asks again: the run may stand at the next step by then, or be over.
    if let Some(key) = key.as_deref()
        && tx.has_signal(run, (kind, key)).await?
    {
        return Ok(());
    }
    if ahead.status_after(&row)?.after(Control::Skip.happening()).is_err() {
        return Err(refused(&row, "it has no step to pass over"));
    }
    let state = state_of(&row)?;
    let bundle = core.bundle(tx, row.bundle).await?;
    let Some(node) = state.node(&bundle.graph) else {
        return Err(refused(&row, "it stands between two steps"));
    };
    check(tx, &row, (&state, node)).await?;
    if out.is_some() && node.out().is_none() {
        let message = format!("`{}` is no call that binds its result", node.step_id);
        let hint = match &node.act {
            Act::Await(wait) if !wait.signals.is_empty() => {
                "leave `out` out, or send it what it awaits with `abide run signal`"
            }
            _ => "leave `out` out",
        };
        return Err(Problem::caller("out_unbound", message).with_hint(hint));
    }
    tx.reopen_turn(run).await?;
    let payload = skip_order(&node.key, out);
    tx.signal(run, kind, (None, key.as_deref()), &payload).await?;
    Ok(())
}

async fn check(
    tx: &mut Tx,
    row: &RunRow,
    (state, node): (&RunState, &Node),
) -> Result<(), Problem> {
    if matches!(state.phase, Phase::Undo { .. }) {
        return Err(refused(row, "it undoes what it did, or has undone it: start it again"));
    }
    let on = state.call().and_then(|call| call.on.as_ref());
    let has_children = matches!(on, Some(Pending::Children(_)));
    if has_children && !tx.live_children(row.id).await?.is_empty() {
        let why = format!("what `{}` started is at work: wait for it, or cancel it", node.step_id);
        return Err(refused(row, &why));
    }
    Ok(())
}

fn refused(row: &RunRow, why: &str) -> Problem {
    Problem::caller("wrong_state", format!("the run is {}, and {why}", row.status))
        .with_hint("see `abide run show`")
}
