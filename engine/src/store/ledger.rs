//! Writes and reads the append-only event log.
//! Each event belongs to a stream, and each stream has a hash chain.

use super::error::StoreError;
use super::param::{ColumnType, Param};
use super::row::Row;
use super::rows::Rows;
use super::topic::{self, Topic};
use super::tx::Tx;
use crate::base::{
    CallId, CorrelationId, Digest, EventId, RunId, StreamId, Timestamp, Value, text,
};
use crate::ledger::KindName;
use crate::planted::PlantedFault;

/// One event of the ledger. A receipt is an event of kind `receipt`, which concerns a call.
#[derive(Debug, Clone, PartialEq)]
pub struct LedgerRow {
    /// The id of the event; for a receipt, also the id of the receipt.
    pub id: EventId,
    /// The stream whose chain contains the event.
    pub stream: StreamId,
    /// The event's position in the chain, from 1.
    pub seq: i64,
    /// The id of the tenant that owns the stream.
    pub tenant: String,
    /// The kind of the event.
    pub kind: KindName,
    /// When the event happened, by the clock of the node that wrote it.
    pub at: Timestamp,
    /// The run that the event concerns, if it concerns one.
    pub run: Option<RunId>,
    /// The call that the event concerns, if it concerns one.
    pub call: Option<CallId>,
    /// The verb that the call invoked, if the event is a receipt.
    pub tool: Option<String>,
    /// The status of the call, if the event is a receipt.
    pub status: Option<String>,
    /// What set the event going; `None` for an event before correlations were recorded. The store fills it in
    /// when it writes the event: with that of the run, or else with that of the transaction. It is an aid to
    /// searching, and the hash does not cover it.
    pub correlation: Option<CorrelationId>,
    /// The content of the event: ids and facts, never personal data.
    pub body: Value,
    /// The digest of the previous event's hash and this event's canonical JSON.
    pub hash: Digest,
}

impl LedgerRow {
    /// Returns the canonical JSON that the hash chain covers: every field except the hash.
    #[must_use]
    pub fn canonical(&self) -> String {
        text::json(&(
            self.stream,
            self.seq,
            &self.tenant,
            self.kind.as_str(),
            self.at,
            self.run,
            self.call,
            &self.tool,
            &self.status,
            &self.body,
        ))
    }

    /// Computes the event's hash from the previous event's hash, stores it and returns it.
    pub fn link(&mut self, previous: Digest) -> Digest {
        let previous =
            if PlantedFault::EventUnlinked.is_active() { Digest::ZERO } else { previous };
        self.hash = Digest::chain(previous, self.canonical().as_bytes());
        self.hash
    }
}

/// A filter for receipts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReceiptFilter<'a> {
    /// If set, only receipts of this tool.
    pub tool: Option<&'a str>,
    /// If set, only receipts with this status.
    pub status: Option<&'a str>,
    /// If set, only receipts that are older than this one.
    pub before: Option<EventId>,
}

/// The columns that are written.
const COLUMNS: &[(&str, ColumnType)] = &[
    ("id", ColumnType::Id),
    ("stream", ColumnType::Id),
    ("seq", ColumnType::Int),
    ("tenant", ColumnType::Text),
    ("kind", ColumnType::Text),
    ("at", ColumnType::Int),
    ("run_id", ColumnType::Id),
    ("call_id", ColumnType::Id),
    ("tool", ColumnType::Text),
    ("status", ColumnType::Text),
    ("body", ColumnType::Text),
    ("hash", ColumnType::Bytes),
    ("correlation", ColumnType::Id),
];

/// Builds a query of events. The query selects the columns of `ledger l` that [`read`] reads. `$from` is the source of
/// the rows; `$rest` is the end of the query, with the conditions and the sorting.
macro_rules! select_event {
    ($rest:literal) => {
        select_event!("ledger l", $rest)
    };
    ($from:literal, $rest:literal) => {
        concat!(
            "SELECT l.id, l.stream, l.seq, l.tenant, l.kind, l.at, l.run_id, l.call_id, l.tool, l.status, l.body, \
             l.hash, l.correlation FROM ",
            $from,
            " ",
            $rest
        )
    };
}

pub(super) use select_event;

/// Selects the newest receipts of the topic `$2`.
const LISTED: &str = select_event!(
    "(
        SELECT stream AS of_stream, seq AS at_seq FROM event_topic
        WHERE tenant = $1 AND topic = $2 AND ($3 IS NULL OR id < $3) ORDER BY id DESC LIMIT $4
    ) found {each ledger l} l.stream = of_stream AND l.seq = at_seq {end each}",
    "ORDER BY l.id DESC"
);

/// Selects the newest receipts of the tool `$2` with the status `$3`, from the newest events of the tenant.
const LATEST: &str = select_event!(
    "WHERE tenant = $1 AND kind = 'receipt' AND ($2 IS NULL OR tool = $2) AND ($3 IS NULL OR status = $3)
     AND ($4 IS NULL OR id < $4) ORDER BY id DESC LIMIT $5"
);

/// Appends events to the log. The hashes and sequence numbers of the events must be set already.
pub(super) async fn insert<'a>(
    tx: &mut Tx,
    events: impl Iterator<Item = &'a LedgerRow>,
) -> Result<(), StoreError> {
    let mut rows = Rows::new(COLUMNS);
    for event in events {
        rows.push([
            event.id.into(),
            event.stream.into(),
            event.seq.into(),
            Param::from(&event.tenant),
            Param::from(event.kind.as_str()),
            event.at.into(),
            event.run.into(),
            event.call.into(),
            event.tool.as_deref().into(),
            event.status.as_deref().into(),
            text::json(&event.body).into(),
            event.hash.into(),
            event.correlation.into(),
        ]);
    }
    tx.bulk_unless_empty(
        "INSERT INTO ledger (id, stream, seq, tenant, kind, at, run_id, call_id, tool, status, body, hash,
            correlation, pos)
         SELECT v.id, v.stream, v.seq, v.tenant, v.kind, v.at, v.run_id, v.call_id, v.tool, v.status, v.body,
            v.hash, coalesce((SELECT r.correlation FROM run r WHERE r.id = v.run_id), v.correlation), {log_place}
         FROM {rows}",
        &rows,
    )
    .await?;
    topic::list(tx, COLUMNS, rows.values()).await
}

/// Reads an event from a row of a query.
pub(super) fn read(row: &Row) -> Result<LedgerRow, StoreError> {
    Ok(LedgerRow {
        id: row.id("id")?,
        stream: row.id("stream")?,
        seq: row.int("seq")?,
        tenant: row.text("tenant")?,
        kind: KindName::stored(row.text("kind")?),
        at: row.at("at")?,
        run: row.opt_id("run_id")?,
        call: row.opt_id("call_id")?,
        tool: row.opt_text("tool")?,
        status: row.opt_text("status")?,
        body: row.json("body")?,
        hash: row.digest("hash")?,
        correlation: row.opt_id("correlation")?,
    })
}

impl Tx {
    /// Returns at most `limit` events of one stream whose `seq` is greater than `after`,
    /// in ascending order.
    pub async fn stream_events(
        &mut self,
        stream: StreamId,
        after: i64,
        limit: i64,
    ) -> Result<Vec<LedgerRow>, StoreError> {
        let rows = self
            .rows(
                select_event!("WHERE stream = $1 AND seq > $2 ORDER BY seq LIMIT $3"),
                &crate::params![stream, after, limit],
            )
            .await?;
        rows.iter().map(read).collect()
    }

    /// Returns the receipts of some runs. The receipts of one run are in the order of the run's calls.
    pub async fn receipts(&mut self, runs: &[RunId]) -> Result<Vec<LedgerRow>, StoreError> {
        let rows = self
            .bulk(
                select_event!(
                    "{rows} JOIN ledger l ON l.stream = v.id",
                    "WHERE l.kind || '' = 'receipt'
                 ORDER BY l.stream, l.seq"
                ),
                &[],
                &Rows::ids(runs),
            )
            .await?;
        rows.iter().map(read).collect()
    }

    /// Returns at most `limit` receipts of a tenant that match `filter`, newest first.
    pub async fn tenant_receipts(
        &mut self,
        tenant: &str,
        filter: ReceiptFilter<'_>,
        limit: i64,
    ) -> Result<Vec<LedgerRow>, StoreError> {
        let ReceiptFilter { tool, status, before } = filter;
        let rows = match Topic::of_receipts(tool, status) {
            Some(topic) => {
                self.rows(LISTED, &crate::params![tenant, topic.to_string(), before, limit]).await?
            }
            None => self.rows(LATEST, &crate::params![tenant, tool, status, before, limit]).await?,
        };
        rows.iter().map(read).collect()
    }

    /// Returns the receipt of a call; `None` if the tenant has no such receipt.
    pub async fn receipt(
        &mut self,
        tenant: &str,
        call: CallId,
    ) -> Result<Option<LedgerRow>, StoreError> {
        let row = self
            .row(
                select_event!("WHERE call_id = $1 AND kind = 'receipt' AND tenant = $2"),
                &crate::params![call, tenant],
            )
            .await?;
        row.map(|row| read(&row)).transpose()
    }

    /// Returns at most `limit` of the latest events of a tenant, newest first.
    /// If `before` is set, returns only events whose id is less than `before`.
    pub async fn tenant_events(
        &mut self,
        tenant: &str,
        before: Option<EventId>,
        limit: i64,
    ) -> Result<Vec<LedgerRow>, StoreError> {
        let rows = self
            .rows(
                select_event!(
                    "WHERE tenant = $1 AND ($2 IS NULL OR id < $2) ORDER BY id DESC LIMIT $3"
                ),
                &crate::params![tenant, before, limit],
            )
            .await?;
        rows.iter().map(read).collect()
    }
}
