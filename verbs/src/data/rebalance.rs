//! Rows of open rebalances: requests with more places taken than their targets allow.
//! Each row names the run that resolves it, or no run if staff do.

use std::collections::BTreeSet;

use abide_engine::base::{RequestId, RunId, Timestamp};
use abide_engine::params;
use abide_engine::store::{StoreError, Tx};

/// Opens the rebalance of a request, to be resolved by a run, or by staff if `run` is `None`.
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

/// Closes the rebalance of a request. Returns whether there was one.
pub async fn close(tx: &mut Tx, request: RequestId) -> Result<bool, StoreError> {
    let gone = tx.execute("DELETE FROM rebalance WHERE request = $1", &params![request]).await?;
    Ok(gone > 0)
}

/// Makes staff responsible for the requests that a cancelled run was rebalancing. Returns those requests.
pub async fn hand_over(tx: &mut Tx, run: RunId) -> Result<Vec<RequestId>, StoreError> {
    let sql = "UPDATE rebalance SET run_id = NULL WHERE run_id = $1 RETURNING request";
    let rows = tx.rows(sql, &params![run]).await?;
    rows.iter().map(|row| row.id("request")).collect()
}

/// Removes the rebalances of a run that has ended. Returns their requests.
pub async fn run_ended(tx: &mut Tx, run: RunId) -> Result<Vec<RequestId>, StoreError> {
    let sql = "DELETE FROM rebalance WHERE run_id = $1 RETURNING request";
    let rows = tx.rows(sql, &params![run]).await?;
    rows.iter().map(|row| row.id("request")).collect()
}

/// Whether a run is rebalancing a request. A run finishes soon, whereas staff may take long.
pub async fn is_run_rebalancing(tx: &mut Tx, request: RequestId) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM rebalance WHERE request = $1 AND run_id IS NOT NULL";
    Ok(!tx.rows(sql, &params![request]).await?.is_empty())
}

/// Returns every request with an open rebalance.
pub async fn all(tx: &mut Tx) -> Result<BTreeSet<RequestId>, StoreError> {
    let rows = tx.rows("SELECT request FROM rebalance ORDER BY request", &[]).await?;
    rows.iter().map(|row| row.id("request")).collect()
}
