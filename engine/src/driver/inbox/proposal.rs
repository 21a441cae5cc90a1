//! Lets a language model propose what a message means, where the domain's own reader is not sure. The model works
//! outside any transaction, and other messages are applied meanwhile. Proposals are kept in memory only: after
//! a crash, the model is asked again.

use std::sync::Arc;

use super::super::core::{Answer, Core, DriveMode};
use super::super::current_part::{INBOX, as_part};
use crate::base::{Digest, Span, Timestamp, Value};
use crate::model::ModelRequest;
use crate::store::InboundRow;
use crate::transaction;

/// How long later messages may have to wait because the model works on an earlier one. Then the own reading of
/// the earlier message counts.
const HOLDS_UP_MAX: Span = Span::from_secs(2);
/// The name under which the tokens of a day are counted. No tenant can have it.
const TOKENS: &str = "#model";
const DAY: Span = Span::from_secs(86_400);

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
    message: &InboundRow,
    request: &Arc<ModelRequest>,
    holds_up: bool,
) -> Proposed {
    if core.drive_mode == DriveMode::InLine {
        return ask(core, request).await.map_or(Proposed::Nothing, Proposed::Given);
    }
    let (id, about, now) = (message.id, Digest::of_value(&request.input), core.now());
    match core.proposals.look(id, about, now) {
        Some((Answer::Given(Some(value)), _)) => Proposed::Given(value),
        Some((Answer::Given(None), _)) => Proposed::Nothing,
        Some((Answer::Pending, since)) if holds_up && now >= since + HOLDS_UP_MAX => {
            Proposed::Nothing
        }
        Some((Answer::Pending, _)) => Proposed::Waits,
        None => {
            let (core, request) = (Arc::clone(core), Arc::clone(request));
            tokio::spawn(as_part(INBOX, async move {
                let answer = ask(&core, &request).await;
                core.proposals.keep(id, about, answer);
                core.bells.inbox.ring();
            }));
            Proposed::Waits
        }
    }
}

/// Asks the model. Returns its proposal if it fits the schema; `None` if the day's tokens are used up, or if the
/// model has failed.
async fn ask(core: &Arc<Core>, request: &ModelRequest) -> Option<Arc<Value>> {
    let config = core.model.as_ref()?;
    let day = Timestamp::from_micros(core.now().micros() / DAY.micros() * DAY.micros());
    if let Some(limit) = config.tokens_per_day {
        let read = transaction!(|tx| Ok(tx.spent(TOKENS, day).await?));
        let used = core.store.read(read).await.unwrap_or(i64::MAX);
        if u64::try_from(used).unwrap_or(0) >= limit {
            count(request, "over_budget");
            return None;
        }
    }
    let answer = match config.model.propose(request).await {
        Ok(answer) => answer,
        Err(problem) => {
            tracing::warn!(task = request.task, code = %problem.code, "the model gave no proposal: {problem}");
            count(request, "failed");
            return None;
        }
    };
    let tokens = i64::try_from(answer.tokens).unwrap_or(i64::MAX);
    let spend = transaction!(|tx| Ok(tx.spend(TOKENS, day, tokens, i64::MAX).await?));
    if let Err(problem) = core.store.write(spend).await {
        tracing::warn!(code = %problem.code, "the tokens of a request to the model are not counted: {problem}");
    }
    let fits = jsonschema::is_valid(&request.schema, &answer.value);
    count(request, if fits { "proposed" } else { "invalid" });
    fits.then(|| Arc::new(answer.value))
}

/// Counts a request by how it ended.
fn count(request: &ModelRequest, end: &'static str) {
    metrics::counter!("abide_model_requests_total", "task" => request.task, "end" => end)
        .increment(1);
}
