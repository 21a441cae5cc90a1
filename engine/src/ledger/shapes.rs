//! Defines the structure of those members of a receipt that are stored as JSON values. The description
//! of the HTTP API refers to these types, and a test checks the server's responses against them.

use serde::Serialize;
use utoipa::ToSchema;

use super::effects::{DbWrite, ExternalEffect};

/// The changes that a call made outside its run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ReceiptEffects {
    /// Rows that the call wrote; a long list is counted instead.
    pub db_writes: CountedList<DbWrite>,
    /// Ids of the messages that the call queued; a long list is counted instead.
    pub messages_sent: CountedList<String>,
    /// Digests of the files that the call stored.
    pub files_written: Vec<String>,
    /// Calls to outside systems.
    pub external_calls: Vec<ExternalEffect>,
    /// Number of messages of the call that are queued later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages_to_come: Option<u64>,
    /// Idempotency keys of earlier messages that were not sent again; a long list is counted instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotency_hit: Option<CountedList<String>>,
}

/// A list, or the count of a long one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum CountedList<T> {
    /// All items.
    All(Vec<T>),
    /// The count of a list that is too long for a receipt.
    Counted(ListCount<T>),
}

/// The count of a list that is too long for a receipt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ListCount<T> {
    /// Number of items.
    pub count: u64,
    /// Digest of the whole list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The first three items.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub first: Vec<T>,
}
