//! Lists and counts outbound messages.

use uuid::Uuid;

use super::{StoredCause, stored_cause};
use crate::base::{CorrelationId, MessageId, PersonId, RequestId, RunId, Timestamp, TypedId as _};
use crate::params;
use crate::store::contact::ContactId;
use crate::store::error::StoreError;
use crate::store::param::Param;
use crate::store::row::Row;
use crate::store::tx::Tx;

crate::words! {
    /// The state of a message: `stored` and `applied` for inbound messages,
    /// the others for outbound messages.
    pub enum MessageState {
        /// Waits to be sent.
        Queued = "queued",
        /// Handed to the gateway; its answer is outstanding.
        Sending = "sending",
        /// Accepted by the gateway.
        Sent = "sent",
        /// Delivered, as the carrier reports.
        Delivered = "delivered",
        /// Not delivered, as the carrier reports.
        Undelivered = "undelivered",
        /// Refused by the gateway.
        Failed = "failed",
        /// The gateway cannot tell whether it was sent.
        Unknown = "unknown",
        /// Withdrawn before it was sent.
        Cancelled = "cancelled",
        /// Not sent because the person opted out.
        Suppressed = "suppressed",
        /// Recorded only: its run is a dry run.
        Shadowed = "shadowed",
        /// Received; not applied yet.
        Stored = "stored",
        /// Received and applied.
        Applied = "applied",
    }
}

/// A filter for lists of messages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageQuery {
    /// If set, only messages to this phone number.
    pub to: Option<String>,
    /// If set, only messages from this phone number.
    pub from: Option<String>,
    /// If set, only messages of this request.
    pub request: Option<RequestId>,
    /// If set, only messages of this run.
    pub run: Option<RunId>,
    /// If set, only messages older than this message.
    pub before: Option<MessageId>,
}

/// The statements for the pages of a list of messages, each of which reads its rows through the index that fits.
/// `$1` is the tenant, `$2` the message before which the page begins, and `$3` the maximum number of messages.
pub(crate) struct MessagePages {
    /// The query without a filter.
    pub(crate) newest: &'static str,
    /// The query for the request `$4`.
    pub(crate) of_request: &'static str,
    /// The query for the number `$5`, and for the request `$4` unless it is NULL.
    pub(crate) of_number: &'static str,
    /// The query for the run `$6`, and for the request `$4` and the number `$5` unless they are NULL.
    pub(crate) of_run: &'static str,
}

impl MessagePages {
    /// Returns the statement for a filter, with its parameters.
    pub(crate) fn choose(
        &self,
        tenant: &str,
        query: &MessageQuery,
        number: Option<ContactId>,
        limit: i64,
    ) -> (&'static str, Vec<Param>) {
        let before = query.before.unwrap_or(MessageId::from_uuid(Uuid::max()));
        let mut params =
            params![tenant, before, limit, query.request, number.map(|it| it.0), query.run]
                .to_vec();
        let (sql, used) = match (query.run, number, query.request) {
            (Some(_), _, _) => (self.of_run, 6),
            (None, Some(_), _) => (self.of_number, 5),
            (None, None, Some(_)) => (self.of_request, 4),
            (None, None, None) => (self.newest, 3),
        };
        params.truncate(used);
        (sql, params)
    }
}

/// A stored outbound message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboundRow {
    /// The id of the message.
    pub id: MessageId,
    /// The idempotency key of the message.
    pub key: String,
    /// The name of the template that the message was made from.
    pub kind: String,
    /// The phone number that the message goes to.
    pub to: String,
    /// The body of the message.
    pub body: String,
    /// Number of segments that the carrier bills.
    pub segments: i64,
    /// The state of the message.
    pub state: MessageState,
    /// Number of attempts to send the message.
    pub attempt: i64,
    /// The reason why the message was not sent or not delivered.
    pub error: Option<String>,
    /// The request that the message belongs to.
    pub request: Option<RequestId>,
    /// The run that decided to send the message.
    pub run: Option<RunId>,
    /// What set the message going.
    pub correlation: Option<CorrelationId>,
    /// The person that the message is for.
    pub person: Option<PersonId>,
    /// The first instant at which the message may be sent.
    pub not_before: Timestamp,
    /// When the decision to send the message was made.
    pub created_at: Timestamp,
    /// When the message was sent.
    pub sent_at: Option<Timestamp>,
}

/// A queued message of a run. The message must not be sent before the instant `until`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostponedMessage {
    /// The cause of the message. If the cause ends, the message is never sent.
    pub cause: StoredCause,
    /// When the message may be sent.
    pub until: Timestamp,
    /// Whether an earlier attempt to send the message failed.
    pub tried: bool,
}

/// Maximum number of postponed messages that are returned.
const POSTPONED_MAX: i64 = 1_000;

/// Builds a query of outbound messages `o`. The query selects the columns that [`read`] reads.
/// `$from` is the source of the rows, `$rest` the end of the query.
macro_rules! select_outbound {
    ($from:expr, $rest:literal) => {
        concat!(
            "SELECT o.id, o.key, o.kind, n.value AS phone, b.value AS text, o.segments, o.state, o.attempt, o.error,
                o.partition_key, o.run_id, o.correlation, o.person, o.not_before, o.created_at, o.sent_at FROM ",
            $from,
            " JOIN contact c ON c.id = o.contact
                JOIN pii n ON n.id = c.phone JOIN pii b ON b.id = o.body WHERE ",
            $rest
        )
    };
}

/// Builds a query of the messages with the ids of a page, newest first.
macro_rules! of_page {
    ($page:expr) => {
        select_outbound!(
            concat!("(", $page, ") page CROSS JOIN outbox o"),
            "o.id = page.id ORDER BY o.id DESC"
        )
    };
}

/// Builds a query of the next `$3` messages `m` for which a condition holds, newest first.
macro_rules! newest {
    ($which:literal) => {
        of_page!(concat!(
            "SELECT {m.id} AS id FROM outbox m WHERE ",
            $which,
            " ORDER BY {m.id} DESC LIMIT $3"
        ))
    };
}

/// The lists of outbound messages. `tenant || ''` keeps the databases from the index of all messages of the tenant.
/// The list of a run contains the messages of its branches: the first ones of each are merged.
const PAGES: MessagePages = MessagePages {
    newest: newest!("{m.tenant} = $1 AND {m.id} < $2"),
    of_request: newest!("{m.partition_key} = $4 AND m.partition_key IS NOT NULL AND {m.id} < $2 AND m.tenant || '' = $1"),
    of_number: newest!(
        "m.tenant = $1 AND m.contact = $5 AND {m.id} < $2 AND ($4 IS NULL OR m.partition_key = $4)"
    ),
    of_run: of_page!("WITH RECURSIVE d(id) AS (SELECT id FROM run WHERE id = $6 UNION ALL
        SELECT r.id FROM d {each run r} r.parent = d.id AND r.branch = 1 {end each})
     SELECT q.id FROM d CROSS JOIN outbox q WHERE q.id {in} SELECT {m.id} FROM outbox m
            WHERE m.run_id = d.id AND {m.id} < $2 AND m.tenant || '' = $1 AND ($4 IS NULL OR m.partition_key = $4)
                AND ($5 IS NULL OR m.contact = $5)
            ORDER BY {m.id} DESC LIMIT $3 {end}
     ORDER BY q.id DESC LIMIT $3"),
};

impl Tx {
    /// Returns the messages of a run and its branches that may not be sent yet, the earliest first.
    pub async fn postponed_messages(
        &mut self,
        run: RunId,
    ) -> Result<Vec<PostponedMessage>, StoreError> {
        let now = self.now();
        let rows = self
            .rows(
                "WITH RECURSIVE d(id) AS (SELECT id FROM run WHERE id = $1 UNION ALL
                    SELECT r.id FROM d {each run r} r.parent = d.id AND r.branch = 1 {end each})
                 SELECT o.cause_kind, o.cause_id, o.not_before, o.attempt FROM d {each outbox o} o.run_id = d.id {end each}
                 WHERE o.state || '' = 'queued' AND o.not_before > $2
                 ORDER BY o.not_before, o.id LIMIT $3",
                &params![run, now, POSTPONED_MAX],
            )
            .await?;
        rows.iter()
            .map(|row| {
                let cause = stored_cause(row)?;
                Ok(PostponedMessage {
                    cause,
                    until: row.at("not_before")?,
                    tried: row.int("attempt")? > 0,
                })
            })
            .collect()
    }

    /// Returns at most `limit` outbound messages of a tenant that match `query`, newest first.
    pub async fn outbound_page(
        &mut self,
        tenant: &str,
        query: &MessageQuery,
        limit: i64,
    ) -> Result<Vec<OutboundRow>, StoreError> {
        let contact = query.to.as_ref().map(|to| self.contact_id(tenant, to));
        let (sql, params) = PAGES.choose(tenant, query, contact, limit);
        self.rows(sql, &params).await?.iter().map(read).collect()
    }

    /// Returns an outbound message; `None` if the tenant has no outbound message with this id.
    pub async fn outbound(
        &mut self,
        tenant: &str,
        id: MessageId,
    ) -> Result<Option<OutboundRow>, StoreError> {
        let sql = select_outbound!("outbox o", "o.tenant || '' = $1 AND o.id = $2");
        self.row(sql, &params![tenant, id]).await?.as_ref().map(read).transpose()
    }

    /// Whether a message with this key exists that was certainly not sent.
    /// Such a message is still queued, or it ended without being sent.
    pub async fn never_left(&mut self, tenant: &str, key: &str) -> Result<bool, StoreError> {
        let row = self
            .row(
                "SELECT id FROM outbox WHERE tenant = $1 AND key = $2
                    AND state IN ('queued', 'cancelled', 'suppressed', 'failed')",
                &params![tenant, key],
            )
            .await?;
        Ok(row.is_some())
    }

    /// Counts the messages of a tenant that wait for their first release.
    pub async fn count_queued(&mut self, tenant: &str) -> Result<i64, StoreError> {
        let row = self
            .row(
                "SELECT COUNT(*) AS count FROM outbox WHERE tenant = $1 AND state = 'queued' AND attempt = 0",
                &params![tenant],
            )
            .await?;
        row.map_or(Ok(0), |row| row.int("count"))
    }

    /// Counts the messages of a tenant that are released and that the gateway may still begin to send:
    /// by the database's clock, the time limit for the beginning of the sending has not passed.
    pub async fn count_in_flight(&mut self, tenant: &str) -> Result<i64, StoreError> {
        let now = self.database_now().await?;
        let row = self
            .row(
                "SELECT COUNT(*) AS count FROM outbox WHERE tenant = $1 AND {state} = 'sending' AND start_by > $2",
                &params![tenant, now],
            )
            .await?;
        row.map_or(Ok(0), |row| row.int("count"))
    }

    /// Counts the messages to one recipient that [`Tx::count_in_flight`] would count.
    pub async fn count_in_flight_to(
        &mut self,
        tenant: &str,
        contact: ContactId,
    ) -> Result<i64, StoreError> {
        let now = self.database_now().await?;
        let row = self
            .row(
                "SELECT COUNT(*) AS count FROM outbox WHERE tenant = $1 AND contact = $2 AND {state} = 'sending'
                    AND start_by > $3",
                &params![tenant, contact, now],
            )
            .await?;
        row.map_or(Ok(0), |row| row.int("count"))
    }
}

fn read(row: &Row) -> Result<OutboundRow, StoreError> {
    Ok(OutboundRow {
        id: row.id("id")?,
        key: row.text("key")?,
        kind: row.text("kind")?,
        to: row.opt_text("phone")?.unwrap_or_default(),
        body: row.opt_text("text")?.unwrap_or_default(),
        segments: row.int("segments")?,
        state: row.word("state")?,
        attempt: row.int("attempt")?,
        error: row.opt_text("error")?,
        request: row.opt_id("partition_key")?,
        run: row.opt_id("run_id")?,
        correlation: row.opt_id("correlation")?,
        person: row.opt_id("person")?,
        not_before: row.at("not_before")?,
        created_at: row.at("created_at")?,
        sent_at: row.opt_at("sent_at")?,
    })
}
