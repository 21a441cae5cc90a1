//! Sums invoices and payments by month.

use std::collections::BTreeMap;

use abide_engine::base::Timestamp;
use abide_engine::params;
use abide_engine::store::{ColumnType, Param, Rows, StoreError, Tx};

/// The time that a month takes in the time zone of the business.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MonthSpan {
    /// The number by which the caller knows the month.
    pub number: i64,
    /// The first instant of the month.
    pub since: Timestamp,
    /// The first instant after the month.
    pub until: Timestamp,
}

/// What was invoiced in a month, in cents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Invoiced {
    /// The totals of the invoices.
    pub total: i64,
    /// What is still unpaid of them.
    pub outstanding: i64,
}

const MONTH_COLUMNS: &[(&str, ColumnType)] =
    &[("number", ColumnType::Int), ("since_at", ColumnType::Int), ("until_at", ColumnType::Int)];

fn month_rows(months: &[MonthSpan]) -> Rows {
    let mut rows = Rows::new(MONTH_COLUMNS);
    for month in months {
        rows.push([month.number, month.since.micros(), month.until.micros()].map(Param::from));
    }
    rows
}

/// Sums the invoices that were finalized in each month and are not void, by the number of the month.
/// Leaves out months without invoices.
pub async fn invoiced_by_month(
    tx: &mut Tx,
    tenant: &str,
    months: &[MonthSpan],
) -> Result<BTreeMap<i64, Invoiced>, StoreError> {
    let sql = "SELECT v.number AS number, CAST(SUM(i.total) AS BIGINT) AS total,
                      CAST(SUM(CASE WHEN i.total > i.paid THEN i.total - i.paid ELSE 0 END) AS BIGINT)
                          AS outstanding
               FROM {rows} CROSS JOIN invoices i
               WHERE i.tenant = $1 AND i.finalized_at >= v.since_at AND i.finalized_at < v.until_at
                 AND i.status <> 'void'
               GROUP BY v.number";
    let rows = tx.bulk(sql, &params![tenant], &month_rows(months)).await?;
    rows.iter()
        .map(|row| {
            let sums = Invoiced { total: row.int("total")?, outstanding: row.int("outstanding")? };
            Ok((row.int("number")?, sums))
        })
        .collect()
}

/// Sums the payments that were received in each month less its refunds in cents, by the number of the month.
/// Leaves out months without payments.
pub async fn paid_by_month(
    tx: &mut Tx,
    tenant: &str,
    months: &[MonthSpan],
) -> Result<BTreeMap<i64, i64>, StoreError> {
    let sql = "SELECT v.number AS number,
                      CAST(SUM(CASE WHEN p.kind = 'refund' THEN -p.amount ELSE p.amount END) AS BIGINT)
                          AS paid
               FROM {rows} CROSS JOIN payments p
               WHERE p.tenant = $1 AND p.received_at >= v.since_at AND p.received_at < v.until_at
               GROUP BY v.number";
    let rows = tx.bulk(sql, &params![tenant], &month_rows(months)).await?;
    rows.iter().map(|row| Ok((row.int("number")?, row.int("paid")?))).collect()
}
