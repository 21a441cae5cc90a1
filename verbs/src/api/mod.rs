//! The functions behind the HTTP API and the command line. They read and change the directory,
//! requests, the inbox, the knowledge base, services and capacities, and say how people answer.
//!
//! Each function works inside the caller's transaction, so that the caller can store the returned value
//! under an idempotency key in the same commit. The returned values are the JSON objects of the HTTP API.

pub mod capacity;
pub mod inbox;
pub mod insights;
pub mod kb;
pub mod people;
pub mod phone;
pub mod requests;
pub mod seed;
pub mod services;
mod tenant_context;
mod tenant_ledger;

pub use abide_engine::facade::Page;
pub use tenant_context::TenantContext;

use abide_engine::base::{Problem, TypedId, limits};

/// Which page of a list is to be returned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageRequest {
    /// `next_cursor` of the previous page; `None` for the first page.
    pub cursor: Option<String>,
    /// Maximum number of items, from 1 to [`limits::PAGE_MAX`]; a value outside this range is clamped.
    /// `None` selects the default page length.
    pub limit: Option<usize>,
}

impl PageRequest {
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
