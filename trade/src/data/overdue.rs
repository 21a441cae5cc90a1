//! Reads the invoices that are overdue.

use std::fmt::Write as _;

use abide_engine::store::{Param, StoreError, Tx};

use super::interned::interned;
use super::rows::{StoredRow, listed};
use crate::table::Table;

/// Selects a page of overdue invoices.
#[derive(Debug, Clone, Copy)]
pub struct OverdueQuery<'a> {
    /// The table of the invoices.
    pub table: &'static Table,
    /// The tenant that owns the invoices.
    pub tenant: &'a str,
    /// The day before which the invoices were due.
    pub due_before: &'a str,
    /// Selects only the invoices of this customer.
    pub customer: Option<&'a str>,
    /// The last invoice of the page before.
    pub after: Option<&'a StoredRow>,
    /// Maximum number of rows.
    pub limit: i64,
}

/// Returns the invoices on which something is still to be paid after their due date, the oldest due date
/// first. The index `invoices_owed` contains only invoices with the statuses of this query, in its order.
pub async fn overdue(tx: &mut Tx, query: &OverdueQuery<'_>) -> Result<Vec<StoredRow>, StoreError> {
    let mut sql = format!(
        "SELECT {} FROM {} WHERE tenant = $1 AND status IN ('finalized', 'sent') AND due_date < $2
             AND total > paid",
        listed(query.table),
        query.table.name
    );
    let mut params: Vec<Param> = vec![query.tenant.into(), query.due_before.into()];
    if let Some(customer) = query.customer {
        params.push(customer.into());
        let _ = write!(sql, " AND customer_id = ${}", params.len());
    }
    if let Some(after) = query.after {
        params.extend([after.text("due_date").into(), after.id().into()]);
        let _ = write!(sql, " AND (due_date, id) > (${}, ${})", params.len() - 1, params.len());
    }
    params.push(query.limit.into());
    let _ = write!(sql, " ORDER BY due_date, id LIMIT ${}", params.len());
    let rows = tx.rows(interned(sql), &params).await?;
    rows.iter().map(|row| StoredRow::read(query.table, row)).collect()
}
