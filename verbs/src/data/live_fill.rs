//! Records which live run fills which role of a request.

use abide_engine::base::{RequestId, RunId};
use abide_engine::params;
use abide_engine::store::{StoreError, Tx};

/// Returns the live run of this method that fills this role of a request; `None` if there is none.
pub async fn find(
    tx: &mut Tx,
    request: RequestId,
    method: &str,
    role: &str,
) -> Result<Option<RunId>, StoreError> {
    tx.row(
        "SELECT run_id FROM live_fill WHERE request = $1 AND method = $2 AND role = $3",
        &params![request, method, role],
    )
    .await?
    .map(|row| row.id("run_id"))
    .transpose()
}

/// Returns the live run that fills this role of a request, whichever its method; `None` if there is none.
pub async fn of_role(
    tx: &mut Tx,
    request: RequestId,
    role: &str,
) -> Result<Option<RunId>, StoreError> {
    tx.row(
        "SELECT run_id FROM live_fill WHERE request = $1 AND role = $2 ORDER BY run_id LIMIT 1",
        &params![request, role],
    )
    .await?
    .map(|row| row.id("run_id"))
    .transpose()
}

/// Records that a run of this method fills this role of a request.
pub async fn insert(
    tx: &mut Tx,
    request: RequestId,
    run: RunId,
    method: &str,
    role: &str,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO live_fill (request, method, role, run_id) VALUES ($1, $2, $3, $4)",
        &params![request, method, role, run],
    )
    .await
    .map(drop)
}

/// Returns the live runs that fill roles of a request.
pub async fn runs_of(tx: &mut Tx, request: RequestId) -> Result<Vec<RunId>, StoreError> {
    let rows = tx
        .rows("SELECT run_id FROM live_fill WHERE request = $1 ORDER BY run_id", &params![request])
        .await?;
    rows.iter().map(|row| row.id("run_id")).collect()
}

/// Removes the record of a run that has ended or is being replaced.
/// Returns the role that the run filled; `None` if the run filled no role.
pub async fn remove(tx: &mut Tx, run: RunId) -> Result<Option<String>, StoreError> {
    let role = tx
        .row("SELECT role FROM live_fill WHERE run_id = $1", &params![run])
        .await?
        .map(|row| row.text("role"))
        .transpose()?;
    tx.execute("DELETE FROM live_fill WHERE run_id = $1", &params![run]).await?;
    Ok(role)
}
