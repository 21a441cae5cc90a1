//! Shows the runs that carry out plans from outside.

use std::time::Duration;

use super::engine::Engine;
use crate::base::{ApprovalId, Problem, RunId, Value};
use crate::boxed;
use crate::run::RunStatus;
use crate::store::{RunRow, Tx};

/// How far the run of a plan has got.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanRunView {
    /// Id of the run.
    pub run: RunId,
    /// Its status.
    pub status: RunStatus,
    /// The approval that it waits for.
    pub approval: Option<ApprovalId>,
    /// The receipts of its calls, in their order.
    pub receipts: Vec<Value>,
}

impl PlanRunView {
    /// Reads how far the run has got that was started with the key `key`; `None` if there is none.
    ///
    /// # Errors
    /// Errors from the store.
    pub async fn by_key(tx: &mut Tx, tenant: &str, key: &str) -> Result<Option<Self>, Problem> {
        let Some(run) = tx.run_by_key(tenant, Some(key)).await? else { return Ok(None) };
        let Some(row) = tx.run(run).await? else { return Ok(None) };
        let receipts = tx.receipts(&[run]).await?;
        Ok(Some(Self {
            run,
            status: row.status,
            approval: awaited(&row)?,
            receipts: receipts.into_iter().map(|receipt| receipt.body).collect(),
        }))
    }
}

impl Engine {
    /// Waits until the run of a plan has ended or waits for an approval, but at most `at_most`.
    ///
    /// # Errors
    /// `unknown_run`.
    #[boxed]
    pub async fn wait_for_plan(
        &self,
        tenant: &str,
        run: RunId,
        at_most: Duration,
    ) -> Result<(), Problem> {
        let rests = |row: &RunRow| Ok(row.ended_at.is_some() || awaited(row)?.is_some());
        within(at_most, self.wait_until(tenant, run, rests)).await
    }

    /// Waits until a run has ended or waits for anything, but at most `at_most`.
    ///
    /// # Errors
    /// `unknown_run`.
    #[boxed]
    pub async fn wait_until_at_rest(
        &self,
        tenant: &str,
        run: RunId,
        at_most: Duration,
    ) -> Result<(), Problem> {
        let rests = |row: &RunRow| Ok(row.ended_at.is_some() || row.status == RunStatus::Waiting);
        within(at_most, self.wait_until(tenant, run, rests)).await
    }
}

/// Waits for something, but at most `at_most`. It goes on if that is not enough.
async fn within(
    at_most: Duration,
    wait: impl Future<Output = Result<(), Problem>>,
) -> Result<(), Problem> {
    tokio::time::timeout(at_most, wait).await.unwrap_or(Ok(()))
}

/// Returns the approval that a run waits for.
fn awaited(row: &RunRow) -> Result<Option<ApprovalId>, Problem> {
    match row.status {
        RunStatus::Waiting => Ok(row.parsed_state()?.awaited_approval().map(|wait| wait.id)),
        _ => Ok(None),
    }
}
