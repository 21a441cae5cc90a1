//! Routes of questions: a text becomes obligations, and a verified answer.

use abide_engine::base::Value;
use abide_judgement::obligations::{AskAnswer, AskRequest, Replay, replay};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::http::App;
use crate::http::app::ApiResult;
use crate::http::extract::Body;
use crate::http::guard::{Identity, Tenant};
use crate::http::idempotency::KeyedTenant;

/// A text to answer.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewQuestion {
    /// The text.
    #[serde(default)]
    text: String,
    /// Obligations instead of a text: a document as `contracts/obligations.schema.json` describes it.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    obligations: Option<Value>,
    /// The conversation: a text can complete what the one before lacked. Without, the conversation `default`.
    #[schema(max_length = 200)]
    session: Option<String>,
    /// Who asks, if the client asks for somebody. What a user has told is known to that user alone.
    #[schema(max_length = 200)]
    user: Option<String>,
    /// Whether the answer holds the trace.
    #[serde(default)]
    trace: bool,
}

/// Answers a text.
///
/// The text is read as obligations. Tools discharge them in durable calls, and the answer is verified before it leaves:
/// what cannot be verified becomes an honest uncertainty that names what is missing. What is to be kept, avoided or brought
/// about is done by a run, and the answer says until when.
#[utoipa::path(
    post, path = "/v1/ask", tag = "ask", operation_id = "ask",
    request_body = NewQuestion,
    responses((status = 200, body = AskAnswer, description = "The answer with its sources.")),
    extensions(("x-problem-codes" = json!(["text_invalid", "obligations_invalid", "session_invalid"])))
)]
pub(super) async fn ask(
    State(app): State<App>,
    KeyedTenant { tenant, key }: KeyedTenant,
    identity: Identity,
    Body(new): Body<NewQuestion>,
) -> ApiResult<AskAnswer> {
    let request = AskRequest {
        text: new.text,
        obligations: new.obligations,
        session: new.session,
        user: new.user.unwrap_or_else(|| identity.id.to_string()),
        key: key.text(),
    };
    let mut answer = app.asker.ask(&tenant, request.clone()).await?;
    if app.engine.has_model() {
        let (asker, tenant) = (app.asker.clone(), tenant.clone());
        tokio::spawn(async move {
            if let Err(problem) = asker.propose_goals(&tenant, &request).await {
                tracing::warn!(code = %problem.code, "no goals are proposed: {problem}");
            }
        });
    }
    if !new.trace {
        answer.trace = None;
    }
    Ok((StatusCode::OK, Json(answer)))
}

/// A trace to replay.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReplayBody {
    /// The trace, as an answer holds it.
    #[schema(value_type = Object)]
    trace: Value,
}

/// Replays a trace.
///
/// Gives the same answer from the stored assertions, or says which of them has changed.
#[utoipa::path(
    post, path = "/v1/ask/replay", tag = "ask", operation_id = "replay_answer",
    request_body = ReplayBody,
    responses((status = 200, body = Replay, description = "The answer, and what has changed since.")),
    extensions(("x-problem-codes" = json!(["trace_invalid"])))
)]
pub(super) async fn replay_trace(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Body(ReplayBody { trace }): Body<ReplayBody>,
) -> ApiResult<Replay> {
    Ok((StatusCode::OK, Json(replay(&app.engine, &tenant, &trace).await?)))
}
