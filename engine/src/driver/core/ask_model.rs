//! Asks the language model, within the tokens of the day.

use std::sync::Arc;

use super::state::Core;
use crate::base::{Span, Timestamp, Value};
use crate::model::ModelRequest;
use crate::transaction;

/// The name under which the tokens of a day are counted. No tenant can have it.
const TOKENS: &str = "#model";
const DAY: Span = Span::from_secs(86_400);

/// Asks the model. Returns its proposal if it fits the schema; `None` if the day's tokens are used up, or if the
/// model has failed.
pub(crate) async fn ask_model(core: &Core, request: &ModelRequest) -> Option<Arc<Value>> {
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
