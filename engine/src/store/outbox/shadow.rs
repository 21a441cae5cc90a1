//! Records the messages that a shadow run would send.

use std::collections::BTreeMap;

use crate::base::{MessageId, PersonId, PiiId, RunId, Timestamp};
use crate::params;
use crate::store::error::StoreError;
use crate::store::faults::CommitPart;
use crate::store::param::{ColumnType, Param};
use crate::store::pii;
use crate::store::rows::Rows;
use crate::store::tx::Tx;

/// A message that a shadow run would send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShadowMessage {
    /// The id of the message.
    pub id: MessageId,
    /// The idempotency key that the message of a real run would have.
    pub key: String,
    /// The name of the template, with its occasion if it has one.
    pub kind: String,
    /// The phone number that the message would go to.
    pub to: String,
    /// The person that the message is for.
    pub person: Option<PersonId>,
    /// The final text.
    pub body: String,
    /// Number of segments that the carrier would bill.
    pub segments: i64,
    /// When the message would be sent.
    pub at: Timestamp,
}

impl ShadowMessage {
    /// Returns the key under which the message is recorded. It differs from the key of any real message, so
    /// the real message can still be sent.
    fn recorded_key(&self, run: RunId) -> String {
        format!("shadow:{run}:{}", self.key)
    }
}

impl Tx {
    /// Records the messages that a shadow run would send, in the state `shadowed`. Nothing sends them: they
    /// have no request and no call, and they do not count against any limit. Messages that are recorded
    /// already stay as they are.
    pub async fn record_shadowed(
        &mut self,
        tenant: &str,
        run: RunId,
        messages: &[ShadowMessage],
    ) -> Result<(), StoreError> {
        let phones: Vec<String> = messages.iter().map(|message| message.to.clone()).collect();
        let contacts = self.contacts(tenant, &phones).await?;
        let mut rows = Rows::new(&[
            ("id", ColumnType::Id),
            ("key", ColumnType::Text),
            ("kind", ColumnType::Text),
            ("contact", ColumnType::Bytes),
            ("person", ColumnType::Id),
            ("body", ColumnType::Id),
            ("segments", ColumnType::Int),
            ("at", ColumnType::Int),
        ]);
        let mut bodies: BTreeMap<PiiId, &str> = BTreeMap::new();
        for (message, contact) in messages.iter().zip(contacts) {
            let body: PiiId = self.mint();
            bodies.insert(body, &message.body);
            rows.push([
                message.id.into(),
                Param::from(&message.recorded_key(run)),
                Param::from(&message.kind),
                contact.into(),
                message.person.into(),
                body.into(),
                message.segments.into(),
                message.at.into(),
            ]);
        }
        if rows.is_empty() {
            return Ok(());
        }
        self.record_part(CommitPart::Outbox);
        let now = self.now();
        let recorded = self
            .bulk(
                "INSERT INTO outbox (id, tenant, key, run_id, kind, contact, person, body, segments, cause_kind,
                    cause_id, not_before, state, attempt, created_at, bulk, unasked, correlation)
                 SELECT id, $1, key, $2, kind, contact, person, body, segments, 'run', $2, at, 'shadowed', 0, $3,
                    1, 0, (SELECT r.correlation FROM run r WHERE r.id = $2)
                 FROM {rows} WHERE true ON CONFLICT (tenant, key) DO NOTHING RETURNING body",
                &params![tenant, run, now],
                &rows,
            )
            .await?;
        let mut values = Rows::new(&[("id", ColumnType::Id), ("value", ColumnType::Text)]);
        for row in &recorded {
            let body: PiiId = row.id("body")?;
            values.push([body.into(), bodies.get(&body).copied().into()]);
        }
        pii::insert(self, &values).await
    }
}
