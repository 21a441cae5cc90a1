//! Routes that start a run or fork an existing run.

use abide_engine::base::{RequestId, RunId, Value};
use abide_engine::domain::{OnConflict, StartRun};
use abide_engine::facade::ForkRun;
use abide_engine::run::{PlanOrigin, RunStatus, StartConsent};
use axum::extract::State;
use axum::http::StatusCode;
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::http::App;
use crate::http::app::ApiResult;
use crate::http::extract::{Body, Id};
use crate::http::guard::Tenant;
use crate::http::idempotency::IdempotencyKey;
use crate::role::Role;

/// A run to start.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewRun {
    /// Name of the method. If it is left out, the method is chosen whose `applicable_if` holds for the goal.
    #[serde(default)]
    method: Option<String>,
    /// Goal of the run. It must fit the `inputs` of the method.
    #[schema(value_type = Object)]
    goal: Value,
    /// Id of the request that the run works for.
    request_id: Option<RequestId>,
    /// Initial variables of the run.
    #[serde(default)]
    vars: serde_json::Map<String, Value>,
    /// Whether the run only records the actions that it would take.
    #[serde(default)]
    dry_run: bool,
    /// What to do if a live run has the same method, request and role.
    #[serde(default)]
    on_conflict: OnConflict,
}

/// A started run.
#[derive(Serialize, ToSchema)]
pub(super) struct RunStarted {
    /// Id of the run.
    id: RunId,
    /// Status of the new run.
    status: RunStatus,
}

/// Starts a run.
///
/// A start by a supervisor or an admin is the consent to the calls of risk T2 of the run. Started by others,
/// the run asks for it before its first such call.
#[utoipa::path(
    post, path = "/v1/runs", tag = "runs", operation_id = "start_run",
    request_body = NewRun,
    responses((status = 202, body = RunStarted, description = "The run, started.")),
    extensions(("x-problem-codes" = json!([
        "unknown_method", "no_method", "method_ambiguous", "request_unknown", "already_running", "wrong_state", "goal_invalid",
        "invalid_goal", "vars_invalid", "inputs_invalid", "service_passed", "not_configured", "domain_disabled", "key_too_long"
    ])))
)]
pub(super) async fn start(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    key: IdempotencyKey,
    Extension(role): Extension<Role>,
    Body(new): Body<NewRun>,
) -> ApiResult<RunStarted> {
    let wanted = StartRun {
        method: new.method.unwrap_or_default(),
        goal: new.goal,
        request: new.request_id,
        vars: new.vars,
        dry_run: new.dry_run,
        key: key.text(),
        scheduled: None,
        on_conflict: new.on_conflict,
        outside_call: None,
        outside_plan: None,
        consent: if role.may_consent() { StartConsent::Given } else { StartConsent::Open },
        plan_origin: PlanOrigin::Named,
    };
    let started = app.engine.start(&tenant, wanted).await?;
    let status = app.engine.status_of(&tenant, started).await?;
    Ok((StatusCode::ACCEPTED, Json(RunStarted { id: started.run, status })))
}

/// Order to fork a run.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewFork {
    /// Id of the step that the new run starts at.
    from: String,
    /// Goal of the new run. Default: the goal of the old run.
    #[schema(value_type = Option<Object>)]
    goal: Option<Value>,
}

/// The answer to a fork: the new run, and the run that it was forked from.
#[derive(Serialize, ToSchema)]
pub(super) struct RunForked {
    /// Id of the new run.
    id: RunId,
    /// Status of the new run.
    status: RunStatus,
    /// Id of the old run.
    forked_from: RunId,
}

/// Starts a new run at a step of an old run.
///
/// The new run starts with the variables that the old run had at that step. The old run does not change.
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
