//! Stores personal data in rows that can be erased.
//! Rows of other tables contain only the ids of these rows.

use super::error::StoreError;
use super::param::Param;
use super::rows::Rows;
use super::tx::Tx;
use crate::base::PiiId;
use crate::params;

/// Inserts personal data from the columns `id` and `value`; the caller has created the ids.
pub(super) async fn insert(tx: &mut Tx, rows: &Rows) -> Result<(), StoreError> {
    tx.bulk_unless_empty(
        "INSERT INTO pii (id, salt, value) SELECT id, NULL, value FROM {rows}",
        rows,
    )
    .await
}

impl Tx {
    /// Stores one value as personal data and returns its id.
    pub async fn store_pii(&mut self, value: &str) -> Result<PiiId, StoreError> {
        let id: PiiId = self.mint();
        self.execute(
            "INSERT INTO pii (id, salt, value) VALUES ($1, NULL, $2)",
            &params![id, Param::from(value)],
        )
        .await?;
        Ok(id)
    }
}
