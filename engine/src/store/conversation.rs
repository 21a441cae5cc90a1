//! What was written between a number and us.

use super::contact::ContactId;
use super::error::StoreError;
use super::row::Row;
use super::tx::Tx;
use crate::base::{MessageId, Timestamp};
use crate::params;

/// The texts of a number, and those to it, before a message: the newest first.
const TEXTS: [&str; 2] = [
    "SELECT i.id, 0 AS ours, i.received_at AS at, b.value AS text FROM inbound i JOIN pii b ON b.id = i.body
     WHERE i.tenant = $1 AND i.sender = $2 AND {i.id} < $3 ORDER BY {i.id} DESC LIMIT $4",
    "SELECT o.id, 1 AS ours, o.not_before AS at, b.value AS text FROM outbox o JOIN pii b ON b.id = o.body
     WHERE o.tenant = $1 AND o.contact = $2 AND {o.id} < $3 ORDER BY {o.id} DESC LIMIT $4",
];

/// One text of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// The id of the message.
    pub id: MessageId,
    /// Whether we wrote it.
    pub is_ours: bool,
    /// When it was received, or may be sent.
    pub at: Timestamp,
    /// The text.
    pub text: String,
}

impl Tx {
    /// Returns the last texts between a number and us before the message `before`, at most `limit` of them, the oldest
    /// first.
    pub async fn last_turns(
        &mut self,
        tenant: &str,
        contact: ContactId,
        before: MessageId,
        limit: i64,
    ) -> Result<Vec<Turn>, StoreError> {
        let mut turns = Vec::new();
        for sql in TEXTS {
            let rows = self.rows(sql, &params![tenant, contact, before, limit]).await?;
            for row in &rows {
                turns.push(read(row)?);
            }
        }
        turns.sort_by_key(|turn| turn.id);
        let limit = usize::try_from(limit).unwrap_or(0);
        Ok(turns.split_off(turns.len().saturating_sub(limit)))
    }
}

fn read(row: &Row) -> Result<Turn, StoreError> {
    Ok(Turn {
        id: row.id("id")?,
        is_ours: row.flag("ours")?,
        at: row.at("at")?,
        text: row.text("text")?,
    })
}
