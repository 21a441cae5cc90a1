//! Makes the ids of new rows.

use abide_engine::base::{RowId, TypedId as _};
use abide_engine::store::Tx;

use crate::table::Table;

/// Returns the id of a new row of a table.
pub fn new_id(tx: &Tx, table: &Table) -> String {
    table.id(tx.mint::<RowId>().uuid())
}
