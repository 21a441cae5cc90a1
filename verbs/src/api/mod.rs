//! What people outside the engine do with the church: its directory and its requests.
//!
//! Each function works inside the transaction that it is given, so that an answer can be stored
//! under its idempotency key in the commit of what it did. Answers are the objects of the HTTP API.

mod caller;
pub mod capacity;
pub mod inbox;
pub mod kb;
pub mod people;
pub mod phone;
mod record;
pub mod requests;
pub mod seed;

pub use caller::Caller;

use abide_engine::base::{Problem, TypedId, limits};
use serde::Serialize;

/// A part of a list, and where the next part begins.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Page<T> {
    /// This part.
    pub items: Vec<T>,
    /// Give it as `cursor` to get the next part; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// Which part of a list is wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Part {
    /// Where the part before ended.
    pub cursor: Option<String>,
    /// At most so many; bounded.
    pub limit: Option<usize>,
}

impl Part {
    fn limit(&self) -> usize {
        self.limit.unwrap_or(limits::PAGE_DEFAULT).clamp(1, limits::PAGE_MAX)
    }

    fn after<T: TypedId>(&self) -> Result<Option<T>, Problem> {
        self.cursor.as_deref().map(str::parse).transpose().map_err(
            |e: abide_engine::base::BadId| {
                Problem::caller("invalid_cursor", e.to_string())
                    .with_hint("give `next_cursor` of the part before, as it was")
            },
        )
    }
}
