//! Routes that list, show, change, pause and resume tenants.

use std::sync::Arc;

use abide_engine::base::time::BadTime;
use abide_engine::base::{PersonId, Span};
use abide_engine::facade::{Page, ResumePreview, ShadowReport, TenantChange, TenantView};
use abide_engine::transaction;
use abide_verbs::api::people;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::http::App;
use crate::http::app::ApiResult;
use crate::http::extract::{Body, Query};
use crate::http::guard::{PathTenant, Tenant, TenantScope};
use crate::http::idempotency::IdempotencyKey;
use crate::http::page::Paging;
use crate::problem::ProblemDocument;

/// The period of a report about shadow runs that names no other: a tenant is usually tried for a week.
const REPORTED_BY_DEFAULT: Span = Span::from_secs(7 * 86_400);

/// Lists the tenants that the caller may read, ordered by name.
#[utoipa::path(
    get, path = "/v1/tenants", tag = "tenants", operation_id = "list_tenants",
    params(Paging),
    responses((status = 200, body = Page<TenantView>, description = "A page of tenants.")),
    extensions(("x-problem-codes" = json!(["unknown_tenant"])))
)]
pub(super) async fn list(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    scope: TenantScope,
    Query(paging): Query<Paging>,
) -> ApiResult<Page<TenantView>> {
    let page = match scope {
        TenantScope::Own => {
            Page { items: vec![app.engine.tenant(&tenant).await?], next_cursor: None }
        }
        TenantScope::All => {
            let after = paging.cursor.unwrap_or_default();
            app.engine.tenants(&after, paging.limit).await?
        }
    };
    Ok((StatusCode::OK, Json(page)))
}

/// Returns a tenant.
#[utoipa::path(
    get, path = "/v1/tenants/{id}", tag = "tenants", operation_id = "get_tenant",
    params(("id" = String, Path, description = "Name of the tenant.", example = "default")),
    responses((status = 200, body = TenantView, description = "The tenant.")),
    extensions(("x-problem-codes" = json!(["unknown_tenant"])))
)]
pub(super) async fn show(
    State(app): State<App>,
    PathTenant(id): PathTenant,
) -> ApiResult<TenantView> {
    Ok((StatusCode::OK, Json(app.engine.tenant(&id).await?)))
}

/// Changes settings of a tenant, or turns its kill switch on or off.
///
/// The change must name the version that the caller read. Null resets a setting to its default.
#[utoipa::path(
    patch, path = "/v1/tenants/{id}", tag = "tenants", operation_id = "change_tenant",
    params(("id" = String, Path, description = "Name of the tenant.", example = "default")),
    request_body = TenantChange,
    responses((status = 200, body = TenantView, description = "The tenant as it is now.")),
    extensions(("x-problem-codes" = json!([
        "unknown_tenant", "version_conflict", "settings_invalid", "not_configured"
    ])))
)]
pub(super) async fn change(
    State(app): State<App>,
    PathTenant(id): PathTenant,
    key: IdempotencyKey,
    Body(change): Body<TenantChange>,
) -> ApiResult<TenantView> {
    if change.version.is_none() {
        let detail = "the body does not fit: it lacks `version`";
        return Err(ProblemDocument::schema(detail)
            .with_hint("give the version that the change was decided on"));
    }
    let change = Arc::new(change);
    let (engine, tenant, wanted) = (app.engine.clone(), id.clone(), change.clone());
    // The kill switch must work even if the server is overloaded, so this write is never rejected.
    let task = transaction!([engine, tenant, wanted, key], |tx| {
        let view = engine.change_tenant(tx, &tenant, &wanted).await?;
        key.store_answer(tx, StatusCode::OK, &view).await?;
        Ok(view)
    });
    let view = app.engine.write(task).await?;
    app.engine.tenant_changed(&id, &change).await?;
    Ok((StatusCode::OK, Json(view)))
}

/// Query parameters of the report about shadow runs.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ReportQuery {
    /// Begin of the period; by default a week ago.
    #[param(format = DateTime)]
    since: Option<String>,
}

/// Compares what shadow runs would have done with what real runs did in the same period.
///
/// Each list is limited, and so is the number of runs that the report reads.
#[utoipa::path(
    get, path = "/v1/tenants/{id}/shadow-report", tag = "tenants", operation_id = "report_shadow_runs",
    params(("id" = String, Path, description = "Name of the tenant.", example = "default"), ReportQuery),
    responses((status = 200, body = ShadowReport, description = "The report.")),
    extensions(("x-problem-codes" = json!(["unknown_tenant"])))
)]
pub(super) async fn shadow_report(
    State(app): State<App>,
    PathTenant(id): PathTenant,
    Query(query): Query<ReportQuery>,
) -> ApiResult<ShadowReport> {
    let invalid_since = |e: BadTime| ProblemDocument::schema(format!("`since`: {e}"));
    let since = query.since.as_deref().map(str::parse).transpose().map_err(invalid_since)?;
    let since = since.unwrap_or_else(|| app.engine.now() - REPORTED_BY_DEFAULT);
    Ok((StatusCode::OK, Json(app.engine.shadow_report(&id, since).await?)))
}

/// Returns the messages that a resume would send, and the runs that it would continue or start.
///
/// All counts are zero if the tenant is not paused.
#[utoipa::path(
    get, path = "/v1/tenants/{id}/resume-preview", tag = "tenants", operation_id = "preview_resume",
    params(("id" = String, Path, description = "Name of the tenant.", example = "default")),
    responses((status = 200, body = ResumePreview, description = "What a resume would do now.")),
    extensions(("x-problem-codes" = json!(["unknown_tenant"])))
)]
pub(super) async fn preview(
    State(app): State<App>,
    PathTenant(id): PathTenant,
) -> ApiResult<ResumePreview> {
    let mut preview = app.engine.resume_preview(&id).await?;
    let people: Vec<PersonId> =
        preview.sends.by_person.iter().map(|person| person.person_id).collect();
    let (_, Json(mut names)) =
        app.read((id, people), |tx, (id, people)| Box::pin(people::names(tx, id, people))).await?;
    for person in &mut preview.sends.by_person {
        person.name = names.remove(&person.person_id);
    }
    Ok((StatusCode::OK, Json(preview)))
}
