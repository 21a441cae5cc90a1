//! Reads the messages to be sent through the gateway, and records the results of the attempts to send them.

use super::super::faults::CommitPart;
use crate::base::{MessageId, PersonId, RequestId, RunId, Span, Timestamp};
use crate::params;
use crate::store::error::StoreError;
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

/// The result of an attempt to send a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptResult<'a> {
    /// The provider has accepted the message.
    Sent {
        /// The provider's own id of the message.
        provider_ref: &'a str,
    },
    /// It is not known whether the provider has received the message.
    /// The engine asks the provider when the message's deadline has passed.
    InDoubt {
        /// The reason why it is not known whether the provider has received the message.
        why: &'a str,
    },
    /// The message was not sent, and the engine does not try again.
    Failed {
        /// The reason why the message was not sent.
        why: &'a str,
    },
    /// It will never be known whether the provider has received the message.
    Unknown {
        /// The reason why it will never be known whether the provider has received the message.
        why: &'a str,
    },
}

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

    /// Records the result of an attempt. If the message is no longer being sent in this attempt,
    /// records nothing and returns `false`.
    pub async fn record_attempt(
        &mut self,
        attempt: SendAttempt,
        result: AttemptResult<'_>,
    ) -> Result<bool, StoreError> {
        let SendAttempt { message, attempt } = attempt;
        let (state, provider_ref, error) = match result {
            AttemptResult::Sent { provider_ref } => ("sent", Some(provider_ref), None),
            AttemptResult::InDoubt { why } => ("sending", None, Some(why)),
            AttemptResult::Failed { why } => ("failed", None, Some(why)),
            AttemptResult::Unknown { why } => ("unknown", None, Some(why)),
        };
        self.record_part(CommitPart::Answer);
        let now = self.now();
        let changed = self
            .execute(
                "UPDATE outbox SET state = $3, provider_ref = $4, error = $5,
                    sent_at = CASE WHEN $3 = 'sent' THEN $6 ELSE sent_at END
                 WHERE id = $1 AND attempt = $2 AND state || '' = 'sending'",
                &params![message, attempt, state, provider_ref, error, now],
            )
            .await?;
        Ok(changed > 0)
    }

    /// Queues a message again after an attempt that certainly did not reach the provider.
    /// The message is to be sent at `at`.
    /// The deadlines of waits still count from the instant at which policy first permitted the message.
    /// If `at` is later than that instant by [`OUTAGE`] or more, the deadlines count from `at` instead.
    pub async fn requeue(
        &mut self,
        attempt: SendAttempt,
        at: Timestamp,
        error: &str,
    ) -> Result<(), StoreError> {
        let SendAttempt { message, attempt } = attempt;
        self.record_part(CommitPart::Answer);
        self.note_outbox();
        self.execute(
            "UPDATE outbox SET state = 'queued', not_before = $3, error = $4,
                permitted_at = CASE WHEN COALESCE(permitted_at, not_before) > $5
                    THEN COALESCE(permitted_at, not_before) END
             WHERE id = $1 AND attempt = $2 AND state || '' = 'sending'",
            &params![message, attempt, at, error, at - OUTAGE],
        )
        .await
        .map(drop)
    }

    /// Records that the result of an attempt is still unknown. The provider is asked again at `at`.
    pub async fn postpone_lookup(
        &mut self,
        attempt: SendAttempt,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let SendAttempt { message, attempt } = attempt;
        self.record_part(CommitPart::Answer);
        self.note_outbox();
        self.execute(
            "UPDATE outbox SET deadline = $3 WHERE id = $1 AND attempt = $2 AND state || '' = 'sending'",
            &params![message, attempt, at],
        )
        .await
        .map(drop)
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
