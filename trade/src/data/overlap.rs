//! Finds rows whose periods overlap a given one.

use std::fmt::Write as _;

use abide_engine::base::Timestamp;
use abide_engine::store::{Param, StoreError, Tx};

use super::interned::interned;
use super::rows::{StoredRow, listed};
use crate::cell::Cell;
use crate::table::{Column, Table};

/// Maximum number of rows that are read. Nobody has that many appointments at one time.
const ROWS_MAX: i64 = 200;

/// Selects the rows whose periods overlap a given one.
#[derive(Debug, Clone)]
pub struct OverlapQuery<'a> {
    /// The table.
    pub table: &'static Table,
    /// The tenant that owns the rows.
    pub tenant: &'a str,
    /// The column with the beginning of a period.
    pub from: &'static Column,
    /// The column with its end.
    pub until: &'static Column,
    /// The beginning of the given period.
    pub since: Timestamp,
    /// Its end.
    pub before: Timestamp,
    /// The values that columns of a selected row have.
    pub holds: Vec<(&'static Column, Vec<Cell>)>,
}

/// Returns the rows that a query selects, the earliest end first.
pub async fn overlapping(
    tx: &mut Tx,
    query: &OverlapQuery<'_>,
) -> Result<Vec<StoredRow>, StoreError> {
    let (table, from, until) = (query.table, query.from.name, query.until.name);
    let mut params: Vec<Param> =
        vec![query.tenant.into(), query.since.into(), query.before.into(), ROWS_MAX.into()];
    let mut sql = format!(
        "SELECT {} FROM {} WHERE tenant = $1 AND {until} > $2 AND {from} < $3",
        listed(table),
        table.name
    );
    for (column, cells) in &query.holds {
        let places = cells.iter().map(|cell| {
            params.push(column.param(cell));
            format!("${}", params.len())
        });
        let places: Vec<String> = places.collect();
        let _ = write!(sql, " AND {} IN ({})", column.name, places.join(", "));
    }
    let _ = write!(sql, " ORDER BY {until}, id LIMIT $4");
    let rows = tx.rows(interned(sql), &params).await?;
    rows.iter().map(|row| StoredRow::read(table, row)).collect()
}
