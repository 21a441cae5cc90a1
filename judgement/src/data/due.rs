//! What of this crate's work falls due, and when.

use abide_engine::base::Timestamp;
use abide_engine::params;
use abide_engine::store::{StoreError, Tx};

/// When the first work of a tenant falls due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueTenant {
    /// The tenant.
    pub tenant: String,
    /// When the first message to the operator is due that something is left to do for.
    pub message_at: Option<Timestamp>,
    /// When its first turn of a conversation is to be evaluated.
    pub turn_at: Option<Timestamp>,
    /// When the first run of an order is to be started, if whoever stored the order has not.
    pub order_at: Option<Timestamp>,
}

/// Returns the tenants with work, without those whose kill switch is on.
pub async fn tenants(tx: &mut Tx) -> Result<Vec<DueTenant>, StoreError> {
    let rows = tx
        .rows(
            "SELECT t.id,
                (SELECT c.due_at FROM classification c WHERE c.tenant = t.id AND c.due_at IS NOT NULL
                    ORDER BY c.due_at LIMIT 1) AS message_at,
                (SELECT a.due_at FROM agenda_turn a WHERE a.tenant = t.id ORDER BY a.due_at LIMIT 1) AS turn_at,
                (SELECT s.due_at FROM standing_obligation s WHERE s.tenant = t.id AND s.due_at IS NOT NULL
                    ORDER BY s.due_at LIMIT 1) AS order_at
             FROM tenant t WHERE t.paused = 0 ORDER BY t.id",
            &[],
        )
        .await?;
    rows.iter()
        .map(|row| {
            Ok(DueTenant {
                tenant: row.text("id")?,
                message_at: row.opt_at("message_at")?,
                turn_at: row.opt_at("turn_at")?,
                order_at: row.opt_at("order_at")?,
            })
        })
        .collect()
}

/// Returns when the first work of one tenant falls due.
pub async fn of_tenant(tx: &mut Tx, tenant: &str) -> Result<DueTenant, StoreError> {
    let row = tx
        .row(
            "SELECT (SELECT c.due_at FROM classification c WHERE c.tenant = $1 AND c.due_at IS NOT NULL
                    ORDER BY c.due_at LIMIT 1) AS message_at,
                (SELECT a.due_at FROM agenda_turn a WHERE a.tenant = $1 ORDER BY a.due_at LIMIT 1) AS turn_at,
                (SELECT s.due_at FROM standing_obligation s WHERE s.tenant = $1 AND s.due_at IS NOT NULL
                    ORDER BY s.due_at LIMIT 1) AS order_at",
            &params![tenant],
        )
        .await?;
    let mut due =
        DueTenant { tenant: tenant.to_owned(), message_at: None, turn_at: None, order_at: None };
    if let Some(row) = row {
        due.message_at = row.opt_at("message_at")?;
        due.turn_at = row.opt_at("turn_at")?;
        due.order_at = row.opt_at("order_at")?;
    }
    Ok(due)
}

impl DueTenant {
    /// Returns when the first work falls due, if there is any.
    #[must_use]
    pub fn first(&self) -> Option<Timestamp> {
        self.message_at.into_iter().chain(self.turn_at).chain(self.order_at).min()
    }
}
