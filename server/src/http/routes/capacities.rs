//! Routes of capacities, the limited resources that runs reserve.

use abide_engine::facade::Page;
use abide_verbs::api::TenantContext;
use abide_verbs::api::capacity::{self, CapacityView, NewCapacity};
use axum::extract::{Path, State};
use axum::http::StatusCode;

use crate::http::App;
use crate::http::app::ApiResult;
use crate::http::extract::Body;
use crate::http::guard::Tenant;
use crate::http::idempotency::IdempotencyKey;

/// Lists all capacities, ordered by key.
#[utoipa::path(
    get, path = "/v1/capacities", tag = "capacities", operation_id = "list_capacities",
    responses((status = 200, body = Page<CapacityView>, description = "All capacities."))
)]
pub(super) async fn list(
    State(app): State<App>,
    Tenant(tenant): Tenant,
) -> ApiResult<Page<CapacityView>> {
    let caller = TenantContext::load(&app.engine, &tenant).await?;
    app.read(caller, |tx, caller| {
        Box::pin(async move { capacity::list(tx, &caller.context()).await })
    })
    .await
}

/// Sets the total of a capacity.
///
/// Reservations stay, even if they exceed the new total.
#[utoipa::path(
    put, path = "/v1/capacities/{key}", tag = "capacities", operation_id = "set_capacity",
    params(("key" = String, Path, description = "Name of the resource, 1 to 100 characters.",
        example = "projector")),
    request_body = NewCapacity,
    responses((status = 200, body = CapacityView, description = "The capacity as it is now.")),
    extensions(("x-problem-codes" = json!(["invalid_capacity"])))
)]
pub(super) async fn set(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Path(key): Path<String>,
    idempotency: IdempotencyKey,
    Body(new): Body<NewCapacity>,
) -> ApiResult<CapacityView> {
    let caller = TenantContext::load(&app.engine, &tenant).await?;
    app.write_once(idempotency, StatusCode::OK, (caller, key, new), |tx, (caller, key, new)| {
        Box::pin(async move { capacity::set(tx, &caller.context(), key, new).await })
    })
    .await
}
