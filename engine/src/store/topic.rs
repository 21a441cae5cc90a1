//! Lists events under topics: what few of them have in common, and by which they are looked up.
//!
//! Each topic would else be an index of the ledger, which most events would pay for. The steps of a method, which are most
//! of the ledger, have no topic.

use std::fmt;

use super::error::StoreError;
use super::param::{ColumnType, Param};
use super::rows::Rows;
use super::tx::Tx;
use crate::base::{CorrelationId, RunId, TypedId as _};

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

/// The status of the calls that are no topic by themselves: nearly all have it.
const SUCCEEDED: &str = "succeeded";

impl<'a> Topic<'a> {
    /// Returns the topic under which all receipts of a tool with a status are listed; `None` if there is none, because
    /// the receipts are those of nearly all steps.
    pub(super) fn of_receipts(tool: Option<&'a str>, status: Option<&'a str>) -> Option<Self> {
        let is_listed = |tool: &str, status| tool.contains('.') || status != SUCCEEDED;
        match (tool, status) {
            (Some(tool), Some(status)) if is_listed(tool, status) => {
                Some(Self::ToolWithStatus(tool, status))
            }
            (Some(tool), None) if tool.contains('.') => Some(Self::Tool(tool)),
            (None, Some(status)) if status != SUCCEEDED => Some(Self::Status(status)),
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

/// Returns the rows that list events under their topics. `events` are rows of the ledger.
fn rows_of(events: &Rows) -> Rows {
    let mut listed = Rows::new(COLUMNS);
    for at in 0..events.len() {
        for topic in topics(|name| events.value(at, name)) {
            let value = |(name, _): &(&str, _)| match *name {
                "topic" => topic.to_string().into(),
                name => events.value(at, name).cloned().unwrap_or(Param::Int(None)),
            };
            listed.add(COLUMNS.iter().map(value).collect());
        }
    }
    listed
}

/// Returns the topics of an event, by the values of its columns.
fn topics<'a>(value: impl Fn(&str) -> Option<&'a Param>) -> Vec<Topic<'a>> {
    let id = |name| match value(name) {
        Some(Param::Id(id)) => *id,
        _ => None,
    };
    let text = |name| match value(name) {
        Some(Param::Text(text)) => text.as_deref(),
        _ => None,
    };
    let mut topics = Vec::new();
    match (id("run_id"), id("correlation")) {
        (Some(run), _) if Some(run) != id("stream") => {
            topics.push(Topic::Run(RunId::from_uuid(run)));
        }
        (None, Some(correlation)) => {
            topics.push(Topic::Correlation(CorrelationId::from_uuid(correlation)));
        }
        _ => {}
    }
    if let (Some("receipt"), Some(tool), Some(status)) =
        (text("kind"), text("tool"), text("status"))
    {
        let filters = [(Some(tool), None), (None, Some(status)), (Some(tool), Some(status))];
        topics
            .extend(filters.iter().filter_map(|(tool, status)| Topic::of_receipts(*tool, *status)));
    }
    topics
}

/// Lists new events, or events that are copied from another database, under their topics.
pub(super) async fn list(tx: &mut Tx, events: &Rows) -> Result<(), StoreError> {
    let sql = "INSERT INTO event_topic (tenant, topic, id, stream, seq)
        SELECT tenant, topic, id, stream, seq FROM {rows} WHERE true ON CONFLICT DO NOTHING";
    tx.bulk_unless_empty(sql, &rows_of(events)).await
}

/// Removes events that have left the database from the lists of their topics.
pub(super) async fn remove(tx: &mut Tx, events: &Rows) -> Result<(), StoreError> {
    let sql = "DELETE FROM event_topic WHERE (tenant, topic, id) IN (SELECT tenant, topic, id FROM {rows})";
    tx.bulk_unless_empty(sql, &rows_of(events)).await
}
