//! Finds the queued messages that a kill switch keeps from
//! being sent, and permits them when the tenant is resumed.

use super::{StoredCause, stored_cause};
use crate::base::{MessageId, RequestId, Timestamp};
use crate::params;
use crate::policy::ExpiryOnResume;
use crate::store::error::StoreError;
use crate::store::faults::CommitPart;
use crate::store::rows::Rows;
use crate::store::tx::Tx;

/// A queued message that a kill switch keeps from being sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldSend {
    /// The id of the message.
    pub id: MessageId,
    /// The request that the message belongs to.
    pub request: Option<RequestId>,
    /// The cause of the message.
    pub cause: StoredCause,
}

impl Tx {
    /// Returns at most `limit` queued messages of a tenant that were planned before `until`
    /// and that a kill switch keeps from being sent.
    /// Leaves out messages that [`Tx::permit_sends`] has permitted again.
    pub async fn held_sends(
        &mut self,
        tenant: &str,
        until: Timestamp,
        limit: i64,
    ) -> Result<Vec<HeldSend>, StoreError> {
        let rows = self
            .rows(
                "SELECT id, partition_key, cause_kind, cause_id FROM outbox
                 WHERE tenant = $1 AND state = 'queued' AND not_before < $2
                 ORDER BY bulk, not_before, id LIMIT $3",
                &params![tenant, until, limit],
            )
            .await?;
        rows.iter()
            .map(|row| {
                Ok(HeldSend {
                    id: row.id("id")?,
                    request: row.opt_id("partition_key")?,
                    cause: stored_cause(row)?,
                })
            })
            .collect()
    }

    /// Permits queued messages to be sent from `now` on, after their tenant was paused.
    /// With [`ExpiryOnResume::FromSend`], `not_after` is moved by as much as `not_before`, so that each
    /// message stays useful for as long as planned. Otherwise `not_after` stays unchanged.
    pub async fn permit_sends(
        &mut self,
        ids: &[MessageId],
        now: Timestamp,
        expiry: ExpiryOnResume,
    ) -> Result<(), StoreError> {
        if ids.is_empty() {
            return Ok(());
        }
        let shift = expiry == ExpiryOnResume::FromSend;
        self.record_part(CommitPart::Switch);
        self.note_outbox();
        self.bulk(
            "UPDATE outbox SET not_before = $1, permitted_at = NULL,
                not_after = CASE WHEN $2 = 1 THEN not_after + ($1 - not_before) ELSE not_after END
             WHERE id IN (SELECT o.id FROM outbox o WHERE o.id IN (SELECT id FROM {rows})
                AND o.state || '' = 'queued' AND o.not_before < $1 ORDER BY o.id {for_update})",
            &params![now, shift],
            &Rows::ids(ids),
        )
        .await
        .map(drop)
    }
}
