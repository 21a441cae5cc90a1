//! Stores contacts: the phone numbers that a tenant exchanges messages with. The id of a contact is a
//! digest that is computed with a secret key of the database, so that no index contains a phone number.

use std::collections::{BTreeMap, BTreeSet};

use super::error::StoreError;
use super::param::{ColumnType, Param};
use super::rows::Rows;
use super::tx::Tx;
use crate::base::{Digest, PiiId, Timestamp};
use crate::erasure::ERASED;
use crate::params;

/// The id of a contact: the digest of the database's contact key, the tenant and the phone number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContactId(pub(super) Digest);

impl From<ContactId> for Param {
    fn from(contact: ContactId) -> Self {
        contact.0.into()
    }
}

impl ContactId {
    /// Returns the digest, which tells nobody the number.
    #[must_use]
    pub const fn digest(self) -> Digest {
        self.0
    }

    /// Wraps a digest that was read from a row.
    #[must_use]
    pub fn from_digest(digest: Digest) -> Self {
        Self(digest)
    }
}

impl Tx {
    /// Computes the id of a phone number's contact, without a query.
    #[must_use]
    pub fn contact_id(&self, tenant: &str, phone: &str) -> ContactId {
        let mut keyed = self.contact_key().to_vec();
        keyed.extend_from_slice(tenant.as_bytes());
        keyed.push(0);
        keyed.extend_from_slice(phone.as_bytes());
        ContactId(Digest::of(&keyed))
    }

    /// Whether a phone number has opted out.
    pub async fn has_opted_out(&mut self, tenant: &str, phone: &str) -> Result<bool, StoreError> {
        let contact = self.contact_id(tenant, phone);
        Ok(!self.lock_contacts(tenant, &[contact]).await?.is_empty())
    }

    /// Returns the ids of the phone numbers' contacts, in the order of `phones`.
    /// Inserts the contacts that are new.
    pub async fn contacts(
        &mut self,
        tenant: &str,
        phones: &[String],
    ) -> Result<Vec<ContactId>, StoreError> {
        let ids: Vec<ContactId> = phones.iter().map(|p| self.contact_id(tenant, p)).collect();
        let known = self.known_contacts(tenant, &ids).await?;
        let new: BTreeMap<ContactId, &String> =
            ids.iter().copied().zip(phones).filter(|(id, _)| !known.contains(id)).collect();
        if !new.is_empty() {
            self.insert_contacts(tenant, new).await?;
        }
        Ok(ids)
    }

    /// Inserts contacts, unless another transaction has inserted them in the meantime. Stores phone numbers
    /// only for the contacts that this transaction inserted. If the phone number of an existing contact
    /// were stored a second time, no contact would refer to the second row, which could never be erased.
    async fn insert_contacts(
        &mut self,
        tenant: &str,
        new: BTreeMap<ContactId, &String>,
    ) -> Result<(), StoreError> {
        let mut phones: BTreeMap<PiiId, &String> = BTreeMap::new();
        let mut rows = Rows::new(&[("id", ColumnType::Bytes), ("phone", ColumnType::Id)]);
        for (id, phone) in &new {
            let value: PiiId = self.mint();
            phones.insert(value, phone);
            rows.push([(*id).into(), value.into()]);
        }
        let now = self.now();
        let inserted = self
            .bulk(
                "INSERT INTO contact (tenant, id, phone, suppressed, reason, changed_at)
                 SELECT $1, id, phone, 0, NULL, $2 FROM {rows} WHERE true ON CONFLICT DO NOTHING
                 RETURNING contact.phone",
                &params![tenant, now],
                &rows,
            )
            .await?;
        let mut pii = Rows::new(&[("id", ColumnType::Id), ("value", ColumnType::Text)]);
        for row in &inserted {
            let value: PiiId = row.id("phone")?;
            pii.push([value.into(), phones.get(&value).map(|phone| phone.as_str()).into()]);
        }
        super::pii::insert(self, &pii).await?;
        // The others exist. Another transaction has just inserted them, or their numbers were erased.
        if inserted.len() < new.len() { self.restore_numbers(tenant, &new).await } else { Ok(()) }
    }

    /// Stores the numbers of contacts whose numbers were erased.
    async fn restore_numbers(
        &mut self,
        tenant: &str,
        numbers: &BTreeMap<ContactId, &String>,
    ) -> Result<(), StoreError> {
        let mut rows = Rows::new(&[("contact", ColumnType::Bytes), ("number", ColumnType::Text)]);
        for (contact, number) in numbers {
            rows.push([(*contact).into(), Param::from(*number)]);
        }
        self.bulk(
            "UPDATE pii SET value = v.number FROM {rows}
             WHERE pii.id = (SELECT c.phone FROM contact c WHERE c.tenant || '' = $1 AND c.id = v.contact)
                AND pii.value = $2",
            &params![tenant, ERASED],
            &rows,
        )
        .await
        .map(drop)
    }

    async fn known_contacts(
        &mut self,
        tenant: &str,
        ids: &[ContactId],
    ) -> Result<BTreeSet<ContactId>, StoreError> {
        let mut rows = Rows::new(&[("id", ColumnType::Bytes)]);
        for id in ids {
            rows.push([(*id).into()]);
        }
        if rows.is_empty() {
            return Ok(BTreeSet::new());
        }
        let found = self
            .bulk(
                "SELECT contact.id FROM contact JOIN pii ON pii.id = contact.phone
                 WHERE contact.tenant || '' = $1 AND contact.id IN (SELECT id FROM {rows}) AND pii.value <> $2",
                &params![tenant, ERASED],
                &rows,
            )
            .await?;
        found.iter().map(|row| row.digest("id").map(ContactId)).collect()
    }

    /// Suppresses a phone number because of a message received at `at`:
    /// no message is sent to the number from now on. Returns whether the contact changed.
    pub async fn suppress(
        &mut self,
        tenant: &str,
        contact: ContactId,
        reason: &str,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        let changed = self
            .execute(
                "UPDATE contact SET suppressed = 1, reason = $3, changed_at = $4
                 WHERE tenant || '' = $1 AND id = $2 AND (suppressed = 0 OR changed_at < $4)",
                &params![tenant, contact, reason, at],
            )
            .await?;
        Ok(changed > 0)
    }

    /// Lifts the suppression of a phone number because of a message received at `at`. Keeps the
    /// suppression if its cause was received after `at`: the carrier may deliver an older message late.
    /// Returns whether the contact changed.
    pub async fn unsuppress(
        &mut self,
        tenant: &str,
        contact: ContactId,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        let changed = self
            .execute(
                "UPDATE contact SET suppressed = 0, reason = NULL, changed_at = $3
                 WHERE tenant || '' = $1 AND id = $2 AND suppressed = 1 AND changed_at <= $3",
                &params![tenant, contact, at],
            )
            .await?;
        Ok(changed > 0)
    }
}
