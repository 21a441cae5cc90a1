//! Routes that list, show, publish, compare, check, draw, roll back and delete methods.

use std::sync::Arc;

use abide_engine::drawing::{self, DrawingFormat, GraphView, Marks};
use abide_engine::facade::{
    MethodComparison, MethodDetail, MethodView, NewVersion, Page, PublishOutcome, Published,
    UpgradeView, VersionView,
};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoParams, ToSchema};

use crate::http::App;
use crate::http::app::ApiResult;
use crate::http::extract::{Body, Query};
use crate::http::guard::Tenant;
use crate::http::idempotency::{IdempotencyKey, StoreFinal};
use crate::problem::ProblemDocument;

/// Lists all methods, ordered by name.
#[utoipa::path(
    get, path = "/v1/methods", tag = "methods", operation_id = "list_methods",
    responses((status = 200, body = Page<MethodView>, description = "All methods."))
)]
pub(super) async fn list(
    State(app): State<App>,
    Tenant(tenant): Tenant,
) -> ApiResult<Page<MethodView>> {
    let items = app.engine.methods(&tenant).await?;
    Ok((StatusCode::OK, Json(Page { items, next_cursor: None })))
}

/// A method to publish.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewMethod {
    /// YAML source of the method. `yaml` is another name of this member.
    #[serde(alias = "yaml")]
    text: String,
    /// Name of the method's file, for the findings. Default: `method.yaml`.
    file: Option<String>,
    /// Whether only dry runs use the version.
    #[serde(default)]
    shadow: bool,
}

/// Publishes a version of a method.
///
/// New runs start with this version. The route answers 200 if the same source is already published.
#[utoipa::path(
    post, path = "/v1/methods", tag = "methods", operation_id = "publish_method",
    request_body = NewMethod,
    responses(
        (status = 201, body = Published, description = "The new version."),
        (status = 200, body = Published, description = "The version that exists already."),
    ),
    extensions(("x-problem-codes" = json!(["method_invalid", "too_large"])))
)]
pub(super) async fn publish(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    key: IdempotencyKey,
    Body(NewMethod { text, file, shadow }): Body<NewMethod>,
) -> ApiResult<Published> {
    let file = file.as_deref().unwrap_or("method.yaml");
    let status = |published: &Published| match published.new {
        true => StatusCode::CREATED,
        false => StatusCode::OK,
    };
    let answer = move |published: &Published| (status(published), published.clone());
    let keep = Arc::new(StoreFinal(key, answer));
    match app.engine.publish_once(&tenant, NewVersion { file, text: &text, shadow }, keep).await? {
        PublishOutcome::Published(published) => Ok((status(&published), Json(published))),
        PublishOutcome::Invalid(findings) => {
            let errors = findings.iter().filter(|finding| finding.is_error()).count();
            let count = crate::output::counted(errors, "error");
            let detail = format!("the method has {count} and is not published");
            let mut problem = ProblemDocument::new(422, "method_invalid", detail)
                .with_hint("correct the findings and publish it again; nothing was changed");
            problem.findings = findings.iter().map(|finding| json!(finding)).collect();
            Err(problem)
        }
    }
}

/// Returns a method with its YAML source and its versions.
#[utoipa::path(
    get, path = "/v1/methods/{name}", tag = "methods", operation_id = "get_method",
    params(("name" = String, Path, description = "Name of the method.", example = "fill_roles")),
    responses((status = 200, body = MethodDetail, description = "The method.")),
    extensions(("x-problem-codes" = json!(["unknown_method"])))
)]
pub(super) async fn show(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Path(name): Path<String>,
) -> ApiResult<MethodDetail> {
    Ok((StatusCode::OK, Json(app.engine.method(&tenant, &name).await?)))
}

/// Lists all versions of a method, newest first.
#[utoipa::path(
    get, path = "/v1/methods/{name}/versions", tag = "methods", operation_id = "list_versions",
    params(("name" = String, Path, description = "Name of the method.", example = "fill_roles")),
    responses((status = 200, body = Page<VersionView>, description = "All versions.")),
    extensions(("x-problem-codes" = json!(["unknown_method"])))
)]
pub(super) async fn versions(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Path(name): Path<String>,
) -> ApiResult<Page<VersionView>> {
    let items = app.engine.method(&tenant, &name).await?.versions;
    Ok((StatusCode::OK, Json(Page { items, next_cursor: None })))
}

/// A version of a method with its YAML source.
#[derive(Serialize, ToSchema)]
pub(super) struct VersionText {
    #[serde(flatten)]
    version: VersionView,
    /// Name of the method.
    name: String,
    /// YAML source of the version.
    text: String,
}

/// Returns a version of a method with its YAML source.
#[utoipa::path(
    get, path = "/v1/methods/{name}/versions/{version}", tag = "methods", operation_id = "get_version",
    params(
        ("name" = String, Path, description = "Name of the method.", example = "fill_roles"),
        ("version" = i64, Path, description = "Number of the version, from 1.", example = 1),
    ),
    responses((status = 200, body = VersionText, description = "The version.")),
    extensions(("x-problem-codes" = json!(["unknown_method", "unknown_version"])))
)]
pub(super) async fn text(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Path((name, version)): Path<(String, i64)>,
) -> ApiResult<VersionText> {
    let text = app.engine.method_text(&tenant, &name, version).await?;
    let method = app.engine.method(&tenant, &name).await?;
    let version = method.versions.into_iter().find(|view| view.version == version);
    // The version may be deleted after its source is read and before the versions are listed.
    let version = version.ok_or_else(|| {
        ProblemDocument::new(404, "unknown_version", format!("`{name}` has no such version"))
    })?;
    Ok((StatusCode::OK, Json(VersionText { version, name, text })))
}

/// Query parameters of a comparison of two versions.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct DiffQuery {
    /// Number of the older version. Default: the version before `to`.
    from: Option<i64>,
    /// Number of the newer version. Default: the version that new runs start with.
    to: Option<i64>,
}

/// Compares two versions of a method.
#[utoipa::path(
    get, path = "/v1/methods/{name}/diff", tag = "methods", operation_id = "compare_versions",
    params(
        ("name" = String, Path, description = "Name of the method.", example = "fill_roles"),
        DiffQuery,
    ),
    responses((status = 200, body = MethodComparison, description = "The changes, and what moving the live runs \
        would do.")),
    extensions(("x-problem-codes" = json!(["unknown_method", "unknown_version", "no_older_version"])))
)]
pub(super) async fn diff(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Path(name): Path<String>,
    Query(DiffQuery { from, to }): Query<DiffQuery>,
) -> ApiResult<MethodComparison> {
    let comparison = app.engine.compare_versions(&tenant, &name, from, to).await?;
    Ok((StatusCode::OK, Json(comparison)))
}

/// A method that is not published yet.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MethodDraft {
    /// YAML source of the method. `yaml` is another name of this member.
    #[serde(alias = "yaml")]
    text: String,
    /// Name of the method's file, for error messages. Default: `method.yaml`.
    file: Option<String>,
}

/// Result of checking whether the live runs could be moved to a draft.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub(super) enum DraftView {
    /// The draft can be published.
    Sound(UpgradeView),
    /// The draft has errors.
    Faulty(NoView),
}

/// An object without members, the answer for a draft that has errors.
#[derive(Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NoView {}

/// Judges which live runs could be moved to a draft.
///
/// The answer is an empty object if the draft has errors.
#[utoipa::path(
    post, path = "/v1/methods/check", tag = "methods", operation_id = "check_method",
    request_body = MethodDraft,
    responses((status = 200, body = DraftView, description = "What a move would do."))
)]
pub(super) async fn check(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Body(MethodDraft { text, file }): Body<MethodDraft>,
) -> ApiResult<DraftView> {
    let file = file.as_deref().unwrap_or("method.yaml");
    let view = app.engine.judge_text(&tenant, file, &text).await?;
    Ok((StatusCode::OK, Json(view.map_or(DraftView::Faulty(NoView {}), DraftView::Sound))))
}

/// Query parameters of a drawing of a graph.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(in crate::http) struct GraphQuery {
    /// Format of the graph. Default: `json`.
    #[param(value_type = Option<DrawingFormat>, inline)]
    format: Option<String>,
}

impl GraphQuery {
    pub(in crate::http) fn format(&self) -> Result<DrawingFormat, ProblemDocument> {
        Ok(self.format.as_deref().map(str::parse).transpose()?.unwrap_or(DrawingFormat::Json))
    }
}

/// Returns the step graph that new runs of a method execute.
#[utoipa::path(
    get, path = "/v1/methods/{name}/graph", tag = "methods", operation_id = "get_method_graph",
    params(
        ("name" = String, Path, description = "Name of the method.", example = "fill_roles"),
        GraphQuery,
    ),
    responses((status = 200, description = "The graph.", content(
        (GraphView = "application/json"),
        (String = "image/svg+xml; charset=utf-8"),
        (String = "text/vnd.graphviz; charset=utf-8"),
        (String = "text/vnd.mermaid; charset=utf-8"),
    ))),
    extensions(("x-problem-codes" = json!(["unknown_method", "unknown_format"])))
)]
pub(super) async fn graph(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Path(name): Path<String>,
    Query(query): Query<GraphQuery>,
) -> Result<Response, ProblemDocument> {
    let format = query.format()?;
    let graph = app.engine.method_graph(&tenant, &name).await?;
    let text = drawing::draw(&graph, format, &Marks::default());
    Ok(([(header::CONTENT_TYPE, format.media_type())], text).into_response())
}

/// Order to make an older version of a method active.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RollbackOrder {
    /// Number of the version to make active. Default: the version before the active version.
    to: Option<i64>,
}

/// Makes an older version active, so that new runs start with it.
#[utoipa::path(
    post, path = "/v1/methods/{name}/rollback", tag = "methods", operation_id = "roll_back_method",
    params(("name" = String, Path, description = "Name of the method.", example = "fill_roles")),
    request_body = RollbackOrder,
    responses((status = 200, body = MethodDetail, description = "The method as it is now.")),
    extensions(("x-problem-codes" = json!(["unknown_method", "unknown_version", "no_older_version"])))
)]
pub(super) async fn roll_back(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Path(name): Path<String>,
    key: IdempotencyKey,
    Body(RollbackOrder { to }): Body<RollbackOrder>,
) -> ApiResult<MethodDetail> {
    let keep = Arc::new(StoreFinal(key, |method: &MethodDetail| (StatusCode::OK, method.clone())));
    let method = app.engine.roll_back_once(&tenant, &name, to, keep).await?;
    Ok((StatusCode::OK, Json(method)))
}

/// A deleted version.
#[derive(Clone, Serialize, ToSchema)]
pub(super) struct VersionDeleted {
    /// Name of the method.
    name: String,
    /// Number of the deleted version.
    version: i64,
    /// Always true.
    deleted: bool,
}

/// Deletes a version that no run uses.
#[utoipa::path(
    delete, path = "/v1/methods/{name}/versions/{version}", tag = "methods",
    operation_id = "delete_version",
    params(
        ("name" = String, Path, description = "Name of the method.", example = "fill_roles"),
        ("version" = i64, Path, description = "Number of the version, from 1.", example = 1),
    ),
    responses((status = 200, body = VersionDeleted, description = "The deleted version.")),
    extensions(("x-problem-codes" = json!([
        "unknown_method", "unknown_version", "version_active", "version_in_use"
    ])))
)]
pub(super) async fn delete(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Path((name, version)): Path<(String, i64)>,
    key: IdempotencyKey,
) -> ApiResult<VersionDeleted> {
    let deleted = VersionDeleted { name: name.clone(), version, deleted: true };
    let answer = deleted.clone();
    let keep = Arc::new(StoreFinal(key, move |(): &()| (StatusCode::OK, answer.clone())));
    app.engine.delete_version_once(&tenant, &name, version, keep).await?;
    Ok((StatusCode::OK, Json(deleted)))
}
