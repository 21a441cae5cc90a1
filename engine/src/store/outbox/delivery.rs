//! Reads the messages to be sent through the gateway, and records the results of the attempts to send them.

use std::collections::BTreeSet;

use super::super::faults::CommitPart;
use crate::base::{MessageId, PersonId, RequestId, RunId, Span, Timestamp};
use crate::params;
use crate::store::error::StoreError;
use crate::store::param::{ColumnType, Param};
use crate::store::row::Row;
use crate::store::rows::Rows;
use crate::store::tx::Tx;

/// If a provider has not accepted a message for this long, the provider counts as unavailable. Such an
/// outage prolongs waits, because people cannot answer messages that they have not received.
/// A shorter delay, for example after a crash of this process, prolongs no wait.
const OUTAGE: Span = Span::from_secs(10 * 60);

/// A message on its way to the gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// The id of the message, by which a provider can look it up.
    pub id: MessageId,
    /// The id of the tenant that sends the message.
    pub tenant: String,
    /// The name of the template that the message was made from.
    pub kind: String,
    /// The phone number that the message goes to.
    pub to: String,
    /// The body of the message.
    pub body: String,
    /// Number of attempts, including the current one.
    pub attempt: i64,
    /// The person that the message is for.
    pub person: Option<PersonId>,
    /// The request that the message belongs to.
    pub request: Option<RequestId>,
    /// The run that decided to send the message.
    pub run: Option<RunId>,
    /// The instant by which the latest attempt must begin or had to begin, if there is an attempt.
    pub start_by: Option<Timestamp>,
}

impl Outgoing {
    /// Returns the current attempt to send the message.
    #[must_use]
    pub const fn attempt(&self) -> SendAttempt {
        SendAttempt { message: self.id, attempt: self.attempt }
    }
}

/// One attempt to send a message. Its result is recorded only if no later attempt has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SendAttempt {
    /// The id of the message.
    pub message: MessageId,
    /// The number of the attempt, from 1.
    pub attempt: i64,
}

/// The result of an attempt to send a message, or of asking the provider about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttemptResult {
    /// The provider has accepted the message.
    Sent {
        /// The provider's own id of the message.
        provider_ref: String,
    },
    /// It is not known whether the provider has received the message.
    /// The engine asks the provider when the message's deadline has passed.
    InDoubt {
        /// The reason why it is not known whether the provider has received the message.
        why: String,
    },
    /// It is still not known whether the provider has received the message.
    AskAgain {
        /// The instant of the database's clock at which the provider is asked again.
        at: Timestamp,
    },
    /// The attempt certainly did not reach the provider. The message is queued again.
    /// The deadlines of waits still count from the instant at which policy first permitted the message.
    /// If `at` is later than that instant by [`OUTAGE`] or more, the deadlines count from `at` instead.
    Again {
        /// The instant at which the message is to be sent.
        at: Timestamp,
        /// The reason why the message was not sent.
        why: String,
    },
    /// The message was not sent, and the engine does not try again.
    Failed {
        /// The reason why the message was not sent.
        why: String,
    },
    /// It will never be known whether the provider has received the message. The message is not sent again.
    Unknown {
        /// The reason why it will never be known whether the provider has received the message.
        why: String,
    },
}

/// An attempt to send a message, and its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TriedSend {
    /// The attempt.
    pub attempt: SendAttempt,
    /// The result of the attempt.
    pub result: AttemptResult,
}

impl TriedSend {
    /// Returns the row that records the result, with its values in the order of [`TRIED`].
    fn row(&self) -> [Param; 7] {
        let text = |text: &String| Param::from(text);
        let (none, never) = (|| Param::Text(None), || Param::Int(None));
        let (state, provider_ref, error, again_at, ask_at) = match &self.result {
            AttemptResult::Sent { provider_ref } => {
                ("sent", text(provider_ref), none(), never(), never())
            }
            AttemptResult::InDoubt { why } => ("sending", none(), text(why), never(), never()),
            AttemptResult::AskAgain { at } => ("sending", none(), none(), never(), (*at).into()),
            AttemptResult::Again { at, why } => {
                ("queued", none(), text(why), (*at).into(), never())
            }
            AttemptResult::Failed { why } => ("failed", none(), text(why), never(), never()),
            AttemptResult::Unknown { why } => ("unknown", none(), text(why), never(), never()),
        };
        let SendAttempt { message, attempt } = self.attempt;
        [message.into(), attempt.into(), state.into(), provider_ref, error, again_at, ask_at]
    }
}

const TRIED: &[(&str, ColumnType)] = &[
    ("id", ColumnType::Id),
    ("attempt", ColumnType::Int),
    ("state", ColumnType::Text),
    ("provider_ref", ColumnType::Text),
    ("error", ColumnType::Text),
    ("again_at", ColumnType::Int),
    ("ask_at", ColumnType::Int),
];

/// Builds a query of outgoing messages with their phone numbers and bodies.
/// The query selects the columns that [`outgoing`] reads.
macro_rules! select_outgoing {
    ($rest:literal) => {
        concat!(
            "SELECT o.id, o.tenant, o.kind, n.value AS phone, b.value AS text, o.attempt, o.person, o.partition_key, o.run_id, \
             o.start_by FROM outbox o JOIN contact c ON c.id = o.contact \
             JOIN pii n ON n.id = c.phone JOIN pii b ON b.id = o.body ",
            $rest
        )
    };
}

impl Tx {
    /// Reads the messages with these ids, in the order in which they are handed to the gateway.
    pub async fn outgoing(&mut self, ids: &[MessageId]) -> Result<Vec<Outgoing>, StoreError> {
        let rows = self
            .bulk(
                select_outgoing!(
                    "WHERE o.id IN (SELECT id FROM {rows}) ORDER BY o.not_before, o.id"
                ),
                &[],
                &Rows::ids(ids),
            )
            .await?;
        rows.iter().map(outgoing).collect()
    }

    /// Returns at most `limit` messages whose latest attempt has no known result,
    /// although its deadline has passed by the database's clock.
    pub async fn overdue_sends(
        &mut self,
        now: Timestamp,
        limit: i64,
    ) -> Result<Vec<Outgoing>, StoreError> {
        let rows = self
            .rows(
                select_outgoing!(
                    "WHERE o.state = 'sending' AND o.deadline <= $1 ORDER BY o.deadline, o.id LIMIT $2"
                ),
                &params![now, limit],
            )
            .await?;
        rows.iter().map(outgoing).collect()
    }

    /// Records the results of attempts to send different messages, with one statement. Returns the messages that changed:
    /// for a message that is no longer being sent in that attempt, nothing is recorded.
    pub async fn record_attempts(
        &mut self,
        tried: &[TriedSend],
    ) -> Result<BTreeSet<MessageId>, StoreError> {
        // Every node locks the rows of messages in the sequence of their ids, so that two nodes that record
        // results of the same messages do not deadlock.
        let mut sorted: Vec<&TriedSend> = tried.iter().collect();
        sorted.sort_unstable_by_key(|tried| tried.attempt.message);
        let mut rows = Rows::new(TRIED);
        sorted.iter().for_each(|tried| rows.push(tried.row()));
        if rows.is_empty() {
            return Ok(BTreeSet::new());
        }
        self.record_part(CommitPart::Answer);
        let is_due_again = |tried: &TriedSend| {
            matches!(tried.result, AttemptResult::Again { .. } | AttemptResult::AskAgain { .. })
        };
        if tried.iter().any(is_due_again) {
            self.note_outbox();
        }
        let now = self.now();
        let changed = self
            .bulk(
                "UPDATE outbox SET state = v.state, provider_ref = v.provider_ref,
                    error = CASE WHEN v.ask_at IS NULL THEN v.error ELSE outbox.error END,
                    sent_at = CASE WHEN v.state = 'sent' THEN $1 ELSE outbox.sent_at END,
                    deadline = COALESCE(v.ask_at, outbox.deadline),
                    not_before = COALESCE(v.again_at, outbox.not_before),
                    permitted_at = CASE WHEN v.again_at IS NULL THEN outbox.permitted_at
                        WHEN COALESCE(outbox.permitted_at, outbox.not_before) > v.again_at - $2
                        THEN COALESCE(outbox.permitted_at, outbox.not_before) END
                 FROM {rows} WHERE outbox.id = v.id AND outbox.attempt = v.attempt AND outbox.state || '' = 'sending'
                 RETURNING outbox.id",
                &params![now, OUTAGE.micros()],
                &rows,
            )
            .await?;
        changed.iter().map(|row| row.id("id")).collect()
    }
}

fn outgoing(row: &Row) -> Result<Outgoing, StoreError> {
    Ok(Outgoing {
        id: row.id("id")?,
        tenant: row.text("tenant")?,
        kind: row.text("kind")?,
        to: row.opt_text("phone")?.unwrap_or_default(),
        body: row.opt_text("text")?.unwrap_or_default(),
        attempt: row.int("attempt")?,
        person: row.opt_id("person")?,
        request: row.opt_id("partition_key")?,
        run: row.opt_id("run_id")?,
        start_by: row.opt_at("start_by")?,
    })
}
