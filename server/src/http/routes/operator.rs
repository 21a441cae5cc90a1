//! Routes of the operator: a message becomes a plan, and perhaps a run of it.

use std::time::Duration;

use abide_engine::base::{PlanId, Span, Value};
use abide_judgement::operator::{OperatorAnswer, OperatorCaller, OperatorMode, OperatorRequest};
use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::Deserialize;
use serde_json::Map;
use utoipa::{IntoParams, ToSchema};

use super::approvals::CallerDecides;
use crate::http::App;
use crate::http::app::ApiResult;
use crate::http::extract::{Body, Id, Query};
use crate::http::guard::Tenant;
use crate::http::idempotency::KeyedTenant;
use crate::problem::ProblemDocument;
use crate::role::Role;

/// How long a plan is awaited if the request does not say: most plans have run by then.
const WAIT_DEFAULT: Duration = Duration::from_secs(30);
/// Maximum time that a plan is awaited, so that no connection stays open for longer.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// A message to the operator.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewMessage {
    /// What is wanted, in words. `APPROVE: ` and the id of an approval approves a plan.
    message: String,
    /// How far the operator goes.
    #[serde(default = "analyze")]
    mode: OperatorMode,
    /// Whether the client approves the plan that this very request computes, which only a supervisor or an admin may.
    /// Without, a plan of risk T2 or above waits for an approval.
    #[serde(default)]
    explicit_approval: bool,
    /// What is known besides the message, such as `{"quote_id": "abc123"}`.
    #[serde(default)]
    #[schema(value_type = Object)]
    context: Map<String, Value>,
    /// The conversation: a message can complete what the one before lacked.
    session: Option<String>,
}

const fn analyze() -> OperatorMode {
    OperatorMode::Analyze
}

/// Query parameters of a message to the operator.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct MessageQuery {
    /// How long to wait for the receipts, such as `10s`; at most `60s`.
    #[param(default = "30s")]
    wait: Option<String>,
}

/// Who sends a message to the operator, and how long they wait.
pub(super) struct MessageTerms {
    caller: OperatorCaller,
    role: Role,
}

impl<S: Send + Sync> FromRequestParts<S> for MessageTerms {
    type Rejection = ProblemDocument;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let Query(query) = Query::<MessageQuery>::from_request_parts(parts, state).await?;
        let role = parts.extensions.get::<Role>().copied().unwrap_or(Role::Viewer);
        let CallerDecides(decider) = CallerDecides::from_request_parts(parts, state).await?;
        let wait = match query.wait {
            None => WAIT_DEFAULT,
            Some(text) => {
                let span = text.parse::<Span>();
                let span = span.map_err(|e| ProblemDocument::schema(format!("`wait`: {e}")))?;
                Duration::from_micros(u64::try_from(span.micros()).unwrap_or(0)).min(WAIT_MAX)
            }
        };
        let decider = role.may_consent().then_some(decider);
        Ok(Self { caller: OperatorCaller { decider, wait }, role })
    }
}

/// Asks the operator.
///
/// The message is classified, and planned from the contracts and the database; each layer is stored before the next
/// begins. In the modes that run, the plan becomes a run with its own gates, whose receipts the answer holds if they
/// come in time. A plan of risk T2 or above waits for an approval before its first call: then the answer has
/// `approval_id` and the status 202. A message that is refused, or lacks something, is an answer too.
#[utoipa::path(
    post, path = "/v1/operator", tag = "operator", operation_id = "ask_operator",
    params(MessageQuery),
    request_body = NewMessage,
    responses(
        (status = 200, body = OperatorAnswer, description = "The answer under its five headings."),
        (status = 202, body = OperatorAnswer, description = "The answer; the plan runs still, or waits for an approval.")
    ),
    extensions(("x-problem-codes" = json!([
        "message_invalid", "context_too_large", "session_invalid", "key_clash", "plan_too_long", "plan_invalid",
        "domain_disabled", "unknown_approval", "approval_decided", "approval_expired", "unknown_plan"
    ])))
)]
pub(super) async fn ask(
    State(app): State<App>,
    KeyedTenant { tenant, key }: KeyedTenant,
    MessageTerms { caller, role }: MessageTerms,
    Body(new): Body<NewMessage>,
) -> ApiResult<OperatorAnswer> {
    if new.explicit_approval && !role.may_consent() {
        let detail = format!("a client with the role `{role}` cannot approve a plan");
        let hint = "leave `explicit_approval` out; the plan then waits for a supervisor";
        return Err(ProblemDocument::new(403, "forbidden", detail).with_hint(hint));
    }
    let request = OperatorRequest {
        message: new.message,
        mode: new.mode,
        consented: new.explicit_approval,
        context: new.context,
        session: new.session,
        key: key.text(),
    };
    let answer = app.operator.process(&tenant, request, &caller).await?;
    let status = if answer.has_ended { StatusCode::OK } else { StatusCode::ACCEPTED };
    Ok((status, Json(answer)))
}

/// Returns the answer to an earlier message, as it is now.
#[utoipa::path(
    get, path = "/v1/operator/{id}", tag = "operator", operation_id = "get_operator_answer",
    params(("id" = PlanId, Path, description = "The plan.")),
    responses((status = 200, body = OperatorAnswer, description = "The answer.")),
    extensions(("x-problem-codes" = json!(["unknown_plan"])))
)]
pub(super) async fn show(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(plan): Id<PlanId>,
) -> ApiResult<OperatorAnswer> {
    Ok((StatusCode::OK, Json(app.operator.answer_of(&tenant, plan).await?)))
}

/// An order to make up for a plan.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RollbackBody {
    /// Whether the client approves the calls that make up for the plan, which only a supervisor or an admin may. Without,
    /// they are planned and nothing runs.
    #[serde(default)]
    explicit_approval: bool,
}

/// Makes up for what a plan has done.
///
/// Plans, for each call that succeeded and the last first, the call that its contract names, and runs them once they are
/// approved.
#[utoipa::path(
    post, path = "/v1/operator/{id}/rollback", tag = "operator", operation_id = "roll_back_plan",
    params(("id" = PlanId, Path, description = "The plan."), MessageQuery),
    request_body = RollbackBody,
    responses(
        (status = 200, body = OperatorAnswer, description = "The answer under its five headings."),
        (status = 202, body = OperatorAnswer, description = "The answer; the calls run still, or wait for an approval.")
    ),
    extensions(("x-problem-codes" = json!(["unknown_plan", "plan_running", "plan_too_long", "domain_disabled"])))
)]
pub(super) async fn roll_back(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(plan): Id<PlanId>,
    MessageTerms { caller, role }: MessageTerms,
    Body(body): Body<RollbackBody>,
) -> ApiResult<OperatorAnswer> {
    if body.explicit_approval && !role.may_consent() {
        let detail = format!("a client with the role `{role}` cannot approve a plan");
        let hint = "leave `explicit_approval` out, and show the plan to a supervisor";
        return Err(ProblemDocument::new(403, "forbidden", detail).with_hint(hint));
    }
    let answer = app.operator.roll_back(&tenant, plan, body.explicit_approval, &caller).await?;
    let status = if answer.has_ended { StatusCode::OK } else { StatusCode::ACCEPTED };
    Ok((status, Json(answer)))
}
