//! The knowledge base.

use abide_engine::facade::Page;
use abide_engine::store::work;
use abide_verbs::api::kb::{self, FactView, NewFact};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;

use crate::http::App;
use crate::http::extract::{Body, Query};
use crate::http::guard::Tenant;
use crate::http::keyed::Once;
use crate::problem::ProblemDocument;

/// Which facts are wanted.
#[derive(Deserialize)]
pub(super) struct Wanted {
    #[serde(default)]
    retired: bool,
}

pub(super) async fn list(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Query(Wanted { retired }): Query<Wanted>,
) -> Result<Json<Page<FactView>>, ProblemDocument> {
    let desk = app.desk(&tenant).await?;
    let task = work(move |tx| {
        let desk = desk.clone();
        Box::pin(async move { kb::list(tx, &desk.context(), retired).await })
    });
    Ok(Json(app.engine.read(task).await?))
}

pub(super) async fn put(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Path(id): Path<String>,
    once: Once,
    Body(new): Body<NewFact>,
) -> Result<Json<FactView>, ProblemDocument> {
    let desk = app.desk(&tenant).await?;
    let task = work(move |tx| {
        let (desk, id, once, new) = (desk.clone(), id.clone(), once.clone(), new.clone());
        Box::pin(async move {
            let view = kb::put(tx, &desk.context(), &id, &new).await?;
            once.keep(tx, StatusCode::OK, &view).await?;
            Ok(view)
        })
    });
    Ok(Json(app.engine.try_write(task).await?))
}

pub(super) async fn retire(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Path(id): Path<String>,
    once: Once,
) -> Result<Json<FactView>, ProblemDocument> {
    let desk = app.desk(&tenant).await?;
    let task = work(move |tx| {
        let (desk, id, once) = (desk.clone(), id.clone(), once.clone());
        Box::pin(async move {
            let view = kb::retire(tx, &desk.context(), &id).await?;
            once.keep(tx, StatusCode::OK, &view).await?;
            Ok(view)
        })
    });
    Ok(Json(app.engine.try_write(task).await?))
}
