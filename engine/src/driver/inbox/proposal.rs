//! Lets a language model propose what a message means, where the domain's own reader is not sure. The model works
//! outside any transaction, and other messages are applied meanwhile. Proposals are kept in memory only: after
//! a crash, the model is asked again.

use std::sync::Arc;

use super::super::core::{Answer, Core, DriveMode, ask_model};
use super::super::current_part::{INBOX, as_part};
use super::frames::{DoubtedMessage, frames};
use crate::base::{Digest, Span, Value};
use crate::model::ModelRequest;

/// How long later messages may have to wait because the model works on an earlier one. Then the own reading of
/// the earlier message counts.
const HOLDS_UP_MAX: Span = Span::from_secs(2);

/// What is known of the proposal for a message.
pub(super) enum Proposed {
    /// The model works on it, so the message must wait.
    Waits,
    /// There is none, and none will come.
    Nothing,
    /// The proposal, which fits the schema of its request.
    Given(Arc<Value>),
}

/// Returns the proposal for a message. Asks the model if it has not been asked yet. `holds_up` says whether
/// later messages wait for this one.
pub(super) async fn proposed(
    core: &Arc<Core>,
    doubted: DoubtedMessage,
    holds_up: bool,
) -> Proposed {
    if core.drive_mode == DriveMode::InLine {
        return ask(core, &doubted).await.map_or(Proposed::Nothing, Proposed::Given);
    }
    let (id, now) = (doubted.message.id, core.now());
    let about = Digest::of_value(&doubted.request.input);
    match core.proposals.look(id, about, now) {
        Some((Answer::Given(Some(value)), _)) => Proposed::Given(value),
        Some((Answer::Given(None), _)) => Proposed::Nothing,
        Some((Answer::Pending, since)) if holds_up && now >= since + HOLDS_UP_MAX => {
            Proposed::Nothing
        }
        Some((Answer::Pending, _)) => Proposed::Waits,
        None => {
            let core = Arc::clone(core);
            tokio::spawn(as_part(INBOX, async move {
                let answer = ask(&core, &doubted).await;
                core.proposals.keep(id, about, answer);
                core.bells.inbox.ring();
            }));
            Proposed::Waits
        }
    }
}

/// Asks the model about a message, and shows it the state in which the message was written.
async fn ask(core: &Arc<Core>, doubted: &DoubtedMessage) -> Option<Arc<Value>> {
    let mut request = ModelRequest::clone(&doubted.request);
    match frames(core, doubted).await {
        Ok(frames) => request.input["frames"] = frames,
        Err(problem) => {
            tracing::warn!(code = %problem.code, "the model is asked without frames: {problem}");
        }
    }
    ask_model(core, &request).await
}
