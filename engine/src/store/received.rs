//! Stores messages as gateways deliver them, many with the same few statements (lane A).

use std::collections::{BTreeMap, BTreeSet};

use super::contact::ContactId;
use super::error::StoreError;
use super::faults::CommitPart;
use super::inbound::NewInbound;
use super::param::{ColumnType, Param};
use super::rows::Rows;
use super::tx::Tx;
use crate::base::{MessageId, PiiId};
use crate::params;
use crate::planted::PlantedFault;
use crate::policy::CarrierWord;

/// A message for a tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewReceived {
    /// The id of the tenant that the message is for.
    pub tenant: String,
    /// The message.
    pub message: NewInbound,
}

/// The result of storing a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReceivedStored {
    /// The message is stored, and will be applied. If it is a word that carriers define, it has been obeyed.
    Stored,
    /// A message with the same id from the same gateway is stored already. Nothing is stored, and nothing is obeyed: a STOP that
    /// is delivered again must not undo a later START.
    Known,
    /// There is no such tenant.
    NoTenant,
}

/// A message of which the row is inserted.
#[derive(Debug, Clone, Copy)]
struct Inserted {
    id: MessageId,
    sender: ContactId,
}

impl Tx {
    /// Stores messages, and obeys those that consist of a word which carriers define. Returns the results in the order of
    /// `messages`.
    pub(super) async fn receive(
        &mut self,
        messages: &[&NewReceived],
    ) -> Result<Vec<ReceivedStored>, StoreError> {
        let tenants = self.known_tenants(messages).await?;
        let of_tenants: Vec<&NewReceived> =
            messages.iter().copied().filter(|new| tenants.contains(&new.tenant)).collect();
        let inserted = self.insert_received(&of_tenants).await?;
        self.obey(&of_tenants, &inserted).await?;
        let mut inserted = inserted.into_iter();
        let results = messages.iter().map(|new| match tenants.contains(&new.tenant) {
            false => ReceivedStored::NoTenant,
            true if inserted.next().flatten().is_some() => ReceivedStored::Stored,
            true => ReceivedStored::Known,
        });
        Ok(results.collect())
    }

    /// Stores an inbound message. Returns `None` if a message with the same id from the same gateway
    /// is already stored.
    pub async fn store_inbound(
        &mut self,
        tenant: &str,
        new: &NewInbound,
    ) -> Result<Option<(MessageId, ContactId)>, StoreError> {
        let new = NewReceived { tenant: tenant.to_owned(), message: new.clone() };
        let inserted = self.insert_received(&[&new]).await?.into_iter().next().flatten();
        if let Some(Inserted { id, .. }) = inserted {
            self.correlate(id.into());
        }
        Ok(inserted.map(|Inserted { id, sender }| (id, sender)))
    }

    async fn known_tenants(
        &mut self,
        messages: &[&NewReceived],
    ) -> Result<BTreeSet<String>, StoreError> {
        let named: BTreeSet<&String> = messages.iter().map(|new| &new.tenant).collect();
        let mut rows = Rows::new(&[("id", ColumnType::Text)]);
        named.into_iter().for_each(|tenant| rows.push([Param::from(tenant)]));
        let found =
            self.bulk("SELECT id FROM tenant WHERE id IN (SELECT id FROM {rows})", &[], &rows);
        found.await?.iter().map(|row| row.text("id")).collect()
    }

    /// Inserts the rows of messages, with their texts and the contacts of their senders. Returns `None` for each message that is
    /// stored already.
    async fn insert_received(
        &mut self,
        messages: &[&NewReceived],
    ) -> Result<Vec<Option<Inserted>>, StoreError> {
        self.record_part(CommitPart::Inbound);
        self.note_inbox();
        self.add_contacts(messages).await?;
        // Of each of these, there is one for each message.
        let new: Vec<Inserted> = messages.iter().map(|new| self.begin(new)).collect();
        let bodies: Vec<PiiId> = messages.iter().map(|_| self.mint()).collect();
        let stored = self.insert_messages(messages, &new, &bodies).await?;
        let mut texts = Rows::new(&[("id", ColumnType::Id), ("value", ColumnType::Text)]);
        let of_new = new.iter().zip(&bodies).zip(messages);
        for ((_, body), message) in of_new.filter(|((one, _), _)| stored.contains(&one.id)) {
            texts.push([(*body).into(), Param::from(&message.message.body)]);
        }
        super::pii::insert(self, &texts).await?;
        Ok(new.into_iter().map(|one| Some(one).filter(|one| stored.contains(&one.id))).collect())
    }

    /// Returns a new id for a message, and the contact of its sender.
    fn begin(&self, new: &NewReceived) -> Inserted {
        Inserted { id: self.mint(), sender: self.contact_id(&new.tenant, &new.message.from) }
    }

    /// Adds the senders whose numbers are not stored yet.
    async fn add_contacts(&mut self, messages: &[&NewReceived]) -> Result<(), StoreError> {
        let mut numbers: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for new in messages {
            numbers.entry(&new.tenant).or_default().push(new.message.from.clone());
        }
        for (tenant, numbers) in numbers {
            self.contacts(tenant, &numbers).await?;
        }
        Ok(())
    }

    /// Inserts the rows of messages. Returns the ids of those that were not stored yet. The rows are sorted by the ids of their
    /// gateways, so that two batches with the same messages do not wait for each other.
    async fn insert_messages(
        &mut self,
        messages: &[&NewReceived],
        new: &[Inserted],
        bodies: &[PiiId],
    ) -> Result<BTreeSet<MessageId>, StoreError> {
        let mut rows = Rows::new(&[
            ("id", ColumnType::Id),
            ("tenant", ColumnType::Text),
            ("gateway", ColumnType::Text),
            ("provider_id", ColumnType::Text),
            ("sender", ColumnType::Bytes),
            ("recipient", ColumnType::Text),
            ("body", ColumnType::Id),
            ("carrier_word", ColumnType::Text),
            ("received_at", ColumnType::Int),
        ]);
        let now = self.now();
        let mut sorted: Vec<_> = messages.iter().zip(new).zip(bodies).collect();
        sorted.sort_by_key(|((new, _), _)| {
            (&new.tenant, &new.message.gateway, &new.message.provider_id)
        });
        for ((NewReceived { tenant, message }, one), body) in sorted {
            let provider_id = match PlantedFault::DuplicateStored.is_active() {
                // Twice at most: if each start after a crash stored it again, the crashes would never end.
                true => format!("{} {}", message.provider_id, now.micros() / 1_000_000 % 2),
                false => message.provider_id.clone(),
            };
            rows.push([
                one.id.into(),
                Param::from(tenant),
                Param::from(&message.gateway),
                Param::from(&provider_id),
                one.sender.into(),
                Param::from(&message.to),
                (*body).into(),
                message.carrier_word.map(CarrierWord::as_str).into(),
                message.received_at.min(now).into(),
            ]);
        }
        if rows.is_empty() {
            return Ok(BTreeSet::new());
        }
        let sql = "INSERT INTO inbound (id, tenant, gateway, provider_id, sender, recipient, body, carrier_word,
                received_at, stored_at, correlation)
             SELECT id, tenant, gateway, provider_id, sender, recipient, body, carrier_word, received_at, $1, id
             FROM {rows} WHERE true ON CONFLICT DO NOTHING RETURNING id";
        let stored = self.bulk(sql, &params![now], &rows).await?;
        stored.iter().map(|row| row.id("id")).collect()
    }

    /// Obeys the words that carriers define, in the order of the contacts, as all do who lock contacts.
    async fn obey(
        &mut self,
        messages: &[&NewReceived],
        inserted: &[Option<Inserted>],
    ) -> Result<(), StoreError> {
        let with_words = messages.iter().zip(inserted).filter_map(|(new, inserted)| {
            Some((inserted.as_ref()?.sender, new, new.message.carrier_word?))
        });
        let mut words: Vec<_> = with_words.collect();
        words.sort_by_key(|(sender, new, _)| (*sender, new.message.received_at));
        for (sender, NewReceived { tenant, message }, word) in words {
            let at = message.received_at;
            match word {
                CarrierWord::OptOut => self.suppress(tenant, sender, word.as_str(), at).await?,
                CarrierWord::OptIn => self.unsuppress(tenant, sender, at).await?,
                CarrierWord::Help | CarrierWord::Yes => false,
            };
        }
        Ok(())
    }
}
