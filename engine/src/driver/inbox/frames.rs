//! Shows a language model the state in which a text was written.

use std::sync::Arc;

use serde_json::json;

use super::super::core::Core;
use crate::base::{Problem, Value};
use crate::domain::{
    MessageMeaning, OpenAsks, SESSION_CHARS_MAX, SYSTEM_CHARS_MAX, TASK_CHARS_MAX, limited,
    system_frame,
};
use crate::model::ModelRequest;
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
            "system": limited(system_frame(&library.contracts, &settings), SYSTEM_CHARS_MAX),
            "session": limited(known.session, SESSION_CHARS_MAX),
            "task": limited(known.task, TASK_CHARS_MAX),
        }))
    });
    core.store.read(read).await
}
