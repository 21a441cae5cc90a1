//! What a kill switch holds back, and what a resumed tenant may send again.

use uuid::Uuid;

use super::cause_id;
use crate::base::{RequestId, Timestamp};
use crate::params;
use crate::store::error::StoreError;
use crate::store::tx::Tx;

/// A message that a kill switch holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldSend {
    /// The request it belongs to.
    pub request: Option<RequestId>,
    /// Why it is sent.
    pub cause: (String, Option<Uuid>),
}

impl Tx {
    /// Queued messages of a tenant whose time has come: what a kill switch holds.
    pub async fn held_sends(
        &mut self,
        tenant: &str,
        now: Timestamp,
    ) -> Result<Vec<HeldSend>, StoreError> {
        let rows = self
            .rows(
                "SELECT partition_key, cause_kind, cause_id FROM outbox
                 WHERE tenant = $1 AND state = 'queued' AND not_before < $2 ORDER BY id",
                &params![tenant, now],
            )
            .await?;
        rows.iter()
            .map(|row| {
                Ok(HeldSend { request: row.opt_id(0)?, cause: (row.text(1)?, cause_id(row, 2)?) })
            })
            .collect()
    }

    /// Everything that a resumed tenant could not send while it was paused is permitted from now;
    /// with `shift` it makes sense for as long after it as was planned.
    pub async fn permit_from(
        &mut self,
        tenant: &str,
        now: Timestamp,
        shift: bool,
    ) -> Result<(), StoreError> {
        self.note_outbox();
        self.execute(
            "UPDATE outbox SET not_before = $2, permitted_at = NULL,
                not_after = CASE WHEN $3 = 1 THEN not_after + ($2 - not_before) ELSE not_after END
             WHERE tenant = $1 AND state = 'queued' AND not_before < $2",
            &params![tenant, now, shift],
        )
        .await
        .map(drop)
    }
}
