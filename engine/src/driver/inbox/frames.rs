//! Shows a language model the state in which a text was written.

use std::sync::Arc;

use serde_json::json;

use super::super::core::Core;
use crate::base::{Digest, Problem, Value};
use crate::domain::{
    MessageMeaning, OpenAsks, SESSION_CHARS_MAX, SYSTEM_CHARS_MAX, TASK_CHARS_MAX, limited,
};
use crate::library::Library;
use crate::model::ModelRequest;
use crate::policy::Settings;
use crate::store::InboundRow;
use crate::transaction;

/// A message whose own reading is in doubt.
#[derive(Clone)]
pub(super) struct DoubtedMessage {
    pub(super) message: Arc<InboundRow>,
    /// The asks that were open for its sender, and what it means as an answer to them.
    pub(super) asks: Arc<OpenAsks>,
    pub(super) meaning: Arc<Value>,
    /// What a language model is to be asked.
    pub(super) request: Arc<ModelRequest>,
}

/// Returns the frames of a message: what tools exist and which rules apply, the conversation so far, and the work
/// that it is about. Each has a limit in characters.
pub(super) async fn frames(core: &Arc<Core>, doubted: &DoubtedMessage) -> Result<Value, Problem> {
    let read = transaction!([core = Arc::clone(core), doubted = doubted.clone()], |tx| {
        let DoubtedMessage { message, asks, meaning, .. } = &doubted;
        let settings = core.settings(tx, &message.tenant).await?;
        let library = core.library();
        let cx = core.domain_context(&message.tenant, &settings, &library);
        let own = MessageMeaning { asks, meaning };
        let known = core.domain.frames(tx, &cx, message, own).await?;
        Ok(json!({
            "system": limited(system(&library, &settings), SYSTEM_CHARS_MAX),
            "session": limited(known.session, SESSION_CHARS_MAX),
            "task": limited(known.task, TASK_CHARS_MAX),
        }))
    });
    core.store.read(read).await
}

/// Returns the tools with their tiers, the rules of the tenant, and the digest of both.
fn system(library: &Library, settings: &Settings) -> Value {
    let tools: Vec<String> =
        library.contracts.iter().map(|tool| format!("{} {}", tool.name, tool.risk)).collect();
    let policies = json!({
        "quiet_hours": settings.quiet_hours,
        "broadcast_approval_over": settings.broadcast_approval_over,
        "per_person_per_week": settings.per_person_per_week,
        "messages_per_month": settings.messages_per_month,
        "time_zone": settings.time_zone,
        "region": settings.region,
    });
    let digest = Digest::of_value(&json!([tools, policies]));
    json!({ "tools": tools, "policies": policies, "digest": digest.to_string() })
}
