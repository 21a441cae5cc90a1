//! What falls due by itself: listed, added, removed.

use abide_engine::base::{RunId, TimerId};
use abide_engine::facade::{NewSchedule, Page, ScheduleFilter, ScheduleView, remove_schedule};
use abide_engine::store::work;
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

/// Which schedules are wanted.
#[derive(Deserialize)]
pub(super) struct Wanted {
    run_id: Option<RunId>,
    #[serde(flatten)]
    paging: Paging,
}

pub(super) async fn list(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Query(wanted): Query<Wanted>,
) -> Result<Json<Page<ScheduleView>>, ProblemDocument> {
    let filter = ScheduleFilter {
        run: wanted.run_id,
        after: wanted.paging.after()?,
        limit: wanted.paging.limit,
    };
    Ok(Json(app.engine.schedules(&tenant, filter).await?))
}

pub(super) async fn add(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    once: Once,
    Body(new): Body<NewSchedule>,
) -> Result<(StatusCode, Json<ScheduleView>), ProblemDocument> {
    let planned = app.engine.plan_schedule(&tenant, new).await?;
    let task = work(move |tx| {
        let (planned, once) = (planned.clone(), once.clone());
        Box::pin(async move {
            let view = planned.add(tx).await?;
            once.keep(tx, StatusCode::CREATED, &view).await?;
            Ok(view)
        })
    });
    Ok((StatusCode::CREATED, Json(app.engine.try_write(task).await?)))
}

pub(super) async fn remove(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<TimerId>,
    once: Once,
) -> Result<Json<ScheduleView>, ProblemDocument> {
    let task = work(move |tx| {
        let (tenant, once) = (tenant.clone(), once.clone());
        Box::pin(async move {
            let view = remove_schedule(tx, &tenant, id).await?;
            once.keep(tx, StatusCode::OK, &view).await?;
            Ok(view)
        })
    });
    Ok(Json(app.engine.try_write(task).await?))
}
