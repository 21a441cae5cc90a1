//! Routes of upgrades, the orders that move runs to another version of their method.

use std::collections::BTreeMap;
use std::sync::Arc;

use abide_engine::base::{RunId, UpgradeId};
use abide_engine::facade::{
    AnswerStore, UndoOptions, UndoTarget, UpgradeOptions, UpgradeProgress, UpgradeView,
};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::http::App;
use crate::http::app::ApiResult;
use crate::http::extract::{Body, Id};
use crate::http::guard::Tenant;
use crate::http::idempotency::{IdempotencyKey, StorePreliminary};

/// Order to move runs to another version of their method.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UpgradeOrder {
    /// The version to move to. Default: the active version. `version` is another name of this member.
    #[serde(alias = "version")]
    to: Option<i64>,
    /// Whether to report which runs could be moved, without moving them.
    #[serde(default)]
    dry_run: bool,
    /// Renamed steps: for each old id, the new id.
    #[serde(default)]
    map: BTreeMap<String, String>,
}

impl From<UpgradeOrder> for UpgradeOptions {
    fn from(UpgradeOrder { to, dry_run, map }: UpgradeOrder) -> Self {
        Self { to, renamed: map, dry_run }
    }
}

/// Returns an answer store that stores the response in the same commit as the upgrade order.
/// The progress of the upgrade becomes known later, and a response with the progress then replaces the
/// stored response. If the process crashes before that, the stored response stays without the progress.
fn preliminary(key: IdempotencyKey) -> Arc<dyn AnswerStore<UpgradeView>> {
    Arc::new(StorePreliminary(key))
}

/// Moves a run to another version of its method.
#[utoipa::path(
    post, path = "/v1/runs/{id}/upgrade", tag = "methods", operation_id = "upgrade_run",
    params(("id" = RunId, Path, description = "The run.")),
    request_body = UpgradeOrder,
    responses((status = 200, body = UpgradeView, description = "What the order did, or would do.")),
    extensions(("x-problem-codes" = json!([
        "unknown_run", "unknown_version", "wrong_state", "upgrade_impossible", "upgrade_needs_mapping"
    ])))
)]
pub(super) async fn one(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(run): Id<RunId>,
    key: IdempotencyKey,
    Body(order): Body<UpgradeOrder>,
) -> ApiResult<UpgradeView> {
    let keep = preliminary(key);
    let view = app.engine.upgrade_run_once(&tenant, run, &order.into(), keep).await?;
    Ok((StatusCode::OK, Json(view)))
}

/// Moves all live runs of a method to another version.
#[utoipa::path(
    post, path = "/v1/methods/{name}/upgrade", tag = "methods", operation_id = "upgrade_method",
    params(("name" = String, Path, description = "Name of the method.", example = "fill_roles")),
    request_body = UpgradeOrder,
    responses((status = 200, body = UpgradeView, description = "What the order did, or would do.")),
    extensions(("x-problem-codes" = json!(["unknown_method", "unknown_version"])))
)]
pub(super) async fn all(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Path(method): Path<String>,
    key: IdempotencyKey,
    Body(order): Body<UpgradeOrder>,
) -> ApiResult<UpgradeView> {
    let keep = preliminary(key);
    let view = app.engine.upgrade_all_once(&tenant, &method, &order.into(), keep).await?;
    Ok((StatusCode::OK, Json(view)))
}

/// Returns the progress of an upgrade.
#[utoipa::path(
    get, path = "/v1/upgrades/{id}", tag = "methods", operation_id = "get_upgrade",
    params(("id" = UpgradeId, Path, description = "The order.")),
    responses((status = 200, body = UpgradeProgress, description = "How many runs have moved.")),
    extensions(("x-problem-codes" = json!(["unknown_upgrade", "not_found"])))
)]
pub(super) async fn show(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<UpgradeId>,
) -> ApiResult<UpgradeProgress> {
    Ok((StatusCode::OK, Json(app.engine.upgrade_progress(&tenant, id).await?)))
}

/// Order to undo an upgrade.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UndoOrder {
    /// Whether to report which runs could be moved, without moving them.
    #[serde(default)]
    dry_run: bool,
}

/// Moves the runs of an upgrade back to their former versions.
#[utoipa::path(
    post, path = "/v1/upgrades/{id}/undo", tag = "methods", operation_id = "undo_upgrade",
    params(("id" = UpgradeId, Path, description = "The order.")),
    request_body = UndoOrder,
    responses((status = 200, body = UpgradeView, description = "What the order did, or would do.")),
    extensions(("x-problem-codes" = json!(["unknown_upgrade", "not_found", "wrong_state"])))
)]
pub(super) async fn undo(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<UpgradeId>,
    key: IdempotencyKey,
    Body(UndoOrder { dry_run }): Body<UndoOrder>,
) -> ApiResult<UpgradeView> {
    let keep = preliminary(key);
    let options = UndoOptions { target: UndoTarget::Order(id), dry_run };
    let view = app.engine.undo_upgrade_once(&tenant, options, keep).await?;
    Ok((StatusCode::OK, Json(view)))
}

/// Moves a run back to the version that it had before its last upgrade.
#[utoipa::path(
    post, path = "/v1/runs/{id}/upgrade/undo", tag = "methods", operation_id = "undo_run_upgrade",
    params(("id" = RunId, Path, description = "The run.")),
    request_body = UndoOrder,
    responses((status = 200, body = UpgradeView, description = "What the order did, or would do.")),
    extensions(("x-problem-codes" = json!([
        "unknown_run", "wrong_state", "upgrade_impossible", "upgrade_needs_mapping"
    ])))
)]
pub(super) async fn undo_run(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<RunId>,
    key: IdempotencyKey,
    Body(UndoOrder { dry_run }): Body<UndoOrder>,
) -> ApiResult<UpgradeView> {
    let keep = preliminary(key);
    let options = UndoOptions { target: UndoTarget::Run(id), dry_run };
    let view = app.engine.undo_upgrade_once(&tenant, options, keep).await?;
    Ok((StatusCode::OK, Json(view)))
}
