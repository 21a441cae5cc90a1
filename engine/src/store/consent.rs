//! Stores the consent of people to receive messages, and counts how often a sender has opted in.

use std::collections::BTreeMap;

use super::contact::ContactId;
use super::error::StoreError;
use super::param::ColumnType;
use super::row::Row;
use super::rows::Rows;
use super::tx::Tx;
use crate::base::Timestamp;
use crate::params;

/// Whether a tenant may text a phone number, as far as its record says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContactConsent {
    /// The consent on record.
    pub given: Option<Consent>,
    /// Whether the number is suppressed. It then gets no text, whatever consent is on record.
    pub suppressed: bool,
}

/// The consent to receive texts that a tenant has on record for a phone number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consent {
    /// Where it was given, such as `sign-up form`.
    pub source: String,
    /// When it was given.
    pub at: Timestamp,
    /// The words that the person agreed to, if they are known.
    pub wording: Option<String>,
}

impl Consent {
    fn read(row: &Row) -> Result<Option<Self>, StoreError> {
        let given = row.opt_text("consent_source")?.zip(row.opt_at("consent_at")?);
        let wording = row.opt_text("consent_wording")?;
        Ok(given.map(|(source, at)| Self { source, at, wording }))
    }
}

impl Tx {
    /// Records consents. A contact that has a later consent keeps it. A consent does not lift a suppression:
    /// only a message from the person does.
    pub async fn record_consents(
        &mut self,
        tenant: &str,
        consents: &BTreeMap<ContactId, Consent>,
    ) -> Result<(), StoreError> {
        let mut rows = Rows::new(&[
            ("id", ColumnType::Bytes),
            ("source", ColumnType::Text),
            ("at", ColumnType::Int),
            ("wording", ColumnType::Text),
        ]);
        for (contact, consent) in consents {
            rows.push([
                (*contact).into(),
                consent.source.as_str().into(),
                consent.at.into(),
                consent.wording.as_deref().into(),
            ]);
        }
        if rows.is_empty() {
            return Ok(());
        }
        // All transactions lock contacts in this order, so that two imports cannot block each other.
        self.bulk(
            "SELECT contact.id FROM contact WHERE tenant || '' = $1 AND id IN (SELECT id FROM {rows})
             ORDER BY contact.id {for_update}",
            &params![tenant],
            &rows,
        )
        .await?;
        self.bulk(
            "UPDATE contact SET consent_source = v.source, consent_at = v.at, consent_wording = v.wording FROM {rows}
             WHERE contact.tenant || '' = $1 AND contact.id = v.id
             AND (contact.consent_at IS NULL OR contact.consent_at <= v.at)",
            &params![tenant],
            &rows,
        )
        .await
        .map(drop)
    }

    /// Returns the consents on record for these contacts, and which contacts are suppressed. Leaves out the
    /// contacts with neither.
    pub async fn consents(
        &mut self,
        tenant: &str,
        contacts: &[ContactId],
    ) -> Result<BTreeMap<ContactId, ContactConsent>, StoreError> {
        let mut rows = Rows::new(&[("id", ColumnType::Bytes)]);
        for contact in contacts {
            rows.push([(*contact).into()]);
        }
        if rows.is_empty() {
            return Ok(BTreeMap::new());
        }
        let found = self
            .bulk(
                "SELECT contact.id, suppressed, consent_source, consent_at, consent_wording FROM contact
                 WHERE tenant || '' = $1 AND (consent_at IS NOT NULL OR suppressed = 1) AND id IN (SELECT id FROM {rows})",
                &params![tenant],
                &rows,
            )
            .await?;
        found
            .iter()
            .map(|row| {
                let contact = ContactId::from_digest(row.digest("id")?);
                let (given, suppressed) = (Consent::read(row)?, row.flag("suppressed")?);
                Ok((contact, ContactConsent { given, suppressed }))
            })
            .collect()
    }

    /// Counts the messages with which this sender has opted in.
    pub async fn opt_ins(&mut self, tenant: &str, sender: ContactId) -> Result<i64, StoreError> {
        let row = self
            .row(
                "SELECT COUNT(*) AS count FROM inbound WHERE tenant = $1 AND sender = $2 AND handled_as = 'opt_in'",
                &params![tenant, sender],
            )
            .await?;
        row.map_or(Ok(0), |row| row.int("count"))
    }
}
