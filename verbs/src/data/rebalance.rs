//! Which requests have more places taken than their targets allow, with somebody who sees to it.

use std::collections::BTreeSet;

use abide_engine::base::{RequestId, RunId, Timestamp};
use abide_engine::params;
use abide_engine::store::{StoreError, Tx};

/// Notes that somebody sees to a request: a run, or staff.
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

/// Nobody is over any more.
pub async fn close(tx: &mut Tx, request: RequestId) -> Result<(), StoreError> {
    tx.execute("DELETE FROM rebalance WHERE request = $1", &params![request]).await.map(drop)
}

/// A run sees to nothing any more.
pub async fn run_ended(tx: &mut Tx, run: RunId) -> Result<(), StoreError> {
    tx.execute("DELETE FROM rebalance WHERE run_id = $1", &params![run]).await.map(drop)
}

/// Every request that is seen to.
pub async fn all(tx: &mut Tx) -> Result<BTreeSet<RequestId>, StoreError> {
    let rows = tx.rows("SELECT request FROM rebalance ORDER BY request", &[]).await?;
    rows.iter().map(|row| row.id(0)).collect()
}
