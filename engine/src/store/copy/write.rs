//! Writes the copy of a run into an empty database.

use super::RunCopy;
use crate::store::error::StoreError;
use crate::store::rows::Rows;
use crate::store::topic;
use crate::store::tx::Tx;

/// Number of rows per statement. Larger statements would not be faster.
const CHUNK: usize = 2_000;

impl Tx {
    /// Writes a copy into this database, which must contain nothing but its schema.
    pub async fn put_copy(&mut self, copy: &RunCopy) -> Result<(), StoreError> {
        // The ids of the copied contacts are computed with the contact key of the source database,
        // which is copied too. So the key that was created when this database was opened is deleted.
        self.execute("DELETE FROM meta WHERE k = 'contact_key'", &[]).await?;
        for (table, values) in &copy.tables {
            for chunk in values.chunks(CHUNK) {
                let rows = Rows::of(table.columns, chunk.to_vec());
                self.bulk(table.write, &[], &rows).await?;
                if table.name == "ledger" {
                    topic::list(self, table.columns, chunk).await?;
                }
            }
        }
        Ok(())
    }
}
