//! Rows of the threads that staff have taken over. A thread is the conversation with one phone number.

use std::collections::BTreeSet;

use abide_engine::base::Timestamp;
use abide_engine::params;
use abide_engine::store::{ColumnType, ContactId, Rows, StoreError, Tx};

/// Who has taken over a thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Takeover {
    /// The client that took over, as people see it.
    pub by: String,
    /// When the thread was taken over.
    pub at: Timestamp,
}

/// Marks a thread as taken over. Returns false if it was taken over already: then nothing changes.
pub async fn take_over(
    tx: &mut Tx,
    tenant: &str,
    contact: ContactId,
    takeover: &Takeover,
) -> Result<bool, StoreError> {
    let changed = tx
        .execute(
            "INSERT INTO thread (tenant, contact, taken_by, taken_at) VALUES ($1, $2, $3, $4)
             ON CONFLICT (tenant, contact) DO NOTHING",
            &params![tenant, contact, &takeover.by, takeover.at],
        )
        .await?;
    Ok(changed > 0)
}

/// Hands a thread back. Returns false if it was not taken over.
pub async fn hand_back(tx: &mut Tx, tenant: &str, contact: ContactId) -> Result<bool, StoreError> {
    let changed = tx
        .execute("DELETE FROM thread WHERE tenant = $1 AND contact = $2", &params![tenant, contact])
        .await?;
    Ok(changed > 0)
}

/// Whether staff have taken over the thread with a number.
pub async fn is_taken_over(
    tx: &mut Tx,
    tenant: &str,
    contact: ContactId,
) -> Result<bool, StoreError> {
    let row = tx
        .row(
            "SELECT taken_at FROM thread WHERE tenant = $1 AND contact = $2",
            &params![tenant, contact],
        )
        .await?;
    Ok(row.is_some())
}

/// Returns those of these numbers whose threads staff have taken over.
pub async fn taken_over(
    tx: &mut Tx,
    tenant: &str,
    contacts: &[ContactId],
) -> Result<BTreeSet<ContactId>, StoreError> {
    let mut rows = Rows::new(&[("contact", ColumnType::Bytes)]);
    for contact in contacts {
        rows.push([(*contact).into()]);
    }
    let found = tx
        .bulk(
            "SELECT contact FROM thread WHERE tenant = $1 AND contact IN (SELECT contact FROM {rows})",
            &params![tenant],
            &rows,
        )
        .await?;
    found.iter().map(|row| Ok(ContactId::from_digest(row.digest("contact")?))).collect()
}
