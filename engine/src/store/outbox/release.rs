//! SQL of the release: finds and locks the queued messages that are due,
//! and marks each message as being sent, postponed or ended.

use super::super::faults::CommitPart;
use std::collections::BTreeSet;

use super::{StoredCause, stored_cause};
use crate::base::{MessageId, PersonId, RequestId, RunId, Timestamp};
use crate::params;
use crate::store::contact::ContactId;
use crate::store::error::StoreError;
use crate::store::param::ColumnType;
use crate::store::row::Row;
use crate::store::rows::Rows;
use crate::store::tx::Tx;

/// A queued message that is due, with the data that decides whether it is released.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The id of the message.
    pub id: MessageId,
    /// The contact of the phone number that the message goes to.
    pub contact: ContactId,
    /// The cause of the message.
    pub cause: StoredCause,
    /// The instant after which the message is no longer useful; `None` if it stays useful.
    pub not_after: Option<Timestamp>,
    /// The person that the message is for.
    pub person: Option<PersonId>,
    /// Number of earlier releases.
    pub attempts: i64,
    /// The request that the message belongs to.
    pub request: Option<RequestId>,
    /// The instant from which the message may be sent.
    pub not_before: Timestamp,
    /// Whether the limits on unasked messages apply to this message.
    pub unasked: bool,
    /// The name of the template that the message was made from.
    pub kind: String,
}

// In the statements below that take messages by their ids, `state || '' = 'queued'` keeps SQLite from the index of the
// queued messages, which it would read whole, to the ids.

impl Tx {
    /// Returns the ids of the tenants that have a message which may be sent at `now`, in ascending order.
    /// Leaves out tenants whose kill switch is on. Messages to a recipient to whom another message is
    /// being sent now do not count.
    pub async fn tenants_to_release(&mut self, now: Timestamp) -> Result<Vec<String>, StoreError> {
        let rows = self
            .rows(
                concat!(
                    "SELECT id FROM (",
                    first_of_tenants!(),
                    ") first WHERE answer <= $1 OR other <= $1 ORDER BY id"
                ),
                &params![now],
            )
            .await?;
        rows.iter().map(|row| row.text("id")).collect()
    }

    /// Returns at most `limit` queued messages of a tenant that are due.
    /// Answers to people who wrote come first. The other messages follow, those with the earliest planned
    /// time first.
    /// Leaves out messages to a recipient to whom another message is being sent now.
    pub async fn release_candidates(
        &mut self,
        tenant: &str,
        now: Timestamp,
        limit: i64,
    ) -> Result<Vec<Candidate>, StoreError> {
        let rows = self
            .rows(
                concat!(
                    "SELECT o.id, o.contact, o.cause_kind, o.cause_id, o.not_after, o.person, o.attempt,
                        o.partition_key, o.not_before, o.unasked, o.kind
                     FROM outbox o WHERE o.tenant = $1 AND o.state = 'queued' AND o.not_before <= $2 AND ",
                    recipient_is_free!(),
                    " ORDER BY o.bulk, o.not_before, o.id LIMIT $3"
                ),
                &params![tenant, now, limit],
            )
            .await?;
        rows.iter().map(candidate).collect()
    }

    /// Locks the contacts of messages until the release is committed, and returns the contacts that have
    /// opted out. A later opt-out waits for this commit, and then finds the messages that are being sent.
    pub async fn lock_contacts(
        &mut self,
        tenant: &str,
        contacts: &[ContactId],
    ) -> Result<BTreeSet<ContactId>, StoreError> {
        let mut rows = Rows::new(&[("id", ColumnType::Bytes)]);
        for contact in contacts {
            rows.push([(*contact).into()]);
        }
        let locked = self
            .bulk(
                "SELECT id, suppressed FROM contact WHERE tenant || '' = $1 AND id IN (SELECT v.id FROM {rows})
                 ORDER BY contact.id {for_update}",
                &params![tenant],
                &rows,
            )
            .await?;
        let mut suppressed = BTreeSet::new();
        for row in &locked {
            if row.flag("suppressed")? {
                suppressed.insert(ContactId(row.digest("id")?));
            }
        }
        Ok(suppressed)
    }

    /// Locks queued messages for their release and returns their ids. Leaves out messages that another node
    /// is releasing, and messages to recipients to whom another message is being sent.
    pub async fn lock_queued(
        &mut self,
        ids: &[MessageId],
    ) -> Result<BTreeSet<MessageId>, StoreError> {
        let rows = self
            .bulk(
                concat!(
                    "SELECT o.id FROM outbox o
                     WHERE o.id IN (SELECT id FROM {rows}) AND o.state || '' = 'queued' AND ",
                    recipient_is_free!(),
                    " ORDER BY o.id {for_update} {skip_locked}"
                ),
                &[],
                &Rows::ids(ids),
            )
            .await?;
        rows.iter().map(|row| row.id("id")).collect()
    }

    /// Marks messages as being sent. The attempt to send a message must begin by `start_by`. If the result
    /// of the attempt is unknown, the provider is asked about the message at `deadline` at the earliest.
    pub async fn mark_sending(
        &mut self,
        ids: &[MessageId],
        start_by: Timestamp,
        deadline: Timestamp,
    ) -> Result<(), StoreError> {
        self.record_part(CommitPart::Release);
        self.bulk(
            "UPDATE outbox SET state = 'sending', attempt = outbox.attempt + 1, start_by = $1, deadline = $2
             FROM {rows} WHERE outbox.id = v.id",
            &params![start_by, deadline],
            &Rows::ids(ids),
        )
        .await
        .map(drop)
    }

    /// Ends queued messages without sending them: sets their state to `state`, with the reason `error`.
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
            "UPDATE outbox SET state = $1, error = $2 FROM {rows} WHERE outbox.id = v.id AND outbox.state || '' = 'queued'",
            &params![state, error],
            &Rows::ids(ids),
        )
        .await
        .map(drop)
    }

    /// Postpones queued messages to `until`, because policy does not permit them earlier.
    /// `not_after` is moved by as much as `not_before`, so that each message stays useful for as long as
    /// planned. Returns the postponed messages. Leaves out messages that are no longer queued or are
    /// already planned for `until` or later.
    pub async fn hold_queued(
        &mut self,
        ids: &[MessageId],
        until: Timestamp,
    ) -> Result<Vec<MessageId>, StoreError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        self.note_outbox();
        let moved = self
            .bulk(
                "UPDATE outbox SET not_before = $1, permitted_at = NULL,
                    not_after = not_after + ($1 - not_before)
                 WHERE id IN (SELECT o.id FROM outbox o WHERE o.id IN (SELECT id FROM {rows})
                    AND o.state || '' = 'queued' AND o.not_before < $1 ORDER BY o.id {for_update})
                 RETURNING id",
                &params![until],
                &Rows::ids(ids),
            )
            .await?;
        moved.iter().map(|row| row.id("id")).collect()
    }

    /// Returns the instant from which the run's waits count. For each message of the run, this function
    /// takes the instant at which policy first permitted the message to be sent, and returns the latest
    /// of these instants. It considers only messages that a call of the run decided to send and that were
    /// neither cancelled nor suppressed. Returns `None` if there is no such message.
    ///
    /// An answer to a person who wrote is not sent by a call, so it does not delay a wait.
    /// A message that is sent again, because the process crashed or the provider did not accept the
    /// message, delays a wait only after a long outage (see [`AttemptResult::Again`](super::AttemptResult::Again)).
    pub async fn last_permitted_send(
        &mut self,
        run: RunId,
    ) -> Result<Option<Timestamp>, StoreError> {
        if !self.may_have_messages(run).await? {
            return Ok(None);
        }
        let row = self
            .row(
                "SELECT MAX(at) AS latest FROM (
                    SELECT at FROM (SELECT not_before AS at FROM outbox
                        WHERE run_id = $1 AND call_id IS NOT NULL AND permitted_at IS NULL
                            AND state NOT IN ('cancelled', 'suppressed')
                        ORDER BY run_id DESC, not_before DESC LIMIT 1) first_time
                    UNION ALL
                    SELECT at FROM (SELECT permitted_at AS at FROM outbox
                        WHERE run_id = $1 AND call_id IS NOT NULL AND permitted_at IS NOT NULL
                            AND state NOT IN ('cancelled', 'suppressed')
                        ORDER BY run_id DESC, permitted_at DESC LIMIT 1) again) permitted",
                &params![run],
            )
            .await?;
        row.map_or(Ok(None), |row| row.opt_at("latest"))
    }
}

fn candidate(row: &Row) -> Result<Candidate, StoreError> {
    Ok(Candidate {
        id: row.id("id")?,
        contact: ContactId(row.digest("contact")?),
        cause: stored_cause(row)?,
        not_after: row.opt_at("not_after")?,
        person: row.opt_id("person")?,
        attempts: row.int("attempt")?,
        request: row.opt_id("partition_key")?,
        not_before: row.at("not_before")?,
        unasked: row.flag("unasked")?,
        kind: row.text("kind")?,
    })
}
