//! Tenants: listed, shown, changed, paused and resumed.

use abide_engine::base::PersonId;
use abide_engine::facade::{Page, ResumePreview, TenantChange, TenantView};
use abide_engine::store::work;
use abide_verbs::api::people;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;

use crate::http::App;
use crate::http::extract::{Body, Query};
use crate::http::guard::{Reach, Tenant};
use crate::http::keyed::Once;
use crate::http::page::Paging;
use crate::problem::ProblemDocument;

pub(super) async fn list(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    reach: Reach,
    Query(wanted): Query<Paging>,
) -> Result<Json<Page<TenantView>>, ProblemDocument> {
    let page = match reach {
        Reach::Own => Page { items: vec![app.engine.tenant(&tenant).await?], next_cursor: None },
        Reach::All => {
            let after = wanted.cursor.unwrap_or_default();
            app.engine.tenants(&after, wanted.limit).await?
        }
    };
    Ok(Json(page))
}

pub(super) async fn show(
    State(app): State<App>,
    own: Tenant,
    reach: Reach,
    Path(id): Path<String>,
) -> Result<Json<TenantView>, ProblemDocument> {
    reach.check(&own, &id)?;
    Ok(Json(app.engine.tenant(&id).await?))
}

pub(super) async fn change(
    State(app): State<App>,
    (own, reach): (Tenant, Reach),
    Path(id): Path<String>,
    once: Once,
    Body(change): Body<TenantChange>,
) -> Result<Json<TenantView>, ProblemDocument> {
    reach.check(&own, &id)?;
    if change.version.is_none() {
        let detail = "the body does not fit: it lacks `version`";
        return Err(ProblemDocument::new(422, "schema", detail)
            .with_hint("give the version that the change was decided on"));
    }
    let (engine, tenant, wanted) = (app.engine.clone(), id.clone(), change.clone());
    let task = work(move |tx| {
        let (engine, tenant) = (engine.clone(), tenant.clone());
        let (wanted, once) = (wanted.clone(), once.clone());
        Box::pin(async move {
            let view = engine.change_tenant(tx, (&tenant, &wanted)).await?;
            once.keep(tx, StatusCode::OK, &view).await?;
            Ok(view)
        })
    });
    let view = app.engine.write(task).await?;
    app.engine.tenant_changed(&id, &change).await?;
    Ok(Json(view))
}

pub(super) async fn preview(
    State(app): State<App>,
    own: Tenant,
    reach: Reach,
    Path(id): Path<String>,
) -> Result<Json<ResumePreview>, ProblemDocument> {
    reach.check(&own, &id)?;
    let mut preview = app.engine.resume_preview(&id).await?;
    let people: Vec<PersonId> =
        preview.sends.by_person.iter().map(|person| person.person_id).collect();
    let task = work(move |tx| {
        let (id, people) = (id.clone(), people.clone());
        Box::pin(async move { people::names(tx, &id, &people).await })
    });
    let mut names = app.engine.read(task).await?;
    for person in &mut preview.sends.by_person {
        person.name = names.remove(&person.person_id);
    }
    Ok(Json(preview))
}
