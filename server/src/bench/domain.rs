//! A domain without requests, people and messages.

use abide_engine::domain::{Domain, DomainContext, PreparedStart, StartRun};
use serde_json::json;

/// A domain whose runs have no request. All else keeps its default.
pub(super) struct NoDomain;

impl Domain for NoDomain {
    fn prepare_in_memory(&self, cx: &DomainContext<'_>, start: &StartRun) -> Option<PreparedStart> {
        let ctx = json!({ "tenant": cx.tenant });
        Some(PreparedStart { request: None, goal: start.goal.clone(), ctx, conflict: None })
    }
}
