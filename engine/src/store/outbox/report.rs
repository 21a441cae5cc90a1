//! Delivery reports: what a provider says of a message that it has taken. Reports arrive late, twice, and
//! in any order.

use super::super::faults::Part;
use crate::base::{MessageId, PersonId, RequestId, Timestamp};
use crate::params;
use crate::store::error::StoreError;
use crate::store::row::Row;
use crate::store::tx::Tx;

/// The state that a provider reports of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryState {
    /// The provider has taken the message.
    Sent,
    /// The carrier has confirmed that it arrived.
    Delivered,
    /// The carrier could not deliver it.
    Undelivered,
    /// The provider gave it up: it never left.
    Failed,
}

impl DeliveryState {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Sent, Self::Delivered, Self::Undelivered, Self::Failed];

    /// The message's state.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Delivered => "delivered",
            Self::Undelivered => "undelivered",
            Self::Failed => "failed",
        }
    }

    /// The state of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }

    /// True where the message reached nobody.
    #[must_use]
    pub const fn is_failure(self) -> bool {
        matches!(self, Self::Undelivered | Self::Failed)
    }

    /// A message moves to a state of a higher rank only. So of two final reports the first holds, and a
    /// `sent` that arrives after it changes nothing.
    const fn rank(self) -> i64 {
        match self {
            Self::Sent => 1,
            Self::Delivered | Self::Undelivered | Self::Failed => 2,
        }
    }
}

/// The id by which a provider names a message in its report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReportedId {
    /// Ours, which the provider was given.
    Ours(MessageId),
    /// The provider's own.
    Providers(String),
}

/// A message that a report is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedMessage {
    /// Our id.
    pub id: MessageId,
    /// The template.
    pub kind: String,
    /// The person it was for.
    pub person: Option<PersonId>,
    /// The request it belongs to.
    pub request: Option<RequestId>,
}

impl Tx {
    /// The message of a tenant that a report names.
    pub async fn reported(
        &mut self,
        tenant: &str,
        id: &ReportedId,
    ) -> Result<Option<ReportedMessage>, StoreError> {
        let row = match id {
            ReportedId::Ours(id) => {
                self.row(
                    "SELECT id, kind, person, partition_key FROM outbox WHERE tenant = $1 AND id = $2",
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

    /// Moves a message to the state that its provider reports, unless it has reached that rank before;
    /// false where nothing changes. A message that was never handed over stays as it is. One whose fate was
    /// in doubt, or that was to be sent again, has left: the report proves it.
    pub async fn report_delivery(
        &mut self,
        id: MessageId,
        (state, error): (DeliveryState, Option<&str>),
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        self.holds(Part::Answer);
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
        id: row.id(0)?,
        kind: row.text(1)?,
        person: row.opt_id(2)?,
        request: row.opt_id(3)?,
    })
}
