//! Queues and cancels outbound messages.
//! A message is queued only once per idempotency key, and it is cancelled if its cause ends.

use super::super::faults::CommitPart;
use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

use crate::base::{
    CallId, MessageId, PersonId, PiiId, Problem, RequestId, RunId, Timestamp, TypedId, limits,
};
use crate::params;
use crate::store::contact::ContactId;
use crate::store::error::StoreError;
use crate::store::param::{ColumnType, Param};
use crate::store::pii;
use crate::store::rows::Rows;
use crate::store::tx::Tx;
use crate::template::Rendered;

/// The cause of a message. A message whose cause has ended is not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// The kind of row that caused the message, as the domain names it:
    /// `offer`, `request`, `run` or `inbound`.
    pub kind: &'static str,
    /// The id of the row that caused the message.
    pub id: Option<Uuid>,
}

/// The stored cause of a queued message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCause {
    /// The kind of row that caused the message, as in [`Cause`].
    pub kind: String,
    /// The id of the row that caused the message.
    pub id: Option<Uuid>,
}

/// A message to be queued.
#[derive(Debug, Clone)]
pub struct OutboxMessage {
    /// The idempotency key, `msg:{request}:{person}:{kind}`: a second message with this key is never sent.
    pub key: String,
    /// The request that the message belongs to.
    pub request: Option<RequestId>,
    /// The run that decided to send the message.
    pub run: Option<RunId>,
    /// The call that decided to send the message.
    pub call: Option<CallId>,
    /// The person that the message is for.
    pub person: Option<PersonId>,
    /// The contact of the phone number that the message goes to.
    pub contact: ContactId,
    /// The body of the message. Only the template module can create a value of this type.
    pub rendered: Rendered,
    /// The cause of the message.
    pub cause: Cause,
    /// The first instant at which policy permits the message to be sent.
    pub not_before: Timestamp,
    /// The instant after which the message is no longer useful; `None` if it stays useful.
    pub not_after: Option<Timestamp>,
    /// Whether the message is *unasked*: its recipient did nothing that prompts it.
    /// The number of unasked messages is limited.
    pub unasked: bool,
}

/// The result of queueing a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Queued {
    /// The message is queued and waits for its release.
    New(MessageId),
    /// The message is not queued, because an earlier message has the same key. The value is this key.
    Duplicate(String),
}

const COLUMNS: &[(&str, ColumnType)] = &[
    ("id", ColumnType::Id),
    ("tenant", ColumnType::Text),
    ("key", ColumnType::Text),
    ("partition_key", ColumnType::Id),
    ("run_id", ColumnType::Id),
    ("call_id", ColumnType::Id),
    ("kind", ColumnType::Text),
    ("contact", ColumnType::Bytes),
    ("person", ColumnType::Id),
    ("body", ColumnType::Id),
    ("segments", ColumnType::Int),
    ("cause_kind", ColumnType::Text),
    ("cause_id", ColumnType::Id),
    ("not_before", ColumnType::Int),
    ("not_after", ColumnType::Int),
    ("created_at", ColumnType::Int),
    ("bulk", ColumnType::Int),
    ("unasked", ColumnType::Int),
    ("correlation", ColumnType::Id),
];

/// The kind of cause that marks a message as an answer to an inbound message.
/// Such an answer is sent before other messages.
const ANSWER: &str = "inbound";

impl Tx {
    /// Queues messages with a few set-based statements. Returns the results in the order of `messages`.
    ///
    /// # Errors
    /// `message_too_long` for a message that is longer than carriers accept.
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
                rows.push(self.queue_row(tenant, id, body, &message));
            }
        }
        let stored = self.insert_queued(&rows).await?;
        let mut pii = Rows::new(&[("id", ColumnType::Id), ("value", ColumnType::Text)]);
        for (body, text) in bodies.iter().filter(|(id, _)| stored.contains(id)).map(|(_, b)| b) {
            pii.push([(*body).into(), Param::from(text)]);
        }
        pii::insert(self, &pii).await?;
        answers.sort_unstable_by_key(|(place, ..)| *place);
        Ok(answers
            .into_iter()
            .map(
                |(_, id, key)| {
                    if stored.contains(&id) { Queued::New(id) } else { Queued::Duplicate(key) }
                },
            )
            .collect())
    }

    fn queue_row(
        &mut self,
        tenant: &str,
        id: MessageId,
        body: PiiId,
        message: &OutboxMessage,
    ) -> [Param; 19] {
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
            (message.cause.kind != ANSWER).into(),
            message.unasked.into(),
            self.correlation_beside(message.run).into(),
        ]
    }

    async fn insert_queued(&mut self, rows: &Rows) -> Result<BTreeSet<MessageId>, StoreError> {
        if rows.is_empty() {
            return Ok(BTreeSet::new());
        }
        self.note_outbox();
        self.record_part(CommitPart::Outbox);
        let stored = self
            .bulk(
                "INSERT INTO outbox (id, tenant, key, partition_key, run_id, call_id, kind, contact, person,
                    body, segments, cause_kind, cause_id, not_before, not_after, state, attempt, created_at,
                    bulk, unasked, correlation)
                 SELECT id, tenant, key, partition_key, run_id, call_id, kind, contact, person,
                    body, segments, cause_kind, cause_id, not_before, not_after, 'queued', 0, created_at,
                    bulk, unasked, coalesce((SELECT r.correlation FROM run r WHERE r.id = v.run_id), v.correlation)
                 FROM {rows} WHERE true ON CONFLICT (tenant, key) DO NOTHING RETURNING id",
                &[],
                rows,
            )
            .await?;
        stored.iter().map(|row| row.id("id")).collect()
    }

    /// Cancels the queued messages of a request that have one of these causes, and returns the
    /// causes of the cancelled messages. Messages that are no longer queued stay unchanged.
    pub async fn cancel_queued<T: TypedId>(
        &mut self,
        request: RequestId,
        cause_kind: &str,
        causes: &[T],
        reason: &str,
    ) -> Result<Vec<T>, StoreError> {
        let rows = Rows::ids(causes);
        let cancelled = self
            .bulk(
                "UPDATE outbox SET state = 'cancelled', error = $3
                 WHERE partition_key = $1 AND {state} = 'queued' AND cause_kind = $2
                    AND cause_id IN (SELECT id FROM {rows})
                 RETURNING cause_id",
                &params![request, cause_kind, reason],
                &rows,
            )
            .await?;
        cancelled.iter().map(|row| row.id("cause_id")).collect()
    }
}

fn check_length(rendered: &Rendered) -> Result<(), Problem> {
    let segments = rendered.segments().segments;
    if segments <= limits::MESSAGE_SEGMENTS_MAX {
        return Ok(());
    }
    Err(Problem::author(
        "message_too_long",
        format!("the text of `{}` is too long: {segments} segments", rendered.template()),
    )
    .with_hint("shorten the template or the values that it is given"))
}
