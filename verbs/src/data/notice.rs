//! Rows of what staff are to be told about new entries of their inbox: at most one for each tenant, reason and member of
//! staff who hears of them.

use abide_engine::base::{MessageId, PersonId, Timestamp, TypedId as _};
use abide_engine::params;
use abide_engine::store::{StoreError, Tx};
use uuid::Uuid;

use crate::inbox::Reason;

/// What staff are to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StaffNotice {
    /// Why the entries are in the inbox.
    pub reason: Reason,
    /// The member of staff who started what the entries are about; `None` if all staff hear of them.
    pub starter: Option<PersonId>,
    /// The first of the entries.
    pub first_message: MessageId,
}

/// Returns the id that stands for all staff in a row, whose key needs one.
pub(super) fn starter_key(starter: Option<PersonId>) -> PersonId {
    starter.unwrap_or_else(|| PersonId::from_uuid(Uuid::nil()))
}

/// Begins to gather the entries of a notice until `due_at`, unless such entries are gathered already.
pub async fn begin(
    tx: &mut Tx,
    tenant: &str,
    notice: StaffNotice,
    due_at: Timestamp,
) -> Result<(), StoreError> {
    tx.note_timer();
    tx.execute(
        "INSERT INTO inbox_notice (tenant, reason, starter, first_message, due_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (tenant, reason, starter) DO NOTHING",
        &params![
            tenant,
            notice.reason.as_str(),
            starter_key(notice.starter),
            notice.first_message,
            due_at
        ],
    )
    .await
    .map(drop)
}

/// Whether staff are to be told something by now.
pub async fn is_due(tx: &mut Tx, tenant: &str, by: Timestamp) -> Result<bool, StoreError> {
    let sql = "SELECT reason FROM inbox_notice WHERE tenant = $1 AND due_at <= $2 LIMIT 1";
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
            "DELETE FROM inbox_notice WHERE tenant = $1 AND due_at <= $2 RETURNING reason, starter, first_message",
            &params![tenant, by],
        )
        .await?;
    let mut due = Vec::with_capacity(rows.len());
    for row in &rows {
        let reason = row.text("reason")?;
        let reason = Reason::parse(&reason)
            .ok_or_else(|| StoreError::Corrupt(format!("inbox_notice.reason is `{reason}`")))?;
        let starter: PersonId = row.id("starter")?;
        due.push(StaffNotice {
            reason,
            starter: Some(starter).filter(|id| !id.uuid().is_nil()),
            first_message: row.id("first_message")?,
        });
    }
    due.sort_by_key(|notice| notice.first_message);
    Ok(due)
}
