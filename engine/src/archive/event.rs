//! Reads an event from the row of an archive.

use serde_json::{Map, Value};
use uuid::Uuid;

use crate::base::{Digest, Timestamp, TypedId};
use crate::ledger::KindName;
use crate::store::LedgerRow;

/// Reads an event from the row of an archive; `None` if the row is not that of an event.
#[must_use]
pub fn archived_event(row: &Map<String, Value>) -> Option<LedgerRow> {
    Some(LedgerRow {
        id: id(row, "id")?,
        stream: id(row, "stream")?,
        seq: row.get("seq")?.as_i64()?,
        tenant: row.get("tenant")?.as_str()?.to_owned(),
        kind: KindName::stored(row.get("kind")?.as_str()?.to_owned()),
        at: Timestamp::from_micros(row.get("at")?.as_i64()?),
        run: id(row, "run_id"),
        call: id(row, "call_id"),
        tool: text(row, "tool"),
        status: text(row, "status"),
        correlation: id(row, "correlation"),
        body: serde_json::from_str(row.get("body")?.as_str()?).ok()?,
        hash: Digest::parse(row.get("hash")?.as_str()?)?,
    })
}

/// Reads an id in hexadecimal; `None` if the column is NULL.
#[must_use]
pub fn archived_id<T: TypedId>(row: &Map<String, Value>, column: &str) -> Option<T> {
    id(row, column)
}

fn id<T: TypedId>(row: &Map<String, Value>, column: &str) -> Option<T> {
    Uuid::try_parse(row.get(column)?.as_str()?).ok().map(T::from_uuid)
}

fn text(row: &Map<String, Value>, column: &str) -> Option<String> {
    row.get(column)?.as_str().map(str::to_owned)
}
