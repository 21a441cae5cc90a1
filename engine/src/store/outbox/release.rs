//! The release of queued messages: those whose time has come, one by one as today's policy has it.

use super::super::faults::Part;
use std::collections::BTreeSet;

use uuid::Uuid;

use super::{cause_id, id_rows};
use crate::base::{MessageId, PersonId, RunId, Timestamp};
use crate::params;
use crate::store::contact::ContactId;
use crate::store::error::StoreError;
use crate::store::row::Row;
use crate::store::tx::Tx;

/// A queued message whose time has come, with what its release must look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Our id.
    pub id: MessageId,
    /// The tenant.
    pub tenant: String,
    /// The number's contact.
    pub contact: ContactId,
    /// Whether the number opted out.
    pub suppressed: bool,
    /// Why it is sent.
    pub cause: (String, Option<Uuid>),
    /// When it would make no sense any more.
    pub not_after: Option<Timestamp>,
    /// What it costs.
    pub segments: i64,
    /// The template.
    pub kind: String,
    /// The run that decided it.
    pub run: Option<RunId>,
    /// To whom.
    pub person: Option<PersonId>,
    /// How often it was released before.
    pub attempts: i64,
}

impl Tx {
    /// Queued messages whose time has come, in the order in which they may leave.
    pub async fn release_candidates(
        &mut self,
        now: Timestamp,
        limit: i64,
    ) -> Result<Vec<Candidate>, StoreError> {
        let rows = self
            .rows(
                "SELECT o.id, o.tenant, o.contact, c.suppressed, o.cause_kind, o.cause_id, o.not_after, o.segments,
                    o.kind, o.run_id, o.person, o.attempt
                 FROM outbox o JOIN contact c ON c.tenant = o.tenant AND c.id = o.contact
                    JOIN tenant t ON t.id = o.tenant
                 WHERE o.state = 'queued' AND o.not_before <= $1 AND t.paused = 0
                 ORDER BY o.not_before, o.id LIMIT $2",
                &params![now, limit],
            )
            .await?;
        rows.iter().map(candidate).collect()
    }

    /// Locks queued messages for their release; those that another node took meanwhile are left out.
    pub async fn lock_queued(
        &mut self,
        ids: &[MessageId],
    ) -> Result<BTreeSet<MessageId>, StoreError> {
        let rows = self
            .bulk(
                "SELECT o.id FROM outbox o WHERE o.id IN (SELECT id FROM {rows}) AND o.state = 'queued'
                 ORDER BY o.id {for_update} {skip_locked}",
                &[],
                &id_rows(ids),
            )
            .await?;
        rows.iter().map(|row| row.id(0)).collect()
    }

    /// Marks messages as being sent: nobody may ask about them before `deadline`.
    pub async fn mark_sending(
        &mut self,
        ids: &[MessageId],
        (start_by, deadline): (Timestamp, Timestamp),
    ) -> Result<(), StoreError> {
        self.holds(Part::Release);
        self.bulk(
            "UPDATE outbox SET state = 'sending', attempt = outbox.attempt + 1, start_by = $1, deadline = $2
             FROM {rows} WHERE outbox.id = v.id",
            &params![start_by, deadline],
            &id_rows(ids),
        )
        .await
        .map(drop)
    }

    /// Ends queued messages without sending them.
    pub async fn end_queued(
        &mut self,
        ids: &[MessageId],
        state: &str,
        error: &str,
    ) -> Result<(), StoreError> {
        if ids.is_empty() {
            return Ok(());
        }
        self.bulk(
            "UPDATE outbox SET state = $1, error = $2 FROM {rows} WHERE outbox.id = v.id AND outbox.state = 'queued'",
            &params![state, error],
            &id_rows(ids),
        )
        .await
        .map(drop)
    }

    /// Moves the release of queued messages: policy does not permit them before `until`.
    pub async fn hold_queued(
        &mut self,
        ids: &[MessageId],
        until: Timestamp,
    ) -> Result<(), StoreError> {
        if ids.is_empty() {
            return Ok(());
        }
        self.note_outbox();
        self.bulk(
            "UPDATE outbox SET not_before = $1, permitted_at = NULL FROM {rows} WHERE outbox.id = v.id AND outbox.state = 'queued'",
            &params![until],
            &id_rows(ids),
        )
        .await
        .map(drop)
    }

    /// The latest first permitted send of the messages that a run's calls decided: its waits begin
    /// there. What answers a person who wrote (no call decided it) moves no wait, and neither does a
    /// message that goes again because the process died over it or the provider did not take it.
    pub async fn last_permitted_send(
        &mut self,
        run: RunId,
    ) -> Result<Option<Timestamp>, StoreError> {
        let row = self
            .row(
                "SELECT MAX(at) FROM (
                    SELECT at FROM (SELECT not_before AS at FROM outbox
                        WHERE run_id = $1 AND call_id IS NOT NULL AND permitted_at IS NULL
                        ORDER BY run_id DESC, not_before DESC LIMIT 1) first_time
                    UNION ALL
                    SELECT at FROM (SELECT permitted_at AS at FROM outbox
                        WHERE run_id = $1 AND call_id IS NOT NULL AND permitted_at IS NOT NULL
                        ORDER BY run_id DESC, permitted_at DESC LIMIT 1) again) permitted",
                &params![run],
            )
            .await?;
        row.map_or(Ok(None), |row| row.opt_at(0))
    }
}

fn candidate(row: &Row) -> Result<Candidate, StoreError> {
    Ok(Candidate {
        id: row.id(0)?,
        tenant: row.text(1)?,
        contact: ContactId(row.digest(2)?),
        suppressed: row.flag(3)?,
        cause: (row.text(4)?, cause_id(row, 5)?),
        not_after: row.opt_at(6)?,
        segments: row.int(7)?,
        kind: row.text(8)?,
        run: row.opt_id(9)?,
        person: row.opt_id(10)?,
        attempts: row.int(11)?,
    })
}
