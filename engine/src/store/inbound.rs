//! Inbound messages. Each message is stored and deduplicated before it is processed in any other way.

use super::faults::CommitPart;
use uuid::Uuid;

use super::contact::ContactId;
use super::error::StoreError;
use super::outbox::{MessagePages, MessageQuery};
use super::param::{ColumnType, Param};
use super::row::Row;
use super::rows::Rows;
use super::tx::Tx;
use crate::base::{CorrelationId, MessageId, RunId, Timestamp};
use crate::params;
use crate::policy::CarrierWord;

/// The beginning of a query of the table `t`, whose rows are the tenants that have messages which are not applied yet, and one
/// row without a tenant. Each tenant is one lookup, however many messages wait.
macro_rules! tenants_with_inbound {
    () => {
        "WITH RECURSIVE t(tenant) AS (
            SELECT MIN(tenant) FROM inbound WHERE applied_at IS NULL
            UNION ALL
            SELECT (SELECT MIN(i.tenant) FROM inbound i WHERE i.applied_at IS NULL AND i.tenant > t.tenant)
            FROM t WHERE t.tenant IS NOT NULL) "
    };
}
pub(super) use tenants_with_inbound;

/// A stored inbound message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboundRow {
    /// The id of the message.
    pub id: MessageId,
    /// The id of the tenant that received the message.
    pub tenant: String,
    /// The provider's id of the message, used to deduplicate it.
    pub provider_id: String,
    /// The contact of the sender.
    pub sender: ContactId,
    /// The phone number of the sender.
    pub from: String,
    /// The tenant's phone number that the message was sent to.
    pub to: String,
    /// The body of the message.
    pub body: String,
    /// The carrier keyword, if the message consists of nothing else.
    pub carrier_word: Option<CarrierWord>,
    /// When the provider received the message. This is never later than the time at which the message
    /// was stored.
    pub received_at: Timestamp,
    /// The request, or the tenant's stream, that the message was applied to.
    pub partition: Option<Uuid>,
    /// The message's position among the messages that were applied to the same request or stream.
    pub ord: Option<i64>,
    /// The run that the message concerned or started.
    pub run: Option<RunId>,
    /// When the message was applied.
    pub applied_at: Option<Timestamp>,
    /// How the message was handled.
    pub handled_as: Option<String>,
    /// What the message belongs to: the story of the run that it concerned, or else one that it begins. `None`
    /// for a message from before correlations were recorded.
    pub correlation: Option<CorrelationId>,
}

/// How an inbound message was applied, and to which request and run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InboundResult<'a> {
    /// The id of the message.
    pub message: MessageId,
    /// The request, or the tenant's stream, that the message was applied to.
    pub partition: Option<Uuid>,
    /// The message's position among the messages that were applied to the same request or stream.
    pub ord: Option<i64>,
    /// How the message was handled.
    pub handled_as: &'a str,
    /// The run that the message concerned or started.
    pub run: Option<RunId>,
}

impl<'a> InboundResult<'a> {
    /// Returns the result of a message that concerns no request and no run.
    #[must_use]
    pub const fn of(message: MessageId, handled_as: &'a str) -> Self {
        Self { message, partition: None, ord: None, handled_as, run: None }
    }
}

/// A message that is not applied yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnappliedMessage {
    /// The id of the message.
    pub id: MessageId,
    /// The contact of the sender.
    pub sender: ContactId,
}

/// An inbound message as a gateway delivers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewInbound {
    /// The gateway's name.
    pub gateway: String,
    /// The gateway's id of the message.
    pub provider_id: String,
    /// The sender's phone number.
    pub from: String,
    /// The tenant's phone number.
    pub to: String,
    /// The body of the message.
    pub body: String,
    /// The carrier keyword, if the message consists of nothing else.
    pub carrier_word: Option<CarrierWord>,
    /// When the gateway received the message.
    pub received_at: Timestamp,
}

/// Builds a query of inbound messages with their phone numbers and bodies.
/// The query selects the columns that [`read`] reads.
macro_rules! select_inbound {
    ($rest:literal) => {
        select_inbound!("inbound i", $rest)
    };
    ($from:expr, $rest:literal) => {
        concat!(
            "SELECT i.id, i.tenant, i.provider_id, i.sender, n.value AS phone, i.recipient, b.value AS body, i.carrier_word, \
             i.received_at, i.partition_key, i.ord, i.run_id, i.applied_at, i.handled_as, i.correlation FROM ",
            $from,
            " JOIN contact c ON c.id = i.sender \
             JOIN pii n ON n.id = c.phone JOIN pii b ON b.id = i.body ",
            $rest
        )
    };
}

/// Builds a query of the next `$3` messages `m` for which a condition holds, newest first.
macro_rules! newest {
    ($which:literal) => {
        select_inbound!(
            concat!(
                "(SELECT {m.id} AS id FROM inbound m WHERE ",
                $which,
                " ORDER BY {m.id} DESC LIMIT $3) page CROSS JOIN inbound i"
            ),
            "WHERE i.id = page.id ORDER BY i.id DESC"
        )
    };
}

/// The lists of inbound messages. `tenant || ''` keeps the databases from the index of all messages of the tenant.
const PAGES: MessagePages = MessagePages {
    newest: newest!("{m.tenant} = $1 AND {m.id} < $2"),
    of_request: newest!("m.partition_key = $4 AND {m.id} < $2 AND m.tenant || '' = $1"),
    of_number: newest!(
        "m.tenant = $1 AND m.sender = $5 AND {m.id} < $2 AND ($4 IS NULL OR m.partition_key = $4)"
    ),
    of_run: newest!(
        "m.run_id = $6 AND {m.id} < $2 AND m.tenant || '' = $1 AND ($4 IS NULL OR m.partition_key = $4)
            AND ($5 IS NULL OR m.sender = $5)"
    ),
};

fn read(row: &Row) -> Result<InboundRow, StoreError> {
    Ok(InboundRow {
        id: row.id("id")?,
        tenant: row.text("tenant")?,
        provider_id: row.text("provider_id")?,
        sender: ContactId(row.digest("sender")?),
        from: row.opt_text("phone")?.unwrap_or_default(),
        to: row.text("recipient")?,
        body: row.opt_text("body")?.unwrap_or_default(),
        carrier_word: row.opt_word("carrier_word")?,
        received_at: row.at("received_at")?,
        partition: row
            .opt_id::<crate::base::StreamId>("partition_key")?
            .map(crate::base::TypedId::uuid),
        ord: row.opt_int("ord")?,
        run: row.opt_id("run_id")?,
        applied_at: row.opt_at("applied_at")?,
        handled_as: row.opt_text("handled_as")?,
        correlation: row.opt_id("correlation")?,
    })
}

impl Tx {
    /// Finds a stored message by the id that its gateway gave it.
    pub async fn inbound_by_provider(
        &mut self,
        tenant: &str,
        gateway: &str,
        provider_id: &str,
    ) -> Result<Option<InboundRow>, StoreError> {
        let row = self
            .row(
                select_inbound!("WHERE i.tenant = $1 AND i.gateway = $2 AND i.provider_id = $3"),
                &params![tenant, gateway, provider_id],
            )
            .await?;
        row.as_ref().map(read).transpose()
    }

    /// Returns the ids of the tenants that have messages which are not applied yet, in ascending order.
    pub async fn tenants_with_inbound(&mut self) -> Result<Vec<String>, StoreError> {
        let rows = self
            .rows(
                concat!(
                    tenants_with_inbound!(),
                    "SELECT tenant FROM t WHERE tenant IS NOT NULL ORDER BY tenant"
                ),
                &[],
            )
            .await?;
        rows.iter().map(|row| row.text("tenant")).collect()
    }

    /// Returns at most `limit` messages of a tenant that are not applied yet, the earliest received first.
    pub async fn unapplied(
        &mut self,
        tenant: &str,
        limit: i64,
    ) -> Result<Vec<InboundRow>, StoreError> {
        let rows = self
            .rows(
                select_inbound!(
                    "WHERE i.tenant = $1 AND i.applied_at IS NULL
                     ORDER BY i.received_at, i.provider_id LIMIT $2"
                ),
                &params![tenant, limit],
            )
            .await?;
        rows.iter().map(read).collect()
    }

    /// Returns the messages that are not applied yet and that the same tenant received before the message `inbound`, and
    /// `inbound` itself, unless it is applied.
    pub async fn unapplied_up_to(
        &mut self,
        inbound: &InboundRow,
    ) -> Result<Vec<UnappliedMessage>, StoreError> {
        let rows = self
            .rows(
                "SELECT id, sender FROM inbound WHERE tenant = $1 AND applied_at IS NULL
                    AND (received_at, provider_id) <= ($2, $3) ORDER BY received_at, provider_id",
                &params![&inbound.tenant, inbound.received_at, &inbound.provider_id],
            )
            .await?;
        let read = |row: &Row| {
            let sender = ContactId::from_digest(row.digest("sender")?);
            Ok(UnappliedMessage { id: row.id("id")?, sender })
        };
        rows.iter().map(read).collect()
    }

    /// Returns when the provider received the tenant's most recently stored message.
    pub async fn last_received(&mut self, tenant: &str) -> Result<Option<Timestamp>, StoreError> {
        let row = self
            .row(
                "SELECT received_at FROM inbound WHERE {tenant} = $1 ORDER BY {id} DESC LIMIT 1",
                &params![tenant],
            )
            .await?;
        row.map(|row| row.at("received_at")).transpose()
    }

    /// Marks messages as applied, and wakes the runs whose deadlines waited for them. From then on, each message has the
    /// correlation of its run. If there is only one message, so have the rows of this transaction. Returns how many
    /// messages this transaction has applied: another process may have applied some of them already.
    pub async fn mark_applied(
        &mut self,
        results: &[InboundResult<'_>],
    ) -> Result<usize, StoreError> {
        self.record_part(CommitPart::Applied);
        self.note_timer(); // deadlines that waited for these messages may pass now
        let mut rows = Rows::new(&[
            ("id", ColumnType::Id),
            ("partition_key", ColumnType::Id),
            ("ord", ColumnType::Int),
            ("handled_as", ColumnType::Text),
            ("run_id", ColumnType::Id),
        ]);
        for result in results {
            rows.push([
                result.message.into(),
                Param::Id(result.partition),
                result.ord.into(),
                result.handled_as.into(),
                result.run.into(),
            ]);
        }
        let now = self.now();
        let changed = self
            .bulk(
                "UPDATE inbound SET partition_key = v.partition_key, ord = v.ord, handled_as = v.handled_as,
                    run_id = v.run_id, applied_at = $1,
                    correlation = coalesce((SELECT r.correlation FROM run r WHERE r.id = v.run_id), inbound.correlation)
                 FROM {rows} WHERE inbound.id = v.id AND inbound.applied_at + 0 IS NULL
                 RETURNING inbound.id, inbound.correlation",
                &params![now],
                &rows,
            )
            .await?;
        if let ([_], [row]) = (results, &changed[..]) {
            self.begun = row.opt_id("correlation")?;
        }
        let applied = changed.iter().map(|row| row.id("id")).collect::<Result<Vec<_>, _>>()?;
        self.wake_barred(&applied).await?;
        Ok(applied.len())
    }

    /// Returns what a message of the tenant, inbound or outbound, belongs to. Returns `None` if the tenant has no such
    /// message, or if the message is from before correlations were recorded.
    pub async fn correlation_of(
        &mut self,
        tenant: &str,
        message: MessageId,
    ) -> Result<Option<CorrelationId>, StoreError> {
        let row = self
            .row(
                "SELECT correlation FROM inbound WHERE tenant || '' = $1 AND id = $2
                 UNION ALL SELECT correlation FROM outbox WHERE tenant || '' = $1 AND id = $2",
                &params![tenant, message],
            )
            .await?;
        row.map_or(Ok(None), |row| row.opt_id("correlation"))
    }

    /// Returns at most `limit` inbound messages of a tenant that match `query`, newest first.
    pub async fn inbound_page(
        &mut self,
        tenant: &str,
        query: &MessageQuery,
        limit: i64,
    ) -> Result<Vec<InboundRow>, StoreError> {
        let sender = query.from.as_ref().map(|from| self.contact_id(tenant, from));
        let (sql, params) = PAGES.choose(tenant, query, sender, limit);
        self.rows(sql, &params).await?.iter().map(read).collect()
    }
}
