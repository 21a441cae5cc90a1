//! VolunteerRequests.

use abide_engine::base::{RequestId, Timestamp};
use abide_engine::facade::Page;
use abide_engine::store::work;
use abide_verbs::api::requests::{self, NewRequest, RequestPatch, RequestQuery, RequestView};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;

use crate::http::App;
use crate::http::extract::{Body, Id, Query};
use crate::http::guard::Tenant;
use crate::http::keyed::Once;
use crate::http::page::Paging;
use crate::problem::ProblemDocument;

/// Which requests are wanted.
#[derive(Deserialize)]
pub(super) struct Wanted {
    status: Option<String>,
    from: Option<String>,
    to: Option<String>,
    campus: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

pub(super) async fn list(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Query(wanted): Query<Wanted>,
) -> Result<Json<Page<RequestView>>, ProblemDocument> {
    let Wanted { status, from, to, campus, paging } = wanted;
    let query = RequestQuery {
        status,
        from: instant(from.as_deref())?,
        to: instant(to.as_deref())?,
        campus,
        page: paging.request(),
    };
    let desk = app.desk(&tenant).await?;
    let task = work(move |tx| {
        let (desk, query) = (desk.clone(), query.clone());
        Box::pin(async move { requests::list(tx, &desk.context(), &query).await })
    });
    Ok(Json(app.engine.read(task).await?))
}

pub(super) async fn create(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    once: Once,
    Body(new): Body<NewRequest>,
) -> Result<(StatusCode, Json<RequestView>), ProblemDocument> {
    let desk = app.desk(&tenant).await?;
    let task = work(move |tx| {
        let (desk, once, new) = (desk.clone(), once.clone(), new.clone());
        Box::pin(async move {
            let view = requests::create(tx, &desk.context(), &new).await?;
            once.keep(tx, StatusCode::CREATED, &view).await?;
            Ok(view)
        })
    });
    Ok((StatusCode::CREATED, Json(app.engine.try_write(task).await?)))
}

pub(super) async fn show(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<RequestId>,
) -> Result<Json<RequestView>, ProblemDocument> {
    let desk = app.desk(&tenant).await?;
    let task = work(move |tx| {
        let desk = desk.clone();
        Box::pin(async move { requests::get(tx, &desk.context(), id).await })
    });
    Ok(Json(app.engine.read(task).await?))
}

pub(super) async fn change(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<RequestId>,
    once: Once,
    Body(patch): Body<RequestPatch>,
) -> Result<Json<RequestView>, ProblemDocument> {
    let desk = app.desk(&tenant).await?;
    let task = work(move |tx| {
        let (desk, once, patch) = (desk.clone(), once.clone(), patch.clone());
        Box::pin(async move {
            let view = requests::patch(tx, &desk.context(), id, &patch).await?;
            once.keep(tx, StatusCode::OK, &view).await?;
            Ok(view)
        })
    });
    Ok(Json(app.engine.try_write(task).await?))
}

pub(super) async fn cancel(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<RequestId>,
    once: Once,
) -> Result<Json<RequestView>, ProblemDocument> {
    let desk = app.desk(&tenant).await?;
    let task = work(move |tx| {
        let (desk, once) = (desk.clone(), once.clone());
        Box::pin(async move {
            let view = requests::cancel(tx, &desk.context(), id).await?;
            once.keep(tx, StatusCode::OK, &view).await?;
            Ok(view)
        })
    });
    Ok(Json(app.engine.try_write(task).await?))
}

fn instant(text: Option<&str>) -> Result<Option<Timestamp>, ProblemDocument> {
    let parsed = text.map(str::parse).transpose();
    parsed.map_err(|e: abide_engine::base::time::BadTime| {
        ProblemDocument::new(422, "schema", e.to_string())
    })
}
