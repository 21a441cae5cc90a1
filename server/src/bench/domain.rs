//! The domain of the benchmark, which has no requests, people or messages.

use abide_engine::domain::{Domain, DomainContext, PreparedStart, StartRun};
use serde_json::json;

/// A domain whose runs belong to no request. Functions of [`Domain`] that are not defined here keep their
/// defaults.
pub(super) struct NoDomain;

impl Domain for NoDomain {
    fn prepare_in_memory(&self, cx: &DomainContext<'_>, start: &StartRun) -> Option<PreparedStart> {
        let ctx = json!({ "tenant": cx.tenant });
        Some(PreparedStart { request: None, goal: start.goal.clone(), ctx, conflict: None })
    }
}
