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
    /// Messages that it decided on, and that are queued later: a few thousand texts do not hold up the
    /// writer.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub messages_to_come: u64,
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

    /// The messages that it led to, on their way or still to be queued.
    #[must_use]
    pub fn messages(&self) -> u64 {
        self.messages_sent.len() as u64 + self.messages_to_come
    }

    /// Adds what a further chunk of the same call did.
    pub fn extend(&mut self, other: Self) {
        self.db_writes.extend(other.db_writes);
        self.messages_sent.extend(other.messages_sent);
        self.messages_to_come += other.messages_to_come;
        self.idempotency_hit.extend(other.idempotency_hit);
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}
