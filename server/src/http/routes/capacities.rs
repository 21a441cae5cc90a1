//! What runs reserve, and how much there is of it.

use abide_engine::facade::Page;
use abide_engine::store::work;
use abide_verbs::api::capacity::{self, CapacityView, NewCapacity};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;

use crate::http::App;
use crate::http::extract::Body;
use crate::http::guard::Tenant;
use crate::http::keyed::Once;
use crate::problem::ProblemDocument;

pub(super) async fn list(
    State(app): State<App>,
    Tenant(tenant): Tenant,
) -> Result<Json<Page<CapacityView>>, ProblemDocument> {
    let desk = app.desk(&tenant).await?;
    let task = work(move |tx| {
        let desk = desk.clone();
        Box::pin(async move { capacity::list(tx, &desk.context()).await })
    });
    Ok(Json(app.engine.read(task).await?))
}

pub(super) async fn set(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Path(key): Path<String>,
    once: Once,
    Body(new): Body<NewCapacity>,
) -> Result<Json<CapacityView>, ProblemDocument> {
    let desk = app.desk(&tenant).await?;
    let task = work(move |tx| {
        let (desk, key, once, new) = (desk.clone(), key.clone(), once.clone(), new.clone());
        Box::pin(async move {
            let view = capacity::set(tx, &desk.context(), &key, &new).await?;
            once.keep(tx, StatusCode::OK, &view).await?;
            Ok(view)
        })
    });
    Ok(Json(app.engine.try_write(task).await?))
}
