//! Routes of the knowledge base.

use abide_engine::facade::Page;
use abide_verbs::api::TenantContext;
use abide_verbs::api::kb::{self, FactView, NewFact};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::http::App;
use crate::http::app::ApiResult;
use crate::http::extract::{Body, Query};
use crate::http::guard::{Identity, Tenant};
use crate::http::idempotency::{IdempotencyKey, KeyedTenant};

/// Query parameters of the list of facts.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ListQuery {
    /// List the retired facts instead of the current facts.
    #[serde(default)]
    #[param(default = false)]
    retired: bool,
}

/// Lists all facts, current or retired.
#[utoipa::path(
    get, path = "/v1/kb", tag = "knowledge", operation_id = "list_facts",
    params(ListQuery),
    responses((status = 200, body = Page<FactView>, description = "The facts."))
)]
pub(super) async fn list(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Query(ListQuery { retired }): Query<ListQuery>,
) -> ApiResult<Page<FactView>> {
    let caller = TenantContext::load(&app.engine, &tenant).await?;
    app.read((caller, retired), |tx, (caller, retired)| {
        Box::pin(async move { kb::list(tx, &caller.context(), *retired).await })
    })
    .await
}

/// Adds a fact, or replaces the fact with the same id.
///
/// A retired fact that is replaced becomes current again. The fact records the client of this request as its
/// writer: a body that names a writer is refused.
#[utoipa::path(
    put, path = "/v1/kb/{id}", tag = "knowledge", operation_id = "put_fact",
    params(("id" = String, Path, pattern = "^[a-z0-9-]{1,60}$", description = "Id of the fact.",
        example = "nursery-check-in")),
    request_body = NewFact,
    responses((status = 200, body = FactView, description = "The fact as it is now.")),
    extensions(("x-problem-codes" = json!(["invalid_fact", "kb_full"])))
)]
pub(super) async fn put(
    State(app): State<App>,
    KeyedTenant { tenant, key }: KeyedTenant,
    Path(id): Path<String>,
    identity: Identity,
    Body(new): Body<NewFact>,
) -> ApiResult<FactView> {
    let caller = TenantContext::load(&app.engine, &tenant).await?;
    let input = (caller, id, new, identity.author());
    app.write_once(key, StatusCode::OK, input, |tx, (caller, id, new, author)| {
        Box::pin(async move { kb::put(tx, &caller.context(), id, new, author).await })
    })
    .await
}

/// Retires a fact: it stays on record but is no longer used.
///
/// Retiring a retired fact changes nothing.
#[utoipa::path(
    delete, path = "/v1/kb/{id}", tag = "knowledge", operation_id = "retire_fact",
    params(("id" = String, Path, description = "Id of the fact.", example = "nursery-check-in")),
    responses((status = 200, body = FactView, description = "The retired fact.")),
    extensions(("x-problem-codes" = json!(["fact_unknown"])))
)]
pub(super) async fn retire(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Path(id): Path<String>,
    key: IdempotencyKey,
    identity: Identity,
) -> ApiResult<FactView> {
    let caller = TenantContext::load(&app.engine, &tenant).await?;
    let input = (caller, id, identity.author());
    app.write_once(key, StatusCode::OK, input, |tx, (caller, id, author)| {
        Box::pin(async move { kb::retire(tx, &caller.context(), id, author).await })
    })
    .await
}
