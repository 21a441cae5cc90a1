//! Every text that leaves: decided once by its key, released under today's policy, proven by the
//! provider's answer.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

use super::contact::ContactId;
use super::error::StoreError;
use super::param::{Kind, Param};
use super::row::Row;
use super::rows::Rows;
use super::tx::Tx;
use crate::base::{
    CallId, MessageId, PersonId, PiiId, Problem, RequestId, RunId, Timestamp, limits,
};
use crate::params;
use crate::template::Rendered;

/// Why a message is sent; it ends unsent when its cause has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// The domain's word: `offer`, `request`, `run`, `inbound`.
    pub kind: &'static str,
    /// The row.
    pub id: Option<Uuid>,
}

/// A text that somebody decided to send.
#[derive(Debug, Clone)]
pub struct OutboxMessage {
    /// `msg:{request}:{person}:{kind}`: a second one with this key is never sent.
    pub key: String,
    /// The request it belongs to.
    pub request: Option<RequestId>,
    /// The run that decided it.
    pub run: Option<RunId>,
    /// The call that decided it.
    pub call: Option<CallId>,
    /// The person it is for.
    pub person: Option<PersonId>,
    /// The number it goes to.
    pub contact: ContactId,
    /// What it says; only the template module makes one.
    pub rendered: Rendered,
    /// Why it is sent.
    pub cause: Cause,
    /// The first instant at which policy permits it.
    pub not_before: Timestamp,
    /// When it would make no sense any more.
    pub not_after: Option<Timestamp>,
}

/// What became of a decision to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Queued {
    /// It waits for its release.
    New(MessageId),
    /// An earlier message has the same key and stands for it.
    Already(String),
}

/// Which messages to read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageQuery {
    /// Only to this number.
    pub to: Option<String>,
    /// Only from this number.
    pub from: Option<String>,
    /// Only of this request.
    pub request: Option<RequestId>,
    /// Only of this run.
    pub run: Option<RunId>,
    /// Only those older than this one.
    pub before: Option<MessageId>,
}

/// An outbound message as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentRow {
    /// Our id.
    pub id: MessageId,
    /// Its idempotency key.
    pub key: String,
    /// The template.
    pub kind: String,
    /// The number.
    pub to: String,
    /// The text.
    pub body: String,
    /// What it costs.
    pub segments: i64,
    /// Where it is on its way.
    pub state: String,
    /// How often it was tried.
    pub attempt: i64,
    /// Why it was not sent or did not arrive.
    pub error: Option<String>,
    /// The request it belongs to.
    pub request: Option<RequestId>,
    /// The run that decided it.
    pub run: Option<RunId>,
    /// The person it is for.
    pub person: Option<PersonId>,
    /// When it was decided.
    pub created_at: Timestamp,
    /// When it was sent.
    pub sent_at: Option<Timestamp>,
}

const COLUMNS: &[(&str, Kind)] = &[
    ("id", Kind::Id),
    ("tenant", Kind::Text),
    ("key", Kind::Text),
    ("partition_key", Kind::Id),
    ("run_id", Kind::Id),
    ("call_id", Kind::Id),
    ("kind", Kind::Text),
    ("contact", Kind::Bytes),
    ("person", Kind::Id),
    ("body", Kind::Id),
    ("segments", Kind::Int),
    ("cause_kind", Kind::Text),
    ("cause_id", Kind::Id),
    ("not_before", Kind::Int),
    ("not_after", Kind::Int),
    ("created_at", Kind::Int),
];

/// A message on its way to the gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// Our id; the gateway can be asked for it.
    pub id: MessageId,
    /// The tenant.
    pub tenant: String,
    /// The template.
    pub kind: String,
    /// The number.
    pub to: String,
    /// The text.
    pub body: String,
    /// How often it was tried, this time included.
    pub attempt: i64,
    /// The person it is for.
    pub person: Option<PersonId>,
    /// The request it belongs to.
    pub request: Option<RequestId>,
    /// The run that decided it.
    pub run: Option<RunId>,
    /// Until when nobody may ask what became of the last attempt.
    pub deadline: Option<Timestamp>,
}

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
}

/// A message that a kill switch holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldSend {
    /// The request it belongs to.
    pub request: Option<RequestId>,
    /// Why it is sent.
    pub cause: (String, Option<Uuid>),
}

impl Tx {
    /// Queues texts; each answer in its place. Texts and rows are written set-based.
    ///
    /// # Errors
    /// `message_too_long` for a text beyond what carriers take as one message.
    pub async fn queue(
        &mut self,
        tenant: &str,
        messages: Vec<OutboxMessage>,
    ) -> Result<Vec<Queued>, Problem> {
        let mut sorted: Vec<(usize, OutboxMessage)> = messages.into_iter().enumerate().collect();
        sorted.sort_by(|a, b| a.1.key.cmp(&b.1.key).then(a.0.cmp(&b.0)));
        let mut rows = Rows::new(COLUMNS);
        let mut bodies: BTreeMap<MessageId, (PiiId, String)> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        let mut answers: Vec<(usize, MessageId, String)> = Vec::with_capacity(sorted.len());
        for (place, message) in sorted {
            check_length(&message.rendered)?;
            let (id, body): (MessageId, PiiId) = (self.mint(), self.mint());
            answers.push((place, id, message.key.clone()));
            if seen.insert(message.key.clone()) {
                bodies.insert(id, (body, message.rendered.body().to_owned()));
                rows.push(self.queue_row(tenant, (id, body), &message));
            }
        }
        let stored = self.insert_queued(&rows).await?;
        let mut pii = Rows::new(&[("id", Kind::Id), ("value", Kind::Text)]);
        for (body, text) in bodies.iter().filter(|(id, _)| stored.contains(id)).map(|(_, b)| b) {
            pii.push([(*body).into(), Param::from(text)]);
        }
        super::pii::insert(self, &pii).await?;
        answers.sort_unstable_by_key(|(place, ..)| *place);
        Ok(answers
            .into_iter()
            .map(
                |(_, id, key)| {
                    if stored.contains(&id) { Queued::New(id) } else { Queued::Already(key) }
                },
            )
            .collect())
    }

    fn queue_row(
        &self,
        tenant: &str,
        (id, body): (MessageId, PiiId),
        message: &OutboxMessage,
    ) -> [Param; 16] {
        [
            id.into(),
            tenant.into(),
            Param::from(&message.key),
            message.request.into(),
            message.run.into(),
            message.call.into(),
            message.rendered.template().into(),
            message.contact.into(),
            message.person.into(),
            body.into(),
            i64::try_from(message.rendered.segments().segments).unwrap_or(i64::MAX).into(),
            message.cause.kind.into(),
            Param::Id(message.cause.id),
            message.not_before.into(),
            message.not_after.into(),
            self.now().into(),
        ]
    }

    async fn insert_queued(&mut self, rows: &Rows) -> Result<BTreeSet<MessageId>, StoreError> {
        if rows.is_empty() {
            return Ok(BTreeSet::new());
        }
        self.note_outbox();
        let stored = self
            .bulk(
                "INSERT INTO outbox (id, tenant, key, partition_key, run_id, call_id, kind, contact, person,
                    body, segments, cause_kind, cause_id, not_before, not_after, state, attempt, created_at)
                 SELECT id, tenant, key, partition_key, run_id, call_id, kind, contact, person,
                    body, segments, cause_kind, cause_id, not_before, not_after, 'queued', 0, created_at
                 FROM {rows} WHERE true ON CONFLICT (tenant, key) DO NOTHING RETURNING id",
                &[],
                rows,
            )
            .await?;
        stored.iter().map(|row| row.id(0)).collect()
    }

    /// Queued messages whose time has come, in the order in which they may leave.
    pub async fn release_candidates(
        &mut self,
        now: Timestamp,
        limit: i64,
    ) -> Result<Vec<Candidate>, StoreError> {
        let rows = self
            .rows(
                "SELECT o.id, o.tenant, o.contact, c.suppressed, o.cause_kind, o.cause_id, o.not_after, o.segments,
                    o.kind, o.run_id
                 FROM outbox o JOIN contact c ON c.tenant = o.tenant AND c.id = o.contact
                    JOIN tenant t ON t.id = o.tenant
                 WHERE o.state = 'queued' AND o.not_before <= $1 AND t.paused = 0
                 ORDER BY o.not_before, o.id LIMIT $2",
                &params![now, limit],
            )
            .await?;
        rows.iter()
            .map(|row| {
                Ok(Candidate {
                    id: row.id(0)?,
                    tenant: row.text(1)?,
                    contact: ContactId(row.digest(2)?),
                    suppressed: row.flag(3)?,
                    cause: (
                        row.text(4)?,
                        row.opt_id::<crate::base::StreamId>(5)?.map(crate::base::TypedId::uuid),
                    ),
                    not_after: row.opt_at(6)?,
                    segments: row.int(7)?,
                    kind: row.text(8)?,
                    run: row.opt_id(9)?,
                })
            })
            .collect()
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
            "UPDATE outbox SET not_before = $1 FROM {rows} WHERE outbox.id = v.id AND outbox.state = 'queued'",
            &params![until],
            &id_rows(ids),
        )
        .await
        .map(drop)
    }

    /// Cancels the queued messages that have this cause; how many there were.
    pub async fn cancel_queued(
        &mut self,
        request: RequestId,
        cause_kind: &str,
        reason: &str,
    ) -> Result<u64, StoreError> {
        self.execute(
            "UPDATE outbox SET state = 'cancelled', error = $3
             WHERE partition_key = $1 AND state = 'queued' AND cause_kind = $2",
            &params![request, cause_kind, reason],
        )
        .await
    }

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
                let uuid = |id: Option<crate::base::StreamId>| id.map(crate::base::TypedId::uuid);
                Ok(HeldSend {
                    request: row.opt_id(0)?,
                    cause: (row.text(1)?, uuid(row.opt_id(2)?)),
                })
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
            "UPDATE outbox SET not_before = $2,
                not_after = CASE WHEN $3 = 1 THEN not_after + ($2 - not_before) ELSE not_after END
             WHERE tenant = $1 AND state = 'queued' AND not_before < $2",
            &params![tenant, now, shift],
        )
        .await
        .map(drop)
    }

    /// The messages with these ids, ready for the gateway.
    pub async fn outgoing(&mut self, ids: &[MessageId]) -> Result<Vec<Outgoing>, StoreError> {
        let rows = self
            .bulk(
                "SELECT o.id, o.tenant, o.kind, n.value, b.value, o.attempt, o.person, o.partition_key, o.run_id, o.deadline
                 FROM outbox o JOIN contact c ON c.tenant = o.tenant AND c.id = o.contact
                    JOIN pii n ON n.id = c.phone JOIN pii b ON b.id = o.body
                 WHERE o.id IN (SELECT id FROM {rows}) ORDER BY o.not_before, o.id",
                &[],
                &id_rows(ids),
            )
            .await?;
        rows.iter().map(outgoing).collect()
    }

    /// Messages whose last attempt has no known answer although its deadline has passed.
    pub async fn overdue_sends(
        &mut self,
        now: Timestamp,
        limit: i64,
    ) -> Result<Vec<Outgoing>, StoreError> {
        let rows = self
            .rows(
                "SELECT o.id, o.tenant, o.kind, n.value, b.value, o.attempt, o.person, o.partition_key, o.run_id, o.deadline
                 FROM outbox o JOIN contact c ON c.tenant = o.tenant AND c.id = o.contact
                    JOIN pii n ON n.id = c.phone JOIN pii b ON b.id = o.body
                 WHERE o.state = 'sending' AND o.deadline <= $1 ORDER BY o.deadline, o.id LIMIT $2",
                &params![now, limit],
            )
            .await?;
        rows.iter().map(outgoing).collect()
    }

    /// Writes what became of an attempt; false if the row has moved on meanwhile.
    pub async fn sent(
        &mut self,
        (id, attempt): (MessageId, i64),
        state: &str,
        provider_ref: Option<&str>,
        error: Option<&str>,
    ) -> Result<bool, StoreError> {
        let now = self.now();
        let changed = self
            .execute(
                "UPDATE outbox SET state = $3, provider_ref = $4, error = $5,
                    sent_at = CASE WHEN $3 = 'sent' THEN $6 ELSE sent_at END
                 WHERE id = $1 AND attempt = $2 AND state IN ('sending', 'unknown')",
                &params![id, attempt, state, provider_ref, error, now],
            )
            .await?;
        Ok(changed > 0)
    }

    /// Queues an attempt anew that surely did not reach the provider.
    pub async fn send_again(
        &mut self,
        (id, attempt): (MessageId, i64),
        at: Timestamp,
        error: &str,
    ) -> Result<(), StoreError> {
        self.note_outbox();
        self.execute(
            "UPDATE outbox SET state = 'queued', not_before = $3, error = $4
             WHERE id = $1 AND attempt = $2 AND state = 'sending'",
            &params![id, attempt, at, error],
        )
        .await
        .map(drop)
    }

    /// Nobody can tell yet what became of a message: ask again at `at`.
    pub async fn ask_later(&mut self, id: MessageId, at: Timestamp) -> Result<(), StoreError> {
        self.note_outbox();
        self.execute(
            "UPDATE outbox SET deadline = $2 WHERE id = $1 AND state = 'sending'",
            &params![id, at],
        )
        .await
        .map(drop)
    }

    /// When the outbox needs attention next: a release, or an attempt whose answer is missing.
    pub async fn next_outbox_due(&mut self) -> Result<Option<Timestamp>, StoreError> {
        let queued = self
            .row(
                "SELECT o.not_before FROM outbox o JOIN tenant t ON t.id = o.tenant
                 WHERE o.state = 'queued' AND t.paused = 0 ORDER BY o.not_before, o.id LIMIT 1",
                &[],
            )
            .await?;
        let sending = self
            .row(
                "SELECT deadline FROM outbox WHERE state = 'sending' ORDER BY deadline, id LIMIT 1",
                &[],
            )
            .await?;
        let queued = queued.map(|row| row.at(0)).transpose()?;
        let sending = sending.map(|row| row.at(0)).transpose()?;
        Ok(queued.into_iter().chain(sending).min())
    }

    /// The latest first permitted send of the messages that a run's calls decided: its waits begin
    /// there. What answers a person who wrote (no call decided it) moves no wait.
    pub async fn last_permitted_send(
        &mut self,
        run: RunId,
    ) -> Result<Option<Timestamp>, StoreError> {
        let row = self
            .row(
                "SELECT not_before FROM outbox WHERE run_id = $1 AND call_id IS NOT NULL
                 ORDER BY run_id DESC, not_before DESC LIMIT 1",
                &params![run],
            )
            .await?;
        row.map(|row| row.at(0)).transpose()
    }

    /// Outbound messages of a tenant, newest first.
    pub async fn sent_page(
        &mut self,
        tenant: &str,
        query: &MessageQuery,
        limit: i64,
    ) -> Result<Vec<SentRow>, StoreError> {
        let contact = query.to.as_ref().map(|to| self.contact_id(tenant, to));
        let rows = self
            .rows(
                "SELECT o.id, o.key, o.kind, n.value, b.value, o.segments, o.state, o.attempt, o.error,
                    o.partition_key, o.run_id, o.person, o.created_at, o.sent_at
                 FROM outbox o JOIN contact c ON c.tenant = o.tenant AND c.id = o.contact
                    JOIN pii n ON n.id = c.phone JOIN pii b ON b.id = o.body
                 WHERE o.tenant = $1 AND ($2 IS NULL OR o.contact = $2) AND ($3 IS NULL OR o.partition_key = $3)
                    AND ($4 IS NULL OR o.run_id = $4) AND ($5 IS NULL OR o.id < $5)
                 ORDER BY o.id DESC LIMIT $6",
                &params![
                    tenant,
                    contact.map(|c| c.0),
                    query.request,
                    query.run,
                    query.before,
                    limit
                ],
            )
            .await?;
        rows.iter().map(sent_row).collect()
    }

    /// How many messages of a tenant wait for their release.
    pub async fn queued(&mut self, tenant: &str) -> Result<i64, StoreError> {
        let row = self
            .row(
                "SELECT COUNT(*) FROM outbox WHERE tenant = $1 AND state = 'queued'",
                &params![tenant],
            )
            .await?;
        row.map_or(Ok(0), |row| row.int(0))
    }

    /// How many messages of a tenant are at the gateway whose deadline has not passed.
    pub async fn in_flight(&mut self, tenant: &str, now: Timestamp) -> Result<i64, StoreError> {
        let row = self
            .row(
                "SELECT COUNT(*) FROM outbox WHERE tenant = $1 AND state = 'sending' AND deadline > $2",
                &params![tenant, now],
            )
            .await?;
        row.map_or(Ok(0), |row| row.int(0))
    }
}

fn check_length(rendered: &Rendered) -> Result<(), Problem> {
    let segments = rendered.segments().segments;
    if segments <= limits::MESSAGE_SEGMENTS_MAX {
        return Ok(());
    }
    Err(Problem::author(
        "message_too_long",
        format!("`{}` came to {segments} segments", rendered.template()),
    )
    .with_hint("shorten the template or the values that it is given"))
}

fn id_rows(ids: &[MessageId]) -> Rows {
    let mut rows = Rows::new(&[("id", Kind::Id)]);
    let mut sorted = ids.to_vec();
    sorted.sort_unstable();
    for id in sorted {
        rows.push([id.into()]);
    }
    rows
}

fn sent_row(row: &Row) -> Result<SentRow, StoreError> {
    Ok(SentRow {
        id: row.id(0)?,
        key: row.text(1)?,
        kind: row.text(2)?,
        to: row.opt_text(3)?.unwrap_or_default(),
        body: row.opt_text(4)?.unwrap_or_default(),
        segments: row.int(5)?,
        state: row.text(6)?,
        attempt: row.int(7)?,
        error: row.opt_text(8)?,
        request: row.opt_id(9)?,
        run: row.opt_id(10)?,
        person: row.opt_id(11)?,
        created_at: row.at(12)?,
        sent_at: row.opt_at(13)?,
    })
}

fn outgoing(row: &Row) -> Result<Outgoing, StoreError> {
    Ok(Outgoing {
        id: row.id(0)?,
        tenant: row.text(1)?,
        kind: row.text(2)?,
        to: row.opt_text(3)?.unwrap_or_default(),
        body: row.opt_text(4)?.unwrap_or_default(),
        attempt: row.int(5)?,
        person: row.opt_id(6)?,
        request: row.opt_id(7)?,
        run: row.opt_id(8)?,
        deadline: row.opt_at(9)?,
    })
}
