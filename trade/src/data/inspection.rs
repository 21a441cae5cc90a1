//! Reads the items of inspections.

use abide_engine::params;
use abide_engine::store::{StoreError, Tx};

use super::interned::interned;
use super::rows::{StoredRow, listed};
use crate::table::Table;

/// Returns the items of an inspection in their order.
pub async fn inspection_items(
    tx: &mut Tx,
    items: &'static Table,
    tenant: &str,
    inspection: &str,
) -> Result<Vec<StoredRow>, StoreError> {
    let sql = format!(
        "SELECT {} FROM {} WHERE tenant = $1 AND inspection_id = $2 ORDER BY position",
        listed(items),
        items.name
    );
    let rows = tx.rows(interned(sql), &params![tenant, inspection]).await?;
    rows.iter().map(|row| StoredRow::read(items, row)).collect()
}

/// Counts the items of an inspection.
pub async fn count_inspection_items(
    tx: &mut Tx,
    tenant: &str,
    inspection: &str,
) -> Result<i64, StoreError> {
    let sql =
        "SELECT COUNT(*) AS count FROM inspection_items WHERE tenant = $1 AND inspection_id = $2";
    let row = tx.row(sql, &params![tenant, inspection]).await?;
    row.map_or(Ok(0), |row| row.int("count"))
}
