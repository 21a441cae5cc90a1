//! Adds up refunds.

use abide_engine::store::{StoreError, Tx};

/// Returns how much of a payment was refunded, in cents.
pub async fn refunded(tx: &mut Tx, tenant: &str, payment: &str) -> Result<i64, StoreError> {
    let sql = "SELECT CAST(COALESCE(SUM(amount), 0) AS BIGINT) AS refunded
         FROM payments WHERE tenant = $1 AND refund_of = $2";
    let row = tx.row(sql, &[tenant.into(), payment.into()]).await?;
    row.map_or(Ok(0), |row| row.int("refunded"))
}
