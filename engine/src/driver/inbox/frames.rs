//! Shows a language model the state in which a text was written.

use serde_json::json;

use super::super::core::Core;
use crate::base::{Digest, Problem, Value};
use crate::domain::{
    DomainContext, MessageMeaning, SESSION_CHARS_MAX, SYSTEM_CHARS_MAX, TASK_CHARS_MAX, limited,
};
use crate::policy::Settings;
use crate::store::{InboundRow, Tx};

/// Returns the frames of a message: what tools exist and which rules apply, the conversation so far, and the work
/// that it is about. Each has a limit in characters.
pub(super) async fn frames(
    core: &Core,
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    message: &InboundRow,
    own: MessageMeaning<'_>,
) -> Result<Value, Problem> {
    let known = core.domain.frames(tx, cx, message, own).await?;
    Ok(json!({
        "system": limited(system(core, cx.settings), SYSTEM_CHARS_MAX),
        "session": limited(known.session, SESSION_CHARS_MAX),
        "task": limited(known.task, TASK_CHARS_MAX),
    }))
}

/// Returns the tools with their tiers, the rules of the tenant, and the digest of both.
fn system(core: &Core, settings: &Settings) -> Value {
    let library = core.library();
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
