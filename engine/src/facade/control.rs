//! Gives orders to runs. An order is stored as a signal, which the node that owns the run obeys.

use super::engine::Engine;
use super::run_view::RunView;
use super::runs::find_run;
use crate::base::{Problem, RunId, limits};
use crate::boxed;
use crate::run::{Control, Phase, RunStatus};
use crate::store::{RunRow, SignalKind, Tx};
use crate::transaction;

impl Engine {
    /// Gives an order to a run, and returns the run.
    ///
    /// # Errors
    /// `unknown_run`; `wrong_state` if the order is not possible in the run's status.
    #[boxed]
    pub async fn control(
        &self,
        tenant: &str,
        run: RunId,
        control: Control,
    ) -> Result<RunView, Problem> {
        self.control_once(tenant, run, control, None).await
    }

    /// Like [`Self::control`], but gives the order at most once per key. The key is stored with the order.
    /// So a caller that got no answer can safely give the order again with the same key,
    /// even if the run has continued since.
    ///
    /// # Errors
    /// The same errors as [`Self::control`]; also `key_too_long`.
    #[boxed]
    pub async fn control_once(
        &self,
        tenant: &str,
        run: RunId,
        control: Control,
        key: Option<String>,
    ) -> Result<RunView, Problem> {
        check_names(key.as_deref())?;
        let task = transaction!([tenant = tenant.to_owned(), key], |tx| {
            give_order(tx, &tenant, run, control, key.as_deref()).await
        });
        self.core.store.try_write(task).await?;
        self.core.bells.ring_runs();
        self.settle().await?;
        self.run(tenant, run).await
    }

    /// Drives the runs that the caller has just made due, if the process uses the mode
    /// [`InLine`](crate::driver::DriveMode::InLine), in which no task drives runs.
    pub(super) async fn settle(&self) -> Result<(), Problem> {
        if self.core.drive_mode == crate::driver::DriveMode::InLine {
            self.tick().await?;
        }
        Ok(())
    }
}

/// Returns an error if a name or a key is too long.
pub(super) fn check_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<(), Problem> {
    if names.into_iter().all(|name| name.len() <= limits::KEY_BYTES_MAX) {
        return Ok(());
    }
    let message = format!("names and keys have at most {} bytes", limits::KEY_BYTES_MAX);
    Err(Problem::caller("key_too_long", message))
}

pub(super) fn wrong_state(status: RunStatus, why: &str) -> Problem {
    Problem::caller("wrong_state", format!("the run is {} and {why}", status.as_str()))
        .with_hint("see `abide run show`")
}

/// The orders that a run has not obeyed yet, oldest first.
/// Whether a new order is possible depends on the status that the run will have after these orders.
/// For example, a caller may pause a run, and resume the run before its owner has read any order.
pub(super) struct PendingOrders(Vec<Control>);

impl PendingOrders {
    /// Reads the orders. The caller must read them before it reads the run's row.
    /// The run may obey an order between the two queries. In this sequence, such an order is counted twice:
    /// here and in the row's status. That is harmless, because [`Self::status_after`] skips an order
    /// that is no longer possible. If the row were read first, the order would be counted nowhere.
    pub(super) async fn read(tx: &mut Tx, run: RunId) -> Result<Self, Problem> {
        let open = tx.open_orders(run).await?;
        Ok(Self(open.iter().filter_map(|kind| Control::parse(kind)).collect()))
    }

    /// Returns the status that the run will have after it has obeyed these orders.
    /// Skips each order that is not possible in the status to which the earlier orders lead.
    pub(super) fn status_after(&self, row: &RunRow) -> RunStatus {
        let obeyed = |now, order: &Control| order.applied_to(now).unwrap_or(now);
        self.0.iter().fold(row.status, obeyed)
    }
}

/// Stores an order as a signal. Does nothing if the run has received the same order
/// with the same key before, or if the run already has the status that the order asks for.
async fn give_order(
    tx: &mut Tx,
    tenant: &str,
    run: RunId,
    control: Control,
    key: Option<&str>,
) -> Result<(), Problem> {
    let pending = PendingOrders::read(tx, run).await?;
    let row = find_run(tx, tenant, run).await?;
    let kind = SignalKind::Order(control.as_str());
    if let Some(key) = key
        && tx.has_signal(run, kind, key).await?
    {
        return Ok(());
    }
    let status = pending.status_after(&row);
    let is_already = matches!(
        (status, control),
        (RunStatus::Cancelled, Control::Cancel) | (RunStatus::Paused, Control::Pause)
    );
    if is_already {
        return Ok(());
    }
    if status.after(control.transition()).is_err() {
        return Err(wrong_state(status, &format!("cannot be asked to {}", control.as_str())));
    }
    if control == Control::Retry {
        let state = row.parsed_state()?;
        if state.outside_call.is_some() {
            return Err(wrong_state(status, "has made its one call: call the tool again"));
        }
        if state.outside_plan.is_some() {
            return Err(wrong_state(status, "has made the calls of its plan: plan again"));
        }
        if matches!(state.phase, Phase::Undo { .. }) {
            return Err(wrong_state(status, "has undone its calls: start a new run"));
        }
        tx.reopen_turn(run).await?;
    }
    tx.signal(run, kind, key, &serde_json::json!({})).await?;
    Ok(())
}
