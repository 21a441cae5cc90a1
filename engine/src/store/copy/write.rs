//! Puts a copy into an empty database.

use super::RunCopy;
use crate::store::rows::Rows;
use crate::store::{StoreError, Tx};

/// Rows per statement. Beyond some thousand rows a statement is not faster, only longer.
const CHUNK: usize = 2_000;

impl Tx {
    /// Puts a copy into this database, which holds nothing but its schema.
    pub async fn put_copy(&mut self, copy: &RunCopy) -> Result<(), StoreError> {
        // Opening this database has created a key; the copied contacts have digests by the source's key.
        self.execute("DELETE FROM meta WHERE k = 'contact_key'", &[]).await?;
        for (table, values) in &copy.tables {
            for chunk in values.chunks(CHUNK) {
                self.bulk(table.write, &[], &Rows::of(table.columns, chunk.to_vec())).await?;
            }
        }
        Ok(())
    }
}
