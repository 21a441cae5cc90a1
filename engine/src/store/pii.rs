//! Personal data in rows that can be erased; everything else points at them.

use super::error::StoreError;
use super::param::Param;
use super::rows::Rows;
use super::tx::Tx;
use crate::base::PiiId;
use crate::params;

/// Stores values under ids that the caller minted: columns `id`, `value`.
pub(super) async fn insert(tx: &mut Tx, rows: &Rows) -> Result<(), StoreError> {
    tx.bulk_unless_empty(
        "INSERT INTO pii (id, salt, value) SELECT id, NULL, value FROM {rows}",
        rows,
    )
    .await
}

impl Tx {
    /// Stores one value.
    pub async fn keep_pii(&mut self, value: &str) -> Result<PiiId, StoreError> {
        let id: PiiId = self.mint();
        self.execute(
            "INSERT INTO pii (id, salt, value) VALUES ($1, NULL, $2)",
            &params![id, Param::from(value)],
        )
        .await?;
        Ok(id)
    }
}
