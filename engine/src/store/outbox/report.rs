//! Applies the delivery reports of a provider to the messages that the provider has accepted.
//! Reports may arrive late, twice, and in any order.

use super::super::faults::CommitPart;
use crate::base::{MessageId, PersonId, RequestId, Timestamp};
use crate::params;
use crate::store::error::StoreError;
use crate::store::row::Row;
use crate::store::tx::Tx;

/// The state of a message that a provider reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryState {
    /// The provider has accepted the message.
    Sent,
    /// The carrier has confirmed the delivery.
    Delivered,
    /// The carrier could not deliver the message.
    Undelivered,
    /// The provider has given up: the message was never sent.
    Failed,
}

impl DeliveryState {
    /// All states that a provider can report.
    pub const ALL: [Self; 4] = [Self::Sent, Self::Delivered, Self::Undelivered, Self::Failed];

    /// Returns the word that is stored for this state.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Delivered => "delivered",
            Self::Undelivered => "undelivered",
            Self::Failed => "failed",
        }
    }

    /// Returns the state that a stored word names; `None` if the word names no state.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }

    /// Whether the message did not reach its recipient.
    #[must_use]
    pub const fn is_failure(self) -> bool {
        matches!(self, Self::Undelivered | Self::Failed)
    }

    /// Returns the rank of the state. A message moves only to a state of a higher rank. So the first of two
    /// final reports counts, and a `sent` that arrives after a final report changes nothing.
    const fn rank(self) -> i64 {
        match self {
            Self::Sent => 1,
            Self::Delivered | Self::Undelivered | Self::Failed => 2,
        }
    }
}

/// The id with which a provider names a message in a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReportedId {
    /// The engine's id of the message, which the provider was given.
    Ours(MessageId),
    /// The provider's own id of the message.
    Providers(String),
}

/// A message that a report names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedMessage {
    /// The id of the message.
    pub id: MessageId,
    /// The name of the template that the message was made from, without the occasion.
    pub kind: String,
    /// The person that the message was for.
    pub person: Option<PersonId>,
    /// The request that the message belongs to.
    pub request: Option<RequestId>,
}

impl Tx {
    /// Finds the message of a tenant that a report names.
    pub async fn reported(
        &mut self,
        tenant: &str,
        id: &ReportedId,
    ) -> Result<Option<ReportedMessage>, StoreError> {
        let row = match id {
            ReportedId::Ours(id) => {
                self.row(
                    "SELECT id, kind, person, partition_key FROM outbox WHERE tenant || '' = $1 AND id = $2",
                    &params![tenant, *id],
                )
                .await?
            }
            ReportedId::Providers(reference) => {
                self.row(
                    "SELECT id, kind, person, partition_key FROM outbox WHERE tenant = $1 AND provider_ref = $2
                     ORDER BY id DESC LIMIT 1",
                    &params![tenant, reference],
                )
                .await?
            }
        };
        row.as_ref().map(reported).transpose()
    }

    /// Moves a message to the state that its provider reports, unless the current state of the message
    /// has the same or a higher rank. Returns whether the message changed.
    ///
    /// A message that was never handed to the provider stays unchanged.
    /// A message changes even if the result of its last attempt is unknown, or if it was queued again,
    /// because the report proves that the provider has received the message.
    pub async fn report_delivery(
        &mut self,
        id: MessageId,
        state: DeliveryState,
        error: Option<&str>,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.record_part(CommitPart::Answer);
        self.note_outbox();
        let changed = self
            .execute(
                "UPDATE outbox SET state = $2, error = $3, sent_at = COALESCE(sent_at, $4)
                 WHERE id = $1 AND attempt > 0 AND $5 > CASE state WHEN 'sent' THEN 1 WHEN 'delivered' THEN 2
                    WHEN 'undelivered' THEN 2 WHEN 'failed' THEN 2 ELSE 0 END",
                &params![
                    id,
                    state.as_str(),
                    error,
                    Some(at.min(self.now())).filter(|_| state != DeliveryState::Failed),
                    state.rank()
                ],
            )
            .await?;
        Ok(changed > 0)
    }
}

fn reported(row: &Row) -> Result<ReportedMessage, StoreError> {
    Ok(ReportedMessage {
        id: row.id("id")?,
        kind: row.text("kind")?,
        person: row.opt_id("person")?,
        request: row.opt_id("partition_key")?,
    })
}
