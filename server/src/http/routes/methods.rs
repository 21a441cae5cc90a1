//! Methods: published, listed, taken back, deleted.

use std::sync::Arc;

use abide_engine::base::Value;
use abide_engine::drawing::{self, DrawingFormat, Marks};
use abide_engine::facade::{
    MethodDetail, MethodDiff, MethodView, Page, Publication, Published, VersionView,
};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::json;

use crate::http::App;
use crate::http::extract::{Body, Query};
use crate::http::guard::Tenant;
use crate::http::keyed::{Once, Whole};
use crate::problem::ProblemDocument;

pub(super) async fn list(
    State(app): State<App>,
    Tenant(tenant): Tenant,
) -> Result<Json<Page<MethodView>>, ProblemDocument> {
    let items = app.engine.methods(&tenant).await?;
    Ok(Json(Page { items, next_cursor: None }))
}

/// A text to publish.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Text {
    /// The method, in YAML.
    #[serde(alias = "yaml")]
    text: String,
    /// How its author calls the file, for the findings.
    file: Option<String>,
    /// Only for runs that say what they would do.
    #[serde(default)]
    shadow: bool,
}

/// 201 where it is a new version, 200 where the very same is there.
pub(super) async fn publish(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    once: Once,
    Body(Text { text, file, shadow }): Body<Text>,
) -> Result<Response, ProblemDocument> {
    let file = file.as_deref().unwrap_or("method.yaml");
    let answer = |published: &Published| {
        let status = if published.new { StatusCode::CREATED } else { StatusCode::OK };
        (status, json!(published))
    };
    let keep = Arc::new(Whole(once, answer));
    match app.engine.publish_once(&tenant, (file, &text), shadow, keep).await? {
        Publication::Done(published) => {
            let (status, published) = answer(&published);
            Ok((status, Json(published)).into_response())
        }
        Publication::Faulty(findings) => {
            let errors = findings.iter().filter(|finding| finding.is_error()).count();
            let count = crate::output::counted(errors, "error");
            let detail = format!("the method has {count} and is not published");
            let mut problem = ProblemDocument::new(422, "method_invalid", detail)
                .with_hint("mend them and publish it again; nothing was changed");
            problem.findings = findings.iter().map(|finding| json!(finding)).collect();
            Err(problem)
        }
    }
}

pub(super) async fn show(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Path(name): Path<String>,
) -> Result<Json<MethodDetail>, ProblemDocument> {
    Ok(Json(app.engine.method(&tenant, &name).await?))
}

pub(super) async fn versions(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Path(name): Path<String>,
) -> Result<Json<Page<VersionView>>, ProblemDocument> {
    let items = app.engine.method(&tenant, &name).await?.versions;
    Ok(Json(Page { items, next_cursor: None }))
}

/// One version with its text.
pub(super) async fn text(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Path((name, version)): Path<(String, i64)>,
) -> Result<Json<Value>, ProblemDocument> {
    let text = app.engine.method_text((&tenant, &name), version).await?;
    let method = app.engine.method(&tenant, &name).await?;
    let view = method.versions.into_iter().find(|view| view.version == version);
    let mut answer = json!(view);
    answer["name"] = name.into();
    answer["text"] = text.into();
    Ok(Json(answer))
}

/// Which versions are compared.
#[derive(Deserialize)]
pub(super) struct Between {
    from: Option<i64>,
    to: Option<i64>,
}

pub(super) async fn diff(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Path(name): Path<String>,
    Query(Between { from, to }): Query<Between>,
) -> Result<Json<MethodDiff>, ProblemDocument> {
    Ok(Json(app.engine.method_diff((&tenant, &name), (from, to)).await?))
}

/// A text that is not to be published yet.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Unpublished {
    #[serde(alias = "yaml")]
    text: String,
    file: Option<String>,
}

/// What moving the live runs to a text would come to; an empty object for one with errors.
pub(super) async fn check(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Body(Unpublished { text, file }): Body<Unpublished>,
) -> Result<Json<Value>, ProblemDocument> {
    let file = file.as_deref().unwrap_or("method.yaml");
    let view = app.engine.judge_text(&tenant, (file, &text)).await?;
    Ok(Json(view.map_or_else(|| json!({}), |view| json!(view))))
}

/// How a graph is wanted.
#[derive(Deserialize)]
pub(super) struct Drawn {
    format: Option<String>,
}

/// The graph that new runs of the method execute.
pub(super) async fn graph(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Path(name): Path<String>,
    Query(drawn): Query<Drawn>,
) -> Result<Response, ProblemDocument> {
    let format =
        drawn.format.as_deref().map(str::parse).transpose()?.unwrap_or(DrawingFormat::Json);
    let graph = app.engine.method_graph(&tenant, &name).await?;
    let text = drawing::draw(&graph, format, &Marks::default());
    Ok(([(header::CONTENT_TYPE, format.media_type())], text).into_response())
}

/// Which version new runs are to begin with.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Back {
    to: Option<i64>,
}

pub(super) async fn roll_back(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Path(name): Path<String>,
    once: Once,
    Body(Back { to }): Body<Back>,
) -> Result<Json<MethodDetail>, ProblemDocument> {
    let keep = Arc::new(Whole(once, |method: &MethodDetail| (StatusCode::OK, json!(method))));
    Ok(Json(app.engine.roll_back_once(&tenant, &name, to, keep).await?))
}

pub(super) async fn delete(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Path((name, version)): Path<(String, i64)>,
    once: Once,
) -> Result<Json<Value>, ProblemDocument> {
    let deleted = json!({"name": name, "version": version, "deleted": true});
    let answer = deleted.clone();
    let keep = Arc::new(Whole(once, move |(): &()| (StatusCode::OK, answer.clone())));
    app.engine.delete_version_once((&tenant, &name), version, keep).await?;
    Ok(Json(deleted))
}
