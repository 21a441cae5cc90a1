//! What of this crate's work falls due, and when.

use abide_engine::base::Timestamp;
use abide_engine::params;
use abide_engine::store::{Row, StoreError, Tx};

/// A tenant with work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueTenant {
    /// The tenant.
    pub tenant: String,
    /// When its first work falls due: a message to the operator that something is left to do for, a turn of a
    /// conversation that is to be evaluated, or an order whose run its process has not started.
    pub at: Timestamp,
}

/// Selects when the first work of a tenant falls due. `$tenant` stands for the tenant.
macro_rules! first_due {
    ($tenant:literal) => {
        concat!(
            "(SELECT c.due_at FROM classification c WHERE c.tenant = ",
            $tenant,
            " AND c.due_at IS NOT NULL ORDER BY c.due_at LIMIT 1) AS message_at,
             (SELECT a.due_at FROM agenda_turn a WHERE a.tenant = ",
            $tenant,
            " ORDER BY a.due_at LIMIT 1) AS turn_at,
             (SELECT s.due_at FROM standing_obligation s WHERE s.tenant = ",
            $tenant,
            " AND s.due_at IS NOT NULL ORDER BY s.due_at LIMIT 1) AS order_at"
        )
    };
}

/// Returns when the first work falls due, if there is any.
fn first(row: &Row) -> Result<Option<Timestamp>, StoreError> {
    let mut first = None;
    for name in ["message_at", "turn_at", "order_at"] {
        first = first.into_iter().chain(row.opt_at(name)?).min();
    }
    Ok(first)
}

/// Returns the tenants with work, without those whose kill switch is on.
pub async fn tenants(tx: &mut Tx) -> Result<Vec<DueTenant>, StoreError> {
    let sql = concat!(
        "SELECT t.id, ",
        first_due!("t.id"),
        " FROM tenant t WHERE t.paused = 0 ORDER BY t.id"
    );
    let mut due = Vec::new();
    for row in tx.rows(sql, &[]).await? {
        if let Some(at) = first(&row)? {
            due.push(DueTenant { tenant: row.text("id")?, at });
        }
    }
    Ok(due)
}

/// Returns when the first work of one tenant falls due, if there is any.
pub async fn of_tenant(tx: &mut Tx, tenant: &str) -> Result<Option<Timestamp>, StoreError> {
    let sql = concat!("SELECT ", first_due!("$1"));
    let row = tx.row(sql, &params![tenant]).await?;
    Ok(row.as_ref().map(first).transpose()?.flatten())
}
