//! Runs that are moved to another version of their method.

use std::collections::BTreeMap;
use std::sync::Arc;

use abide_engine::base::{RunId, UpgradeId};
use abide_engine::facade::{Keep, Undo, UpgradeProgress, UpgradeView, UpgradeWish};
use axum::Json;
use axum::extract::{Path, State};
use serde::Deserialize;

use crate::http::App;
use crate::http::extract::{Body, Id};
use crate::http::guard::Tenant;
use crate::http::keyed::{ForNow, Once};
use crate::problem::ProblemDocument;

/// What is wanted of a move.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wish {
    /// The version; without it the one that new runs begin with.
    #[serde(alias = "version")]
    to: Option<i64>,
    /// Only judge.
    #[serde(default)]
    dry_run: bool,
    /// Steps that were renamed, old to new.
    #[serde(default)]
    map: BTreeMap<String, String>,
}

impl From<Wish> for UpgradeWish {
    fn from(Wish { to, dry_run, map }: Wish) -> Self {
        Self { to, renamed: map, dry_run }
    }
}

/// How far the order has come is told once the answer is given; a crash before that costs only this.
fn for_now(once: Once) -> Arc<dyn Keep<UpgradeView>> {
    Arc::new(ForNow(once))
}

pub(super) async fn one(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(run): Id<RunId>,
    once: Once,
    Body(wish): Body<Wish>,
) -> Result<Json<UpgradeView>, ProblemDocument> {
    Ok(Json(app.engine.upgrade_run_once((&tenant, run), &wish.into(), for_now(once)).await?))
}

pub(super) async fn all(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Path(method): Path<String>,
    once: Once,
    Body(wish): Body<Wish>,
) -> Result<Json<UpgradeView>, ProblemDocument> {
    Ok(Json(app.engine.upgrade_all_once((&tenant, &method), &wish.into(), for_now(once)).await?))
}

pub(super) async fn show(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<UpgradeId>,
) -> Result<Json<UpgradeProgress>, ProblemDocument> {
    Ok(Json(app.engine.upgrade_progress(&tenant, id).await?))
}

/// Whether a move is to be taken back in earnest.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Back {
    #[serde(default)]
    dry_run: bool,
}

pub(super) async fn undo(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<UpgradeId>,
    once: Once,
    Body(Back { dry_run }): Body<Back>,
) -> Result<Json<UpgradeView>, ProblemDocument> {
    Ok(Json(app.engine.undo_upgrade_once(&tenant, Undo::Order(id), dry_run, for_now(once)).await?))
}

pub(super) async fn undo_run(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<RunId>,
    once: Once,
    Body(Back { dry_run }): Body<Back>,
) -> Result<Json<UpgradeView>, ProblemDocument> {
    Ok(Json(app.engine.undo_upgrade_once(&tenant, Undo::Run(id), dry_run, for_now(once)).await?))
}
