//! Starting runs.

use abide_engine::base::{RequestId, RunId, Value};
use abide_engine::domain::{OnConflict, StartRun};
use abide_engine::facade::ForkRun;
use abide_engine::run::RunStatus;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::http::App;
use crate::http::app::ApiResult;
use crate::http::extract::{Body, Id};
use crate::http::guard::Tenant;
use crate::http::idempotency::IdempotencyKey;

/// A run to start.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewRun {
    /// Name of the method.
    method: String,
    /// The goal. It must fit the `inputs` of the method.
    #[schema(value_type = Object)]
    goal: Value,
    /// The request that the run works on.
    request_id: Option<RequestId>,
    /// Variables to start with.
    #[serde(default)]
    vars: serde_json::Map<String, Value>,
    /// Whether the run only records what it would do.
    #[serde(default)]
    dry_run: bool,
    /// What to do if a live run has the same goal.
    #[serde(default)]
    on_conflict: OnConflict,
}

/// A started run.
#[derive(Serialize, ToSchema)]
pub(super) struct RunStarted {
    /// The run.
    id: RunId,
    /// Its status.
    status: RunStatus,
}

/// Starts a run.
#[utoipa::path(
    post, path = "/v1/runs", tag = "runs", operation_id = "start_run",
    request_body = NewRun,
    responses((status = 202, body = RunStarted, description = "The run, started.")),
    extensions(("x-problem-codes" = json!([
        "unknown_method", "request_unknown", "already_running", "wrong_state", "goal_invalid",
        "invalid_goal", "vars_invalid", "inputs_invalid", "service_passed", "not_configured", "key_too_long"
    ])))
)]
pub(super) async fn start(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    key: IdempotencyKey,
    Body(new): Body<NewRun>,
) -> ApiResult<RunStarted> {
    let wanted = StartRun {
        method: new.method,
        goal: new.goal,
        request: new.request_id,
        vars: new.vars,
        dry_run: new.dry_run,
        key: key.text(),
        scheduled: None,
        on_conflict: new.on_conflict,
    };
    let run = app.engine.start_run(&tenant, wanted).await?;
    Ok((StatusCode::ACCEPTED, Json(RunStarted { id: run.id, status: run.status })))
}

/// A run to fork.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewFork {
    /// Id of the step that the new run starts at.
    from: String,
    /// Goal of the new run; that of the old one by default.
    #[schema(value_type = Option<Object>)]
    goal: Option<Value>,
}

/// A forked run.
#[derive(Serialize, ToSchema)]
pub(super) struct RunForked {
    /// The new run.
    id: RunId,
    /// Its status.
    status: RunStatus,
    /// The old run.
    forked_from: RunId,
}

/// Starts a new run in the middle of an old one.
///
/// It starts at a step with the variables that the old run had there. The old run stays as it is.
#[utoipa::path(
    post, path = "/v1/runs/{id}/fork", tag = "runs", operation_id = "fork_run",
    params(("id" = RunId, Path, description = "The old run.")),
    request_body = NewFork,
    responses((status = 202, body = RunForked, description = "The new run, started.")),
    extensions(("x-problem-codes" = json!([
        "unknown_run", "unknown_step", "cannot_fork", "already_running", "wrong_state", "request_unknown",
        "goal_invalid", "invalid_goal", "service_passed", "key_too_long"
    ])))
)]
pub(super) async fn fork(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<RunId>,
    key: IdempotencyKey,
    Body(fork): Body<NewFork>,
) -> ApiResult<RunForked> {
    let wanted = ForkRun { run: id, from: fork.from, goal: fork.goal, key: key.text() };
    let run = app.engine.fork(&tenant, wanted).await?;
    let forked = RunForked { id: run.id, status: run.status, forked_from: id };
    Ok((StatusCode::ACCEPTED, Json(forked)))
}
