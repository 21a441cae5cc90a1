//! Runs that are moved to another version of their method.

use std::collections::BTreeMap;

use abide_engine::base::{RunId, UpgradeId};
use abide_engine::engine::{Undo, UpgradeProgress, UpgradeView, UpgradeWish};
use axum::Json;
use axum::extract::{Path, State};
use serde::Deserialize;

use crate::http::App;
use crate::http::extract::{Body, Id};
use crate::http::guard::Tenant;
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

pub(super) async fn one(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(run): Id<RunId>,
    Body(wish): Body<Wish>,
) -> Result<Json<UpgradeView>, ProblemDocument> {
    Ok(Json(app.engine.upgrade_run((&tenant, run), &wish.into()).await?))
}

pub(super) async fn all(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Path(method): Path<String>,
    Body(wish): Body<Wish>,
) -> Result<Json<UpgradeView>, ProblemDocument> {
    Ok(Json(app.engine.upgrade_all((&tenant, &method), &wish.into()).await?))
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
    Body(Back { dry_run }): Body<Back>,
) -> Result<Json<UpgradeView>, ProblemDocument> {
    Ok(Json(app.engine.undo_upgrade(&tenant, Undo::Order(id), dry_run).await?))
}

pub(super) async fn undo_run(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<RunId>,
    Body(Back { dry_run }): Body<Back>,
) -> Result<Json<UpgradeView>, ProblemDocument> {
    Ok(Json(app.engine.undo_upgrade(&tenant, Undo::Run(id), dry_run).await?))
}
