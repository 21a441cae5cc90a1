//! Redacts the bodies of events. Each redacted event is recorded, with the digest of what is left of it, so that an audit
//! can tell a redaction from a forgery.

use serde_json::json;

use super::PAGE_ROWS;
use super::rows::{TextCursor, TextPage, next_key};
use crate::base::{Digest, Problem, StreamId, Value, text};
use crate::erasure::Redactor;
use crate::params;
use crate::store::error::StoreError;
use crate::store::ledger::{LedgerRow, read, select_event};
use crate::store::param::{ColumnType, Param};
use crate::store::row::Row;
use crate::store::rows::Rows;
use crate::store::tx::Tx;

/// An event whose body was redacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RedactedEvent {
    /// The stream of the event.
    pub stream: StreamId,
    /// The position of the event in its stream.
    pub seq: i64,
    /// The digest of the event as it is now.
    pub digest: Digest,
}

impl RedactedEvent {
    /// Returns the record of the redaction of an event, which has its new body.
    #[must_use]
    pub fn of(event: &LedgerRow) -> Self {
        let digest = Digest::of(event.canonical().as_bytes());
        Self { stream: event.stream, seq: event.seq, digest }
    }

    /// Returns the record as it stands in an event.
    #[must_use]
    pub fn to_value(self) -> Value {
        json!([self.stream, self.seq, self.digest.to_string()])
    }

    /// Reads a record that stands in an event; `None` if it is none.
    #[must_use]
    pub fn from_value(value: &Value) -> Option<Self> {
        let stream = serde_json::from_value(value.get(0)?.clone()).ok()?;
        let digest = Digest::parse(value.get(2)?.as_str()?)?;
        Some(Self { stream, seq: value.get(1)?.as_i64()?, digest })
    }
}

/// Returns an event with its body redacted; `None` if it contains no personal data.
///
/// # Errors
/// A problem that reports a bug, if the redacted body cannot be read.
pub fn redacted_event(
    mut event: LedgerRow,
    redactor: &Redactor,
) -> Result<Option<LedgerRow>, Problem> {
    let Some(body) = redactor.redact(&text::json(&event.body)) else { return Ok(None) };
    event.body = serde_json::from_str(&body)
        .map_err(|e| Problem::bug(format!("a redacted event cannot be read: {e}")))?;
    Ok(Some(event))
}

impl Tx {
    /// Reads the next events of a tenant, and returns those with personal data, redacted.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn redacted_events(
        &mut self,
        tenant: &str,
        after: &TextCursor,
        redactor: &Redactor,
    ) -> Result<TextPage<Vec<LedgerRow>>, Problem> {
        let sql = select_event!("WHERE tenant = $1 AND id > $3 ORDER BY id LIMIT $2");
        let mut params = params![tenant, PAGE_ROWS].to_vec();
        params.extend(after.iter().cloned());
        let found = self.rows(sql, &params).await?;
        let mut redacted = Vec::new();
        for row in &found {
            redacted.extend(redacted_event(read(row)?, redactor)?);
        }
        let key_of = |row: &Row| Ok(vec![row.param("id", ColumnType::Id)?]);
        Ok(TextPage { redacted, next: next_key(&found, key_of)? })
    }

    /// Writes the bodies of redacted events. Their hashes stay, so that the chain still holds.
    ///
    /// # Errors
    /// Errors of the store.
    pub async fn write_redacted_events(&mut self, events: &[LedgerRow]) -> Result<(), StoreError> {
        let mut rows = Rows::new(&[
            ("stream", ColumnType::Id),
            ("seq", ColumnType::Int),
            ("body", ColumnType::Text),
        ]);
        for event in events {
            rows.push([
                event.stream.into(),
                event.seq.into(),
                Param::from(text::json(&event.body)),
            ]);
        }
        let sql = "UPDATE ledger SET body = v.body FROM {rows} WHERE ledger.stream = v.stream AND ledger.seq = v.seq";
        self.bulk(sql, &[], &rows).await.map(drop)
    }
}
