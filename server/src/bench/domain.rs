//! A domain for the benchmark: without requests, people and messages.

use abide_engine::domain::{Domain, DomainContext, PreparedStart, StartRun};
use serde_json::json;

/// A domain whose runs work for no request. All other functions of [`Domain`] keep their defaults.
pub(super) struct NoDomain;

impl Domain for NoDomain {
    fn prepare_in_memory(&self, cx: &DomainContext<'_>, start: &StartRun) -> Option<PreparedStart> {
        let ctx = json!({ "tenant": cx.tenant });
        Some(PreparedStart { request: None, goal: start.goal.clone(), ctx, conflict: None })
    }
}
