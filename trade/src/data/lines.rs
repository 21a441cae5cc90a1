//! Reads, adds up and moves the lines of a document, such as a quote. The items of an inspection are its lines.

use abide_engine::base::Timestamp;
use abide_engine::store::{LockRank, StoreError, Tx};

use super::interned::interned;
use super::rows::{StoredRow, listed};
use crate::table::Table;

/// The lines of one document, or the items of one inspection.
#[derive(Debug, Clone, Copy)]
pub struct Lines<'a> {
    /// The table of the lines.
    pub table: &'static Table,
    /// The column of the lines that refers to the document.
    pub document: &'static str,
    /// The tenant that owns the document.
    pub tenant: &'a str,
    /// The id of the document.
    pub id: &'a str,
}

/// The number of the lines of a document, and the sums of their amounts in cents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineSums {
    /// The number of lines.
    pub count: i64,
    /// The sum without tax.
    pub net: i64,
    /// The sum of the taxes.
    pub tax: i64,
}

/// Moves lines that follow each other.
#[derive(Debug, Clone, Copy)]
pub struct LineShift {
    /// The position of the first line.
    pub first: i64,
    /// The position of the last line.
    pub last: i64,
    /// What is added to each position.
    pub by: i64,
}

/// Returns the lines in their order.
pub async fn lines_of(tx: &mut Tx, lines: &Lines<'_>) -> Result<Vec<StoredRow>, StoreError> {
    let sql = format!(
        "SELECT {} FROM {} WHERE tenant = $1 AND {} = $2 ORDER BY position",
        listed(lines.table),
        lines.table.name,
        lines.document
    );
    let rows = tx.rows(interned(sql), &[lines.tenant.into(), lines.id.into()]).await?;
    rows.iter().map(|row| StoredRow::read(lines.table, row)).collect()
}

/// Counts the lines.
pub async fn count(tx: &mut Tx, lines: &Lines<'_>) -> Result<i64, StoreError> {
    let sql = format!(
        "SELECT COUNT(*) AS count FROM {} WHERE tenant = $1 AND {} = $2",
        lines.table.name, lines.document
    );
    let row = tx.row(interned(sql), &[lines.tenant.into(), lines.id.into()]).await?;
    row.map_or(Ok(0), |row| row.int("count"))
}

/// Counts the lines and adds up their amounts. The sums are cast because those of PostgreSQL are numbers
/// of any size.
pub async fn sums(tx: &mut Tx, lines: &Lines<'_>) -> Result<LineSums, StoreError> {
    let sql = format!(
        "SELECT COUNT(*) AS count, CAST(COALESCE(SUM(net), 0) AS BIGINT) AS net,
             CAST(COALESCE(SUM(tax), 0) AS BIGINT) AS tax
         FROM {} WHERE tenant = $1 AND {} = $2",
        lines.table.name, lines.document
    );
    match tx.row(interned(sql), &[lines.tenant.into(), lines.id.into()]).await? {
        Some(row) => {
            Ok(LineSums { count: row.int("count")?, net: row.int("net")?, tax: row.int("tax")? })
        }
        None => Ok(LineSums { count: 0, net: 0, tax: 0 }),
    }
}

/// Moves lines of a document that the caller has locked. Returns the ids of the moved lines, sorted.
pub async fn shift(
    tx: &mut Tx,
    lines: &Lines<'_>,
    shift: LineShift,
    now: Timestamp,
) -> Result<Vec<String>, StoreError> {
    tx.lock_at(LockRank::Rows)?;
    let sql = format!(
        "UPDATE {} SET position = position + $3, updated_at = $4
         WHERE tenant = $1 AND {} = $2 AND position >= $5 AND position <= $6 RETURNING id",
        lines.table.name, lines.document
    );
    let LineShift { first, last, by } = shift;
    let of = [lines.tenant.into(), lines.id.into()];
    let to = [by.into(), now.micros().into(), first.into(), last.into()];
    let moved = tx.rows(interned(sql), &[of.as_slice(), &to].concat()).await?;
    let mut ids = moved.iter().map(|row| row.text("id")).collect::<Result<Vec<_>, _>>()?;
    ids.sort_unstable();
    Ok(ids)
}
