//! The route by which the server of a tool completes a call that it has accepted.

use abide_engine::base::{CallId, Problem, RunId, Value};
use abide_engine::facade::Completion;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::http::App;
use crate::http::app::ApiResult;
use crate::http::extract::{Body, Id};
use crate::http::guard::bearer;
use crate::problem::ProblemDocument;

/// Maximum length of the code of an error, as long as the names of tools.
const CODE_CHARS_MAX: usize = 80;
/// Maximum length of the message of an error, which people read in a receipt.
const MESSAGE_CHARS_MAX: usize = 1_000;

/// The outcome of a call: its result, or why it failed.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CallOutcome {
    /// Result of the call. It must fit the tool's `output_schema`.
    #[schema(value_type = Option<Object>)]
    result: Option<Value>,
    /// Why the call failed and had no effect.
    error: Option<CallError>,
}

/// Why a call failed.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CallError {
    /// Stable code: lower-case letters, digits and `_`.
    code: String,
    /// What went wrong, in one sentence.
    message: String,
}

/// A call whose outcome is stored.
#[derive(Serialize, ToSchema)]
pub(super) struct CompletedCall {
    /// Id of the call.
    call_id: CallId,
}

impl CallOutcome {
    fn read(self) -> Result<Result<Value, Problem>, ProblemDocument> {
        match (self.result, self.error) {
            (Some(result), None) => Ok(Ok(result)),
            (None, Some(error)) => error.read().map(Err),
            _ => Err(ProblemDocument::schema("give either `result` or `error`")),
        }
    }
}

impl CallError {
    fn read(self) -> Result<Problem, ProblemDocument> {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        let fits = (1..=CODE_CHARS_MAX).contains(&self.code.len()) && self.code.chars().all(plain);
        if !fits {
            let detail = "`code` takes lower-case letters, digits and `_`";
            return Err(ProblemDocument::schema(detail));
        }
        let message: String = self.message.chars().take(MESSAGE_CHARS_MAX).collect();
        Ok(Problem::caller(self.code, message))
    }
}

/// Completes a call that a server of the home has accepted.
///
/// The bearer token is that of the call, which came with it in the header `Abide-Completion-Token`. The same
/// outcome may be sent again. Another outcome, or one that comes after the deadline of the call, is a
/// conflict.
#[utoipa::path(
    post, path = "/v1/calls/{id}/complete", tag = "tools", operation_id = "complete_call",
    params(("id" = CallId, Path, description = "The call.")),
    request_body = CallOutcome,
    responses((status = 200, body = CompletedCall, description = "The outcome is stored.")),
    extensions(("x-problem-codes" = json!(["unauthorized", "not_found", "call_finished"])))
)]
pub(super) async fn complete(
    State(app): State<App>,
    Id(call): Id<CallId>,
    headers: HeaderMap,
    Body(outcome): Body<CallOutcome>,
) -> ApiResult<CompletedCall> {
    let outcome = outcome.read()?;
    let token = bearer(&headers).and_then(|token| token.split_once('.'));
    let (run, token) = token.unwrap_or_default();
    let Ok(run) = run.parse::<RunId>() else {
        let detail = "the token of the call is needed";
        return Err(ProblemDocument::new(401, "unauthorized", detail)
            .with_hint("send what came with the call in `Abide-Completion-Token`"));
    };
    app.engine.complete_call(Completion { call, run, token: token.to_owned(), outcome }).await?;
    Ok((StatusCode::OK, Json(CompletedCall { call_id: call })))
}
