//! The order to erase a person, which is stored until everything is done.

use crate::base::{PersonId, PiiId, RowId};
use crate::erasure::PersonalData;
use crate::params;
use crate::store::contact::ContactId;
use crate::store::error::StoreError;
use crate::store::row::Row;
use crate::store::tx::Tx;

/// The order to erase a person. It holds what to look for until the last trace is gone, so that a crash
/// leaves nothing behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErasureOrder {
    /// The id of the order.
    pub id: RowId,
    /// The tenant of the person.
    pub tenant: String,
    /// The person to erase.
    pub person: PersonId,
    /// The contact of the person's number.
    pub contact: ContactId,
    /// Whether other people have the same number, so that the number and its texts stay.
    pub is_number_shared: bool,
    /// What to look for, without the texts that the person wrote.
    pub data: PersonalData,
}

impl Tx {
    /// Stores an order.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn put_erasure(&mut self, order: &ErasureOrder) -> Result<(), StoreError> {
        let data = self.store_pii(&crate::base::text::json(&order.data)).await?;
        let now = self.now();
        self.execute(
            "INSERT INTO erasure (id, tenant, person, contact, is_number_shared, data, ordered_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
            &params![
                order.id,
                &order.tenant,
                order.person,
                order.contact,
                order.is_number_shared,
                data,
                now
            ],
        )
        .await
        .map(drop)
    }

    /// Returns the orders of all tenants that are not carried out yet, the oldest first.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn open_erasures(&mut self) -> Result<Vec<ErasureOrder>, StoreError> {
        let rows = self
            .rows(
                "SELECT e.id, e.tenant, e.person, e.contact, e.is_number_shared, d.value AS data
                 FROM erasure e JOIN pii d ON d.id = e.data ORDER BY e.id",
                &[],
            )
            .await?;
        rows.iter().map(read).collect()
    }

    /// Removes an order that is carried out, with what it has looked for.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn end_erasure(&mut self, order: RowId) -> Result<(), StoreError> {
        let row =
            self.row("DELETE FROM erasure WHERE id = $1 RETURNING data", &params![order]).await?;
        let Some(row) = row else { return Ok(()) };
        let data: PiiId = row.id("data")?;
        self.execute("DELETE FROM pii WHERE id = $1", &params![data]).await.map(drop)
    }
}

fn read(row: &Row) -> Result<ErasureOrder, StoreError> {
    let data = row.json("data")?;
    let data = serde_json::from_value(data)
        .map_err(|e| StoreError::Corrupt(format!("what to erase is unreadable: {e}")))?;
    Ok(ErasureOrder {
        id: row.id("id")?,
        tenant: row.text("tenant")?,
        person: row.id("person")?,
        contact: ContactId::from_digest(row.digest("contact")?),
        is_number_shared: row.flag("is_number_shared")?,
        data,
    })
}
