//! Routes of volunteer requests.

use abide_engine::base::time::BadTime;
use abide_engine::base::{RequestId, Timestamp};
use abide_engine::facade::Page;
use abide_verbs::api::TenantContext;
use abide_verbs::api::requests::{self, NewRequest, RequestPatch, RequestQuery, RequestView};
use abide_verbs::request::RequestStatus;
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
use crate::problem::ProblemDocument;

/// Query parameters of the list of requests.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ListQuery {
    /// List only requests with this status.
    #[param(value_type = Option<RequestStatus>, inline)]
    status: Option<String>,
    /// List only requests for services that begin at this time or later.
    #[param(format = DateTime)]
    from: Option<String>,
    /// List only requests for services that begin before this time.
    #[param(format = DateTime)]
    to: Option<String>,
    /// List only requests of this campus.
    campus: Option<String>,
    #[serde(flatten)]
    #[param(ignore)]
    paging: Paging,
}

/// Lists requests, oldest first.
#[utoipa::path(
    get, path = "/v1/requests", tag = "requests", operation_id = "list_requests",
    params(ListQuery, Paging),
    responses((status = 200, body = Page<RequestView>, description = "A page of requests.")),
    extensions(("x-problem-codes" = json!(["invalid_cursor", "invalid_status"])))
)]
pub(super) async fn list(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Query(query): Query<ListQuery>,
) -> ApiResult<Page<RequestView>> {
    let query = RequestQuery {
        status: query.status,
        from: parse_instant(query.from.as_deref())?,
        to: parse_instant(query.to.as_deref())?,
        campus: query.campus,
        page: query.paging.into_request(),
    };
    let caller = TenantContext::load(&app.engine, &tenant).await?;
    app.read((caller, query), |tx, (caller, query)| {
        Box::pin(async move { requests::list(tx, &caller.context(), query).await })
    })
    .await
}

/// Creates an open request.
#[utoipa::path(
    post, path = "/v1/requests", tag = "requests", operation_id = "create_request",
    request_body = NewRequest,
    responses((status = 201, body = RequestView, description = "The new request.")),
    extensions(("x-problem-codes" = json!([
        "request_exists", "service_passed", "invalid_targets", "invalid_role", "invalid_time"
    ])))
)]
pub(super) async fn create(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    key: IdempotencyKey,
    Body(new): Body<NewRequest>,
) -> ApiResult<RequestView> {
    let caller = TenantContext::load(&app.engine, &tenant).await?;
    app.write_once(key, StatusCode::CREATED, (caller, new), |tx, (caller, new)| {
        Box::pin(async move { requests::create(tx, &caller.context(), new).await })
    })
    .await
}

/// Returns a request.
#[utoipa::path(
    get, path = "/v1/requests/{id}", tag = "requests", operation_id = "get_request",
    params(("id" = RequestId, Path, description = "The request.")),
    responses((status = 200, body = RequestView, description = "The request.")),
    extensions(("x-problem-codes" = json!(["request_unknown"])))
)]
pub(super) async fn show(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<RequestId>,
) -> ApiResult<RequestView> {
    let caller = TenantContext::load(&app.engine, &tenant).await?;
    app.read((caller, id), |tx, (caller, id)| {
        Box::pin(async move { requests::get(tx, &caller.context(), *id).await })
    })
    .await
}

/// Changes a request, if it is still at the version that the caller read.
#[utoipa::path(
    patch, path = "/v1/requests/{id}", tag = "requests", operation_id = "change_request",
    params(("id" = RequestId, Path, description = "The request.")),
    request_body = RequestPatch,
    responses((status = 200, body = RequestView, description = "The request as it is now.")),
    extensions(("x-problem-codes" = json!([
        "request_unknown", "request_exists", "version_conflict", "wrong_state", "service_passed",
        "invalid_targets", "invalid_role", "invalid_time", "invalid_status"
    ])))
)]
pub(super) async fn change(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<RequestId>,
    key: IdempotencyKey,
    Body(patch): Body<RequestPatch>,
) -> ApiResult<RequestView> {
    let caller = TenantContext::load(&app.engine, &tenant).await?;
    app.write_once(key, StatusCode::OK, (caller, id, patch), |tx, (caller, id, patch)| {
        Box::pin(async move { requests::patch(tx, &caller.context(), *id, patch).await })
    })
    .await
}

/// Cancels a request and notifies the people who hold a place.
#[utoipa::path(
    post, path = "/v1/requests/{id}/cancel", tag = "requests", operation_id = "cancel_request",
    params(("id" = RequestId, Path, description = "The request.")),
    responses((status = 200, body = RequestView, description = "The cancelled request.")),
    extensions(("x-problem-codes" = json!(["request_unknown", "wrong_state"])))
)]
pub(super) async fn cancel(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<RequestId>,
    key: IdempotencyKey,
) -> ApiResult<RequestView> {
    let caller = TenantContext::load(&app.engine, &tenant).await?;
    app.write_once(key, StatusCode::OK, (caller, id), |tx, (caller, id)| {
        Box::pin(async move { requests::cancel(tx, &caller.context(), *id).await })
    })
    .await
}

fn parse_instant(text: Option<&str>) -> Result<Option<Timestamp>, ProblemDocument> {
    let parsed = text.map(str::parse).transpose();
    parsed.map_err(|e: BadTime| ProblemDocument::schema(e.to_string()))
}
