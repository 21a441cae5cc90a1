//! Reads the log of a tenant: its events of all streams, in the order in which they were committed.
//!
//! On PostgreSQL, an index has this order. On SQLite, it is the order of the row ids of the ledger, and a trigger records
//! in the table `event_block` in which blocks of rows a tenant has events.

use uuid::Uuid;

use super::dialect::Dialect;
use super::error::StoreError;
use super::ledger::{LedgerRow, read, select_event};
use super::param::{ColumnType, Param};
use super::row::Row;
use super::rows::Rows;
use super::topic::Topic;
use super::tx::Tx;
use crate::base::{CorrelationId, EventId, RunId, StreamId, Timestamp, TypedId as _};
use crate::params;

/// The position of an event in a tenant's log, in the sequence in which [`Tx::events_after`] reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EventPosition {
    pos: i64,
    id: EventId,
}

impl EventPosition {
    /// Returns the position before the first event.
    #[must_use]
    pub fn beginning() -> Self {
        Self { pos: i64::MIN, id: EventId::from_uuid(Uuid::nil()) }
    }
}

/// A filter for events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EventQuery {
    /// If set, only events of the stream with this id, or about the run with this id.
    pub about: Option<StreamId>,
    /// If set, only events of this correlation. Then `about` selects nothing.
    pub correlation: Option<CorrelationId>,
    /// If set, only events at this time or later.
    pub since: Option<Timestamp>,
}

/// Selects all events of the tenant.
const ALL_SQLITE: &str = select_event!(
    "event_block k CROSS JOIN ledger l",
    "WHERE k.tenant = $1 AND k.block >= $2 / 256 AND l.rowid >= k.block * 256 AND l.rowid < k.block * 256 + 256
        AND l.tenant || '' = $1 AND l.rowid > $2 AND $3 IS NOT NULL AND ($4 IS NULL OR l.at >= $4)
     ORDER BY k.block, l.rowid LIMIT $5"
);
const ALL_POSTGRES: &str =
    select_event!("WHERE {log_after} AND ($4 IS NULL OR at >= $4) ORDER BY {log_order} LIMIT $5");

/// Selects the events of the streams `{rows}`, and what is listed under their topics.
const OF_STREAMS: &str = select_event!(
    "(
        SELECT o.stream AS of_stream, o.seq AS at_seq FROM {rows} JOIN ledger o ON o.stream = v.stream
        UNION
        SELECT t.stream, t.seq FROM {rows} JOIN event_topic t ON t.tenant = $1 AND t.topic = v.topic
    ) found {each ledger l} l.stream = of_stream AND l.seq = at_seq {end each}",
    "WHERE {log_after} AND ($4 IS NULL OR at >= $4)
     ORDER BY {log_order} LIMIT $5"
);
const STREAMS: &[(&str, ColumnType)] = &[("stream", ColumnType::Id), ("topic", ColumnType::Text)];

impl Tx {
    /// Returns the position of an event in its tenant's log; `None` if the tenant has no such event.
    pub async fn event_place(
        &mut self,
        tenant: &str,
        id: EventId,
    ) -> Result<Option<EventPosition>, StoreError> {
        let sql = "SELECT {log_pos} AS pos FROM ledger WHERE tenant = $1 AND id = $2";
        let row = self.row(sql, &params![tenant, id]).await?;
        row.map(|row| Ok(EventPosition { pos: row.int("pos")?, id })).transpose()
    }

    /// Returns at most `limit` of a tenant's events that match `filter` and come after the
    /// position `after`, in the order of their positions.
    ///
    /// A caller that continues from the last position misses no event.
    /// On PostgreSQL, positions are numbers of transactions, and a transaction with a lower number may
    /// commit later than a transaction with a higher number. So this function leaves out an event for as
    /// long as an open transaction could still add an event before it.
    pub async fn events_after(
        &mut self,
        tenant: &str,
        after: EventPosition,
        filter: EventQuery,
        limit: i64,
    ) -> Result<Vec<LedgerRow>, StoreError> {
        let mut streams = Rows::new(STREAMS);
        if let Some(correlation) = filter.correlation {
            for run in self.runs_of(correlation).await? {
                streams.push([run.into(), Topic::Run(run).to_string().into()]);
            }
            streams.push([Param::Id(None), Topic::Correlation(correlation).to_string().into()]);
        } else if let Some(stream) = filter.about {
            let topic = Topic::Run(RunId::from_uuid(stream.uuid()));
            streams.push([stream.into(), topic.to_string().into()]);
        }
        let params = params![tenant, after.pos, after.id, filter.since, limit];
        let rows = match (self.dialect(), streams.is_empty()) {
            (_, false) => self.bulk(OF_STREAMS, &params, &streams).await?,
            (Dialect::Sqlite, true) => self.rows(ALL_SQLITE, &params).await?,
            (Dialect::Postgres, true) => self.rows(ALL_POSTGRES, &params).await?,
        };
        rows.iter().map(read).collect()
    }

    /// Returns the runs of a correlation. A run that began the correlation has its id.
    async fn runs_of(&mut self, correlation: CorrelationId) -> Result<Vec<RunId>, StoreError> {
        let sql = "SELECT id FROM run WHERE id = $1 AND correlation = $1
            UNION ALL SELECT id FROM run WHERE correlation = $1 AND correlation <> id";
        let rows = self.rows(sql, &params![correlation]).await?;
        rows.iter().map(|row: &Row| row.id("id")).collect()
    }
}
