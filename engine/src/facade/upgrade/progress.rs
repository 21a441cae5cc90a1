//! How far an order to move runs has come.

use serde::Serialize;

use super::super::Engine;
use crate::base::{Problem, RunId, Span, UpgradeId};
use crate::driver;
use crate::store::{Tx, UpgradeRow, work};

/// Kept runs that are named with their reasons.
const KEPT_NAMED: i64 = 50;
/// How long an answer waits for the runs to obey; an order goes on without it.
const OBEYED_WITHIN: Span = Span::from_secs(10);
/// How often it is looked whether they have.
const LOOKS_EVERY: Span = Span::from_micros(50_000);

/// How far an order has come.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct UpgradeProgress {
    /// Runs that have not looked at it yet.
    pub ordered: i64,
    /// Runs that go by the other version now.
    pub moved: i64,
    /// Runs that had gone on meanwhile and could not be moved any more.
    pub kept: i64,
    /// The first of those, with the reasons.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept_runs: Vec<KeptRun>,
}

/// A run that could not be moved when it came to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KeptRun {
    /// The run.
    pub run_id: RunId,
    /// Why it was kept.
    pub why: String,
}

impl Engine {
    /// How far an order has come.
    ///
    /// # Errors
    /// `unknown_upgrade`.
    pub async fn upgrade_progress(
        &self,
        tenant: &str,
        id: UpgradeId,
    ) -> Result<UpgradeProgress, Problem> {
        let owned = tenant.to_owned();
        let task = work(move |tx| {
            let tenant = owned.clone();
            Box::pin(async move {
                order(tx, &tenant, id).await?;
                let mut progress = UpgradeProgress::default();
                add(tx, id, &mut progress).await?;
                Ok(progress)
            })
        });
        self.core.store.read(task).await
    }

    /// Has runs that were given orders obey them, and tells how that went.
    pub(super) async fn obeyed(&self, orders: &[UpgradeId]) -> Result<UpgradeProgress, Problem> {
        self.core.bells.ring_runs();
        self.settle().await?;
        let all = async {
            while self.counted(orders).await?.ordered > 0 {
                driver::pause(&self.core, LOOKS_EVERY).await;
            }
            Ok(())
        };
        driver::within(&self.core, OBEYED_WITHIN, all).await?;
        self.counted(orders).await
    }

    async fn counted(&self, orders: &[UpgradeId]) -> Result<UpgradeProgress, Problem> {
        let orders = orders.to_vec();
        let task = work(move |tx| {
            let orders = orders.clone();
            Box::pin(async move {
                let mut progress = UpgradeProgress::default();
                for id in orders {
                    add(tx, id, &mut progress).await?;
                }
                Ok(progress)
            })
        });
        self.core.store.read(task).await
    }
}

/// An order of this tenant.
pub(super) async fn order(tx: &mut Tx, tenant: &str, id: UpgradeId) -> Result<UpgradeRow, Problem> {
    tx.upgrade(id).await?.filter(|order| order.tenant == tenant).ok_or_else(|| {
        Problem::caller("unknown_upgrade", format!("there is no order `{id}`"))
            .with_hint("`abide run upgrade` prints the id of the order that it gives")
    })
}

async fn add(tx: &mut Tx, id: UpgradeId, to: &mut UpgradeProgress) -> Result<(), Problem> {
    let counts = tx.upgrade_counts(id).await?;
    let count = |state: &str| counts.get(state).copied().unwrap_or(0);
    to.ordered += count("ordered");
    to.moved += count("moved");
    to.kept += count("kept");
    for run in tx.upgrade_runs((id, "kept"), None, KEPT_NAMED).await? {
        let why = run.why.unwrap_or_default();
        to.kept_runs.push(KeptRun { run_id: run.run, why });
    }
    Ok(())
}
