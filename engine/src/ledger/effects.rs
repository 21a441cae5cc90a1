//! What a call did to the world, for its receipt.

use serde::{Deserialize, Serialize};

/// What a call did, for its receipt.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Effects {
    /// Rows that were written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub db_writes: Vec<DbWrite>,
    /// Messages that were queued, by id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages_sent: Vec<String>,
    /// The earlier messages that stood for ones of this call, by their idempotency key.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub idempotency_hit: Vec<String>,
}

/// A row that a call wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DbWrite {
    /// The table.
    pub table: String,
    /// `insert`, `update` or `delete`.
    pub action: String,
    /// The row's id.
    pub id: String,
}

impl Effects {
    /// Notes a row that was written.
    pub fn wrote(&mut self, table: &str, action: &str, id: impl std::fmt::Display) {
        self.db_writes.push(DbWrite {
            table: table.to_owned(),
            action: action.to_owned(),
            id: id.to_string(),
        });
    }

    /// Adds what a further chunk of the same call did.
    pub fn extend(&mut self, other: Self) {
        self.db_writes.extend(other.db_writes);
        self.messages_sent.extend(other.messages_sent);
        self.idempotency_hit.extend(other.idempotency_hit);
    }
}
