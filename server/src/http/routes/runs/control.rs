//! Routes that send an order to a run: signal, cancel, pause, resume, retry, skip.

use abide_engine::base::{RunId, Value};
use abide_engine::facade::{RunView, SentSignal};
use abide_engine::run::Control;
use abide_engine::store::RunRef;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use crate::http::App;
use crate::http::app::ApiResult;
use crate::http::extract::{Body, Id};
use crate::http::guard::Tenant;
use crate::http::idempotency::IdempotencyKey;

/// A signal to send to a run.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewSignal {
    /// Name of the signal.
    name: String,
    /// Data of the signal, which the waiting step can assign to a variable.
    #[serde(default)]
    data: Value,
    /// Key for deduplication: a second signal with this key is dropped. Default: the `Idempotency-Key`.
    key: Option<String>,
}

/// An accepted signal.
#[derive(Serialize, ToSchema)]
pub(super) struct SignalAccepted {
    /// Always true.
    accepted: bool,
    /// Id of the run.
    id: RunId,
    /// Name of the signal.
    name: String,
    /// Whether a signal with this key was accepted before.
    duplicate: bool,
    /// Reason why the run may never read the signal.
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
}

/// Sends a signal to a run.
#[utoipa::path(
    post, path = "/v1/runs/{id}/signal", tag = "runs", operation_id = "signal_run",
    params(("id" = RunId, Path, description = "The run.")),
    request_body = NewSignal,
    responses((status = 202, body = SignalAccepted, description = "The signal, stored.")),
    extensions(("x-problem-codes" = json!([
        "unknown_run", "wrong_state", "too_many_signals", "key_too_long", "signal_invalid"
    ])))
)]
pub(super) async fn signal(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<RunId>,
    idempotency: IdempotencyKey,
    Body(NewSignal { name, data, key }): Body<NewSignal>,
) -> ApiResult<SignalAccepted> {
    let key = key.or_else(|| idempotency.text());
    let target = RunRef { tenant: &tenant, run: id };
    let SentSignal { is_new, warning } =
        app.engine.signal(target, &name, &data, key.as_deref()).await?;
    let accepted = SignalAccepted { accepted: true, id, name, duplicate: !is_new, warning };
    Ok((StatusCode::ACCEPTED, Json(accepted)))
}

/// Cancels a run.
///
/// The run executes the steps of `on_cancel` first, if its method has such steps.
#[utoipa::path(
    post, path = "/v1/runs/{id}/cancel", tag = "runs", operation_id = "cancel_run",
    params(("id" = RunId, Path, description = "The run.")),
    responses((status = 200, body = RunView, description = "The run as it is now.")),
    extensions(("x-problem-codes" = json!(["unknown_run", "wrong_state", "key_too_long"])))
)]
pub(super) async fn cancel(
    app: State<App>,
    tenant: Tenant,
    id: Id<RunId>,
    idempotency: IdempotencyKey,
) -> ApiResult<RunView> {
    control(app, tenant, id, idempotency, Control::Cancel).await
}

/// Pauses a run.
#[utoipa::path(
    post, path = "/v1/runs/{id}/pause", tag = "runs", operation_id = "pause_run",
    params(("id" = RunId, Path, description = "The run.")),
    responses((status = 200, body = RunView, description = "The run as it is now.")),
    extensions(("x-problem-codes" = json!(["unknown_run", "wrong_state", "key_too_long"])))
)]
pub(super) async fn pause(
    app: State<App>,
    tenant: Tenant,
    id: Id<RunId>,
    idempotency: IdempotencyKey,
) -> ApiResult<RunView> {
    control(app, tenant, id, idempotency, Control::Pause).await
}

/// Resumes a paused run.
#[utoipa::path(
    post, path = "/v1/runs/{id}/resume", tag = "runs", operation_id = "resume_run",
    params(("id" = RunId, Path, description = "The run.")),
    responses((status = 200, body = RunView, description = "The run as it is now.")),
    extensions(("x-problem-codes" = json!(["unknown_run", "wrong_state", "key_too_long"])))
)]
pub(super) async fn resume(
    app: State<App>,
    tenant: Tenant,
    id: Id<RunId>,
    idempotency: IdempotencyKey,
) -> ApiResult<RunView> {
    control(app, tenant, id, idempotency, Control::Resume).await
}

/// Retries the failed step of a run.
#[utoipa::path(
    post, path = "/v1/runs/{id}/retry", tag = "runs", operation_id = "retry_run",
    params(("id" = RunId, Path, description = "The run.")),
    responses((status = 200, body = RunView, description = "The run as it is now.")),
    extensions(("x-problem-codes" = json!(["unknown_run", "wrong_state", "key_too_long"])))
)]
pub(super) async fn retry(
    app: State<App>,
    tenant: Tenant,
    id: Id<RunId>,
    idempotency: IdempotencyKey,
) -> ApiResult<RunView> {
    control(app, tenant, id, idempotency, Control::Retry).await
}

async fn control(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<RunId>,
    idempotency: IdempotencyKey,
    control: Control,
) -> ApiResult<RunView> {
    let run = app.engine.control_once(&tenant, id, control, idempotency.text()).await?;
    Ok((StatusCode::OK, Json(run)))
}

/// Order to skip a step.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SkipOrder {
    /// Value for the variable that the step assigns. Null counts as a value.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Value)]
    out: Option<Value>,
}

/// Deserializes a field that is present as `Some`, even if the value of the field is null.
fn present<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(value).map(Some)
}

/// Skips the current step of a run.
#[utoipa::path(
    post, path = "/v1/runs/{id}/skip", tag = "runs", operation_id = "skip_step",
    params(("id" = RunId, Path, description = "The run.")),
    request_body = SkipOrder,
    responses((status = 200, body = RunView, description = "The run as it is now.")),
    extensions(("x-problem-codes" = json!([
        "unknown_run", "wrong_state", "out_unbound", "signal_invalid", "key_too_long"
    ])))
)]
pub(super) async fn skip(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<RunId>,
    idempotency: IdempotencyKey,
    Body(skip): Body<SkipOrder>,
) -> ApiResult<RunView> {
    let run = app.engine.skip(&tenant, id, skip.out, idempotency.text()).await?;
    Ok((StatusCode::OK, Json(run)))
}
