//! The directory.

use abide_engine::base::PersonId;
use abide_engine::facade::Page;
use abide_engine::store::work;
use abide_verbs::api::people::{self, PeopleQuery, PersonInput, PersonView};
use abide_verbs::api::seed::{self, Seeded};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;

use crate::http::App;
use crate::http::extract::{Body, Id, Query, phone};
use crate::http::guard::Tenant;
use crate::http::keyed::Once;
use crate::http::page::Paging;
use crate::problem::ProblemDocument;

/// Which people are wanted.
#[derive(Deserialize)]
pub(super) struct Wanted {
    role: Option<String>,
    campus: Option<String>,
    q: Option<String>,
    phone: Option<String>,
    #[serde(flatten)]
    paging: Paging,
}

pub(super) async fn list(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Query(wanted): Query<Wanted>,
) -> Result<Json<Page<PersonView>>, ProblemDocument> {
    let Wanted { role, campus, q, phone: number, paging } = wanted;
    let query = PeopleQuery { role, campus, q, phone: number.map(phone), page: paging.request() };
    let task = work(move |tx| {
        let (tenant, query) = (tenant.clone(), query.clone());
        Box::pin(async move { people::list(tx, &tenant, &query).await })
    });
    Ok(Json(app.engine.read(task).await?))
}

pub(super) async fn show(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<PersonId>,
) -> Result<Json<PersonView>, ProblemDocument> {
    let task = work(move |tx| {
        let tenant = tenant.clone();
        Box::pin(async move { people::get(tx, &tenant, id).await })
    });
    Ok(Json(app.engine.read(task).await?))
}

/// Adds or changes people, all or none; answers them as they are then, in the order given.
pub(super) async fn put(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    once: Once,
    Body(inputs): Body<Vec<PersonInput>>,
) -> Result<Json<Page<PersonView>>, ProblemDocument> {
    let desk = app.desk(&tenant).await?;
    let task = work(move |tx| {
        let (desk, once, inputs) = (desk.clone(), once.clone(), inputs.clone());
        Box::pin(async move {
            let items = people::upsert(tx, desk.tenant(), desk.now(), &inputs).await?;
            let answer = Page { items, next_cursor: None };
            once.keep(tx, StatusCode::OK, &answer).await?;
            Ok(answer)
        })
    });
    Ok(Json(app.engine.try_write(task).await?))
}

/// Makes the tenant a demo church.
pub(super) async fn seed(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    once: Once,
) -> Result<Json<Seeded>, ProblemDocument> {
    let now = app.engine.now();
    let task = work(move |tx| {
        let (tenant, once) = (tenant.clone(), once.clone());
        Box::pin(async move {
            let seeded = seed::seed(tx, &tenant, now).await?;
            once.keep(tx, StatusCode::OK, &seeded).await?;
            Ok(seeded)
        })
    });
    Ok(Json(app.engine.try_write(task).await?))
}
