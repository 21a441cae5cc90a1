//! Collects the effects of a call, which the receipt of the call records.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The changes that a call made: the rows that it wrote, the messages that it queued, the files that it
/// stored, and the outside systems that it called.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Effects {
    /// Rows that the call wrote.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub db_writes: Vec<DbWrite>,
    /// Ids of the messages that the call queued.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages_sent: Vec<String>,
    /// Number of messages of the call that later transactions queue. A call with thousands of messages
    /// queues them in several transactions, so that no transaction blocks the writer for too long.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub messages_to_come: u64,
    /// Digests of the files that the call stored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files_written: Vec<String>,
    /// Calls to outside systems.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub external_calls: Vec<ExternalEffect>,
    /// Idempotency keys of messages that were not queued because an earlier message has the same key.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub idempotency_hit: Vec<String>,
}

/// A row that a call wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DbWrite {
    /// Name of the table.
    pub table: String,
    /// `insert`, `update` or `delete`.
    pub action: String,
    /// Id of the row.
    pub id: String,
}

crate::words! {
    /// What became of a call to an outside system.
    pub enum ExternalOutcome {
        /// The outside system did what it was asked.
        Done = "done",
        /// Nothing was done.
        NotDone = "not_done",
        /// It is not known whether anything was done.
        Unknown = "unknown",
    }
}

/// A call to an outside system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExternalEffect {
    /// Name of the adapter that made the call.
    pub adapter: String,
    /// Whom the adapter called: a host, an address.
    pub target: String,
    /// Number of times that the call was made.
    pub tries: u32,
    /// What became of the call.
    pub outcome: ExternalOutcome,
}

impl Effects {
    /// Records that the call wrote a row.
    pub fn wrote(&mut self, table: &str, action: &str, id: impl std::fmt::Display) {
        self.db_writes.push(DbWrite {
            table: table.to_owned(),
            action: action.to_owned(),
            id: id.to_string(),
        });
    }

    /// Returns the number of messages of the call, both queued and to be queued later.
    #[must_use]
    pub fn messages(&self) -> u64 {
        self.messages_sent.len() as u64 + self.messages_to_come
    }

    /// Adds the effects of another chunk (transaction) of the same call.
    pub fn extend(&mut self, other: Self) {
        self.db_writes.extend(other.db_writes);
        self.messages_sent.extend(other.messages_sent);
        self.messages_to_come += other.messages_to_come;
        self.files_written.extend(other.files_written);
        self.external_calls.extend(other.external_calls);
        self.idempotency_hit.extend(other.idempotency_hit);
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}
