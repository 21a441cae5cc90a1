//! The functions behind the HTTP API and the command line: directory, requests, inbox, knowledge base
//! and capacities.
//!
//! Each function works inside the caller's transaction, so that its answer can be stored under an
//! idempotency key in the same commit as its changes. Answers are the objects of the HTTP API.

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

/// A page of a list, with the cursor of the next page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Page<T> {
    /// The items of this page.
    pub items: Vec<T>,
    /// The `cursor` of the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// The page of a list to return.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Part {
    /// `next_cursor` of the previous page; `None` for the first page.
    pub cursor: Option<String>,
    /// Maximum number of items, clamped to the bounds of a page; `None` for the default.
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
                    .with_hint("pass `next_cursor` of the previous page unchanged")
            },
        )
    }
}
