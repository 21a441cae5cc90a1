//! The inbox of staff.

use abide_engine::base::MessageId;
use abide_engine::facade::Page;
use abide_engine::store::work;
use abide_verbs::api::inbox::{self, InboxQuery, InboxView};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;

use crate::http::App;
use crate::http::extract::{Id, Query};
use crate::http::guard::Tenant;
use crate::http::keyed::Once;
use crate::http::page::Paging;
use crate::problem::ProblemDocument;

/// Which part of the inbox is wanted.
#[derive(Deserialize)]
pub(super) struct Wanted {
    state: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

pub(super) async fn list(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Query(Wanted { state, paging }): Query<Wanted>,
) -> Result<Json<Page<InboxView>>, ProblemDocument> {
    let query = InboxQuery { state, page: paging.request() };
    let task = work(move |tx| {
        let (tenant, query) = (tenant.clone(), query.clone());
        Box::pin(async move { inbox::list(tx, &tenant, &query).await })
    });
    Ok(Json(app.engine.read(task).await?))
}

pub(super) async fn show(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<MessageId>,
) -> Result<Json<InboxView>, ProblemDocument> {
    let task = work(move |tx| {
        let tenant = tenant.clone();
        Box::pin(async move { inbox::get(tx, &tenant, id).await })
    });
    Ok(Json(app.engine.read(task).await?))
}

pub(super) async fn close(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<MessageId>,
    once: Once,
) -> Result<Json<InboxView>, ProblemDocument> {
    let task = work(move |tx| {
        let (tenant, once) = (tenant.clone(), once.clone());
        Box::pin(async move {
            let view = inbox::close(tx, &tenant, id).await?;
            once.keep(tx, StatusCode::OK, &view).await?;
            Ok(view)
        })
    });
    Ok(Json(app.engine.try_write(task).await?))
}
