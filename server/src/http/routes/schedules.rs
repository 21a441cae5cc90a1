//! Routes that list, add and remove schedules.

use abide_engine::base::{RunId, TimerId};
use abide_engine::facade::{NewSchedule, Page, ScheduleFilter, ScheduleView, remove_schedule};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::http::App;
use crate::http::app::ApiResult;
use crate::http::extract::{Body, Id, Query};
use crate::http::guard::Tenant;
use crate::http::idempotency::IdempotencyKey;
use crate::http::page::Paging;

/// Query parameters of the list of schedules.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ListQuery {
    /// List the messages scheduled for this run, instead of the schedules that start runs.
    run_id: Option<RunId>,
    #[serde(flatten)]
    #[param(ignore)]
    paging: Paging,
}

/// Lists schedules, in the order in which they were added.
#[utoipa::path(
    get, path = "/v1/schedules", tag = "schedules", operation_id = "list_schedules",
    params(ListQuery, Paging),
    responses((status = 200, body = Page<ScheduleView>, description = "A page of schedules.")),
    extensions(("x-problem-codes" = json!(["invalid_cursor", "unknown_run"])))
)]
pub(super) async fn list(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Query(query): Query<ListQuery>,
) -> ApiResult<Page<ScheduleView>> {
    let filter = ScheduleFilter {
        run: query.run_id,
        after: query.paging.after()?,
        limit: query.paging.limit,
    };
    Ok((StatusCode::OK, Json(app.engine.schedules(&tenant, filter).await?)))
}

/// Adds a schedule that starts runs: repeatedly with `cron`, once with `at`.
#[utoipa::path(
    post, path = "/v1/schedules", tag = "schedules", operation_id = "add_schedule",
    request_body = NewSchedule,
    responses((status = 201, body = ScheduleView, description = "The new schedule.")),
    extensions(("x-problem-codes" = json!([
        "unknown_method", "cron_invalid", "schedule_invalid", "goal_invalid", "invalid_goal",
        "too_many_schedules", "not_configured", "domain_disabled"
    ])))
)]
pub(super) async fn add(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    key: IdempotencyKey,
    Body(new): Body<NewSchedule>,
) -> ApiResult<ScheduleView> {
    let planned = app.engine.plan_schedule(&tenant, new).await?;
    app.write_once(key, StatusCode::CREATED, planned, |tx, planned| Box::pin(planned.add(tx))).await
}

/// Removes a schedule.
///
/// Removing a schedule does not stop the runs that it has already started.
#[utoipa::path(
    delete, path = "/v1/schedules/{id}", tag = "schedules", operation_id = "remove_schedule",
    params(("id" = TimerId, Path, description = "The schedule.")),
    responses((status = 200, body = ScheduleView, description = "The removed schedule.")),
    extensions(("x-problem-codes" = json!(["schedule_unknown"])))
)]
pub(super) async fn remove(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<TimerId>,
    key: IdempotencyKey,
) -> ApiResult<ScheduleView> {
    app.write_once(key, StatusCode::OK, (tenant, id), |tx, (tenant, id)| {
        Box::pin(remove_schedule(tx, tenant, *id))
    })
    .await
}
