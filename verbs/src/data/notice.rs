//! Rows of what staff are to be told about new entries of their inbox: at most one for each tenant and reason.

use abide_engine::base::{MessageId, Timestamp};
use abide_engine::params;
use abide_engine::store::{StoreError, Tx};

use crate::inbox::Reason;

/// What staff are to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StaffNotice {
    /// Why the entries are in the inbox.
    pub reason: Reason,
    /// The first of the entries.
    pub first_message: MessageId,
}

/// Begins to gather entries with this reason until `due_at`, unless entries with this reason are gathered already.
pub async fn begin(
    tx: &mut Tx,
    tenant: &str,
    notice: StaffNotice,
    due_at: Timestamp,
) -> Result<(), StoreError> {
    tx.note_timer();
    tx.execute(
        "INSERT INTO staff_notice (tenant, reason, first_message, due_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (tenant, reason) DO NOTHING",
        &params![tenant, notice.reason.as_str(), notice.first_message, due_at],
    )
    .await
    .map(drop)
}

/// Whether staff are to be told something by now.
pub async fn is_due(tx: &mut Tx, tenant: &str, by: Timestamp) -> Result<bool, StoreError> {
    let sql = "SELECT reason FROM staff_notice WHERE tenant = $1 AND due_at <= $2 LIMIT 1";
    Ok(tx.row(sql, &params![tenant, by]).await?.is_some())
}

/// Removes and returns what staff are to be told by now.
pub async fn take_due(
    tx: &mut Tx,
    tenant: &str,
    by: Timestamp,
) -> Result<Vec<StaffNotice>, StoreError> {
    let rows = tx
        .rows(
            "DELETE FROM staff_notice WHERE tenant = $1 AND due_at <= $2 RETURNING reason, first_message",
            &params![tenant, by],
        )
        .await?;
    let mut due = Vec::with_capacity(rows.len());
    for row in &rows {
        let reason = row.text("reason")?;
        let reason = Reason::parse(&reason)
            .ok_or_else(|| StoreError::Corrupt(format!("staff_notice.reason is `{reason}`")))?;
        due.push(StaffNotice { reason, first_message: row.id("first_message")? });
    }
    due.sort_by_key(|notice| notice.first_message);
    Ok(due)
}
