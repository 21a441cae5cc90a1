//! Reports the progress of an upgrade order.

use serde::Serialize;
use utoipa::ToSchema;

use super::super::engine::Engine;
use crate::base::{Problem, RunId, Span, UpgradeId};
use crate::boxed;
use crate::driver;
use crate::store::{Tx, UpgradeRow, UpgradeState};
use crate::transaction;

/// Maximum number of runs per order that the progress lists as not moved.
const KEPT_RUNS_MAX: i64 = 50;
/// How long the caller waits for the runs to obey the order. Runs can still obey the order
/// after that time.
const OBEY_TIMEOUT: Span = Span::from_secs(10);
/// How often to check whether the runs have obeyed.
const POLL_INTERVAL: Span = Span::from_micros(50_000);

/// Progress of an upgrade order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct UpgradeProgress {
    /// Number of runs that have not obeyed the order yet.
    pub ordered: i64,
    /// Number of runs that have moved to the other version.
    pub moved: i64,
    /// Number of runs that were not moved, because they had continued to a step at which
    /// a move is not possible.
    pub kept: i64,
    /// Runs that were not moved, with the reasons. Lists only the first 50 of each order;
    /// `kept` counts all of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept_runs: Vec<KeptRun>,
}

/// A run that could no longer be moved when the upgrade order was carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct KeptRun {
    /// Id of the run.
    pub run_id: RunId,
    /// Reason why the run was not moved.
    pub why: String,
}

impl Engine {
    /// Returns the progress of an upgrade order.
    ///
    /// # Errors
    /// `unknown_upgrade`.
    #[boxed]
    pub async fn upgrade_progress(
        &self,
        tenant: &str,
        id: UpgradeId,
    ) -> Result<UpgradeProgress, Problem> {
        let task = transaction!([tenant = tenant.to_owned()], |tx| {
            find_order(tx, &tenant, id).await?;
            let mut progress = UpgradeProgress::default();
            add_progress(tx, id, &mut progress).await?;
            Ok(progress)
        });
        self.core.store.read(task).await
    }

    /// Waits until all runs have obeyed these orders, or until [`OBEY_TIMEOUT`] has passed.
    /// Returns the total progress of the orders.
    pub(super) async fn wait_until_obeyed(
        &self,
        orders: &[UpgradeId],
    ) -> Result<UpgradeProgress, Problem> {
        self.core.bells.ring_runs();
        self.settle().await?;
        let all = async {
            while self.count_progress(orders).await?.ordered > 0 {
                driver::pause(&self.core, POLL_INTERVAL).await;
            }
            Ok(())
        };
        driver::within(&self.core, OBEY_TIMEOUT, all).await?;
        self.count_progress(orders).await
    }

    async fn count_progress(&self, orders: &[UpgradeId]) -> Result<UpgradeProgress, Problem> {
        let task = transaction!([orders = orders.to_vec()], |tx| {
            let mut progress = UpgradeProgress::default();
            for id in orders {
                add_progress(tx, id, &mut progress).await?;
            }
            Ok(progress)
        });
        self.core.store.read(task).await
    }
}

/// Reads an upgrade order of this tenant.
///
/// # Errors
/// `unknown_upgrade` if the tenant has no such order.
pub(super) async fn find_order(
    tx: &mut Tx,
    tenant: &str,
    id: UpgradeId,
) -> Result<UpgradeRow, Problem> {
    tx.upgrade(id).await?.filter(|order| order.tenant == tenant).ok_or_else(|| {
        Problem::caller("unknown_upgrade", format!("there is no upgrade order `{id}`"))
            .with_hint("use the id that `abide run upgrade` printed")
    })
}

/// Adds the progress of an order to the total `to`.
async fn add_progress(tx: &mut Tx, id: UpgradeId, to: &mut UpgradeProgress) -> Result<(), Problem> {
    let counts = tx.upgrade_counts(id).await?;
    let count = |state: UpgradeState| counts.get(&state).copied().unwrap_or(0);
    to.ordered += count(UpgradeState::Ordered);
    to.moved += count(UpgradeState::Moved);
    to.kept += count(UpgradeState::Kept);
    for run in tx.upgrade_runs(id, UpgradeState::Kept, None, KEPT_RUNS_MAX).await? {
        let why = run.why.unwrap_or_default();
        to.kept_runs.push(KeptRun { run_id: run.run, why });
    }
    Ok(())
}
