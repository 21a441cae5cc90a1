//! Routes of the weekly services of a church.

use abide_engine::facade::Page;
use abide_verbs::api::TenantContext;
use abide_verbs::api::services::{self, NewService, ServiceQuery, ServiceView};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::http::App;
use crate::http::app::ApiResult;
use crate::http::extract::{Body, Query};
use crate::http::guard::{Identity, Tenant};
use crate::http::idempotency::KeyedTenant;

/// Lists all weekly services, from Monday to Sunday.
#[utoipa::path(
    get, path = "/v1/services", tag = "services", operation_id = "list_services",
    responses((status = 200, body = Page<ServiceView>, description = "The services."))
)]
pub(super) async fn list(
    State(app): State<App>,
    Tenant(tenant): Tenant,
) -> ApiResult<Page<ServiceView>> {
    app.read(tenant, |tx, tenant| services::list(tx, tenant)).await
}

/// Adds a weekly service, or replaces the service with the same name, day and time.
///
/// Texts that name the service or one of its aliases mean it from then on.
#[utoipa::path(
    post, path = "/v1/services", tag = "services", operation_id = "put_service",
    request_body = NewService,
    responses((status = 200, body = ServiceView, description = "The service as it is now.")),
    extensions(("x-problem-codes" = json!(["invalid_service", "too_many_services"])))
)]
pub(super) async fn put(
    State(app): State<App>,
    KeyedTenant { tenant, key }: KeyedTenant,
    identity: Identity,
    Body(new): Body<NewService>,
) -> ApiResult<ServiceView> {
    let caller = TenantContext::load(&app.engine, &tenant).await?;
    let input = (caller, new, identity.author());
    app.write_once(key, StatusCode::OK, input, |tx, (caller, new, author)| {
        Box::pin(async move { services::put(tx, &caller.context(), new, author).await })
    })
    .await
}

/// Which of several services with the same name to remove.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct RemoveQuery {
    /// Remove only the service of this day, such as `sunday`.
    weekday: Option<String>,
    /// Remove only the service that begins at this time, in the form `HH:MM`.
    time: Option<String>,
}

/// Removes the weekly services with a name.
///
/// Requests and runs of such a service are not changed.
#[utoipa::path(
    delete, path = "/v1/services/{name}", tag = "services", operation_id = "remove_service",
    params(("name" = String, Path, description = "Name of the service.", example = "first"), RemoveQuery),
    responses((status = 200, body = Page<ServiceView>, description = "The removed services.")),
    extensions(("x-problem-codes" = json!(["service_unknown", "invalid_service"])))
)]
pub(super) async fn remove(
    State(app): State<App>,
    KeyedTenant { tenant, key }: KeyedTenant,
    Path(name): Path<String>,
    Query(RemoveQuery { weekday, time }): Query<RemoveQuery>,
    identity: Identity,
) -> ApiResult<Page<ServiceView>> {
    let caller = TenantContext::load(&app.engine, &tenant).await?;
    let query = ServiceQuery { name, weekday, time };
    app.write_once(key, StatusCode::OK, (caller, query, identity.author()), |tx, input| {
        let (caller, query, author) = input;
        Box::pin(async move { services::remove(tx, &caller.context(), query, author).await })
    })
    .await
}
