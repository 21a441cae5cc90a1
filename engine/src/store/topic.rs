//! Lists events under topics: what few of them have in common, and by which they are looked up.
//!
//! Each topic would else be an index of the ledger, which most events would pay for. The steps of a method, which are most
//! of the ledger, have no topic.

use std::fmt;

use uuid::Uuid;

use super::error::StoreError;
use super::param::{ColumnType, Param};
use super::rows::Rows;
use super::tx::Tx;
use crate::base::{CorrelationId, RunId, TypedId as _};
use crate::ledger::{EventKind, ReceiptStatus};

/// What some events have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Topic<'a> {
    /// They are about this run, but belong to other streams.
    Run(RunId),
    /// They belong to this correlation, and are about no run.
    Correlation(CorrelationId),
    /// They are receipts of this tool. Verbs, which have no dot in their names, are no topic.
    Tool(&'a str),
    /// They are receipts with this status, which is not `succeeded`.
    Status(&'a str),
    /// They are receipts of this tool or verb with this status; a verb that succeeded is no topic.
    ToolWithStatus(&'a str, &'a str),
}

/// Writes the topic as it is stored.
impl fmt::Display for Topic<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run(run) => run.fmt(f),
            Self::Correlation(correlation) => correlation.fmt(f),
            Self::Tool(tool) => write!(f, "tool {tool}"),
            Self::Status(status) => write!(f, "status {status}"),
            Self::ToolWithStatus(tool, status) => write!(f, "tool {tool} {status}"),
        }
    }
}

impl<'a> Topic<'a> {
    /// Returns the topic under which all receipts of a tool with a status are listed; `None` if there is none, because
    /// the receipts are those of nearly all steps.
    pub(super) fn of_receipts(tool: Option<&'a str>, status: Option<&'a str>) -> Option<Self> {
        // Nearly all calls succeed.
        let succeeded = ReceiptStatus::Succeeded.as_str();
        let is_listed = |tool: &str, status| tool.contains('.') || status != succeeded;
        match (tool, status) {
            (Some(tool), Some(status)) if is_listed(tool, status) => {
                Some(Self::ToolWithStatus(tool, status))
            }
            (Some(tool), None) if tool.contains('.') => Some(Self::Tool(tool)),
            (None, Some(status)) if status != succeeded => Some(Self::Status(status)),
            _ => None,
        }
    }
}

/// The rows of topics.
const COLUMNS: &[(&str, ColumnType)] = &[
    ("tenant", ColumnType::Text),
    ("topic", ColumnType::Text),
    ("id", ColumnType::Id),
    ("stream", ColumnType::Id),
    ("seq", ColumnType::Int),
];

/// Where the values that topics are made of stand in a row of the ledger.
struct Places {
    tenant: usize,
    id: usize,
    stream: usize,
    seq: usize,
    kind: usize,
    run: usize,
    tool: usize,
    status: usize,
    correlation: usize,
}

impl Places {
    /// Finds the places among the columns of the rows.
    fn among(columns: &[(&str, ColumnType)]) -> Result<Self, StoreError> {
        let place = |name| {
            let place = columns.iter().position(|(column, _)| *column == name);
            place.ok_or_else(|| StoreError::Other(format!("rows of the ledger without `{name}`")))
        };
        Ok(Self {
            tenant: place("tenant")?,
            id: place("id")?,
            stream: place("stream")?,
            seq: place("seq")?,
            kind: place("kind")?,
            run: place("run_id")?,
            tool: place("tool")?,
            status: place("status")?,
            correlation: place("correlation")?,
        })
    }

    /// Calls `listed` with each topic of an event.
    fn topics(&self, event: &[Param], mut listed: impl FnMut(Topic<'_>)) {
        match (id(&event[self.run]), id(&event[self.correlation])) {
            (Some(run), _) if Some(run) != id(&event[self.stream]) => {
                listed(Topic::Run(RunId::from_uuid(run)));
            }
            (None, Some(correlation)) => {
                listed(Topic::Correlation(CorrelationId::from_uuid(correlation)));
            }
            _ => {}
        }
        let [kind, tool, status] =
            [self.kind, self.tool, self.status].map(|place| text(&event[place]));
        if kind == Some(EventKind::Receipt.as_str()) && tool.is_some() && status.is_some() {
            let filters = [(tool, None), (None, status), (tool, status)];
            let of_receipts = filters.into_iter().filter_map(|(t, s)| Topic::of_receipts(t, s));
            of_receipts.for_each(listed);
        }
    }
}

fn id(value: &Param) -> Option<Uuid> {
    match value {
        Param::Id(id) => *id,
        _ => None,
    }
}

fn text(value: &Param) -> Option<&str> {
    match value {
        Param::Text(text) => text.as_deref(),
        _ => None,
    }
}

/// Returns the rows that list events under their topics. `events` are rows of the ledger with these columns.
fn rows_of(columns: &[(&str, ColumnType)], events: &[Vec<Param>]) -> Result<Rows, StoreError> {
    let places = Places::among(columns)?;
    let mut rows = Rows::new(COLUMNS);
    for event in events {
        let value = |place: usize| event[place].clone();
        places.topics(event, |topic| {
            rows.push([
                value(places.tenant),
                topic.to_string().into(),
                value(places.id),
                value(places.stream),
                value(places.seq),
            ]);
        });
    }
    Ok(rows)
}

/// Lists new events, or events that are copied from another database, under their topics. `events` are rows of the ledger
/// with these columns.
pub(super) async fn list(
    tx: &mut Tx,
    columns: &[(&str, ColumnType)],
    events: &[Vec<Param>],
) -> Result<(), StoreError> {
    let sql = "INSERT INTO event_topic (tenant, topic, id, stream, seq)
        SELECT tenant, topic, id, stream, seq FROM {rows} WHERE true ON CONFLICT DO NOTHING";
    tx.bulk_unless_empty(sql, &rows_of(columns, events)?).await
}

/// Removes events that have left the database from the lists of their topics. `events` were rows of the ledger with these
/// columns.
pub(super) async fn remove(
    tx: &mut Tx,
    columns: &[(&str, ColumnType)],
    events: &[Vec<Param>],
) -> Result<(), StoreError> {
    let sql = "DELETE FROM event_topic WHERE (tenant, topic, id) IN (SELECT tenant, topic, id FROM {rows})";
    tx.bulk_unless_empty(sql, &rows_of(columns, events)?).await
}
