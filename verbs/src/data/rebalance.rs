//! Rows of open rebalances: one for each request that has more places taken than its targets allow.
//! A row contains the id of the run that resolves the rebalance; no id means that staff resolve it.

use std::collections::BTreeSet;

use abide_engine::base::{RequestId, RunId, Timestamp};
use abide_engine::params;
use abide_engine::store::{StoreError, Tx};

/// Opens the rebalance of a request. `run` is the run that resolves the rebalance;
/// `None` means that staff resolve it.
pub async fn open(
    tx: &mut Tx,
    request: RequestId,
    run: Option<RunId>,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO rebalance (request, run_id, opened_at) VALUES ($1, $2, $3)
         ON CONFLICT (request) DO UPDATE SET run_id = excluded.run_id",
        &params![request, run, now],
    )
    .await
    .map(drop)
}

/// Closes the rebalance of a request. Returns false if no rebalance was open.
pub async fn close(tx: &mut Tx, request: RequestId) -> Result<bool, StoreError> {
    let gone = tx.execute("DELETE FROM rebalance WHERE request = $1", &params![request]).await?;
    Ok(gone > 0)
}

/// Makes staff responsible for the rebalances that a cancelled run was to resolve.
/// Returns the ids of the requests that have these rebalances.
pub async fn hand_over(tx: &mut Tx, run: RunId) -> Result<Vec<RequestId>, StoreError> {
    let sql = "UPDATE rebalance SET run_id = NULL WHERE run_id = $1 RETURNING request";
    let rows = tx.rows(sql, &params![run]).await?;
    rows.iter().map(|row| row.id("request")).collect()
}

/// After a run has ended, removes the rebalances that the run was to resolve.
/// Returns the ids of the requests that had these rebalances.
pub async fn run_ended(tx: &mut Tx, run: RunId) -> Result<Vec<RequestId>, StoreError> {
    let sql = "DELETE FROM rebalance WHERE run_id = $1 RETURNING request";
    let rows = tx.rows(sql, &params![run]).await?;
    rows.iter().map(|row| row.id("request")).collect()
}

/// Whether a request has an open rebalance that is resolved by a run, not by staff. Other runs wait
/// for the decision of such a run. They do not wait for staff, who may take a long time to decide.
pub async fn is_run_rebalancing(tx: &mut Tx, request: RequestId) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM rebalance WHERE request = $1 AND {run_id} IS NOT NULL";
    Ok(!tx.rows(sql, &params![request]).await?.is_empty())
}

/// Returns the ids of all requests with an open rebalance.
pub async fn all(tx: &mut Tx) -> Result<BTreeSet<RequestId>, StoreError> {
    let rows = tx.rows("SELECT request FROM rebalance ORDER BY request", &[]).await?;
    rows.iter().map(|row| row.id("request")).collect()
}
