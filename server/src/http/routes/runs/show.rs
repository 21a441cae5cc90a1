//! Routes that list, show, explain and draw runs.

use std::collections::BTreeSet;

use abide_engine::base::{RequestId, RunId, Value};
use abide_engine::drawing::{self, DrawingFormat, GraphView, Marks};
use abide_engine::facade::{Explanation, MessageFilter, MessageView, Page, RunView};
use abide_engine::ledger::Receipt;
use abide_engine::proof::Given;
use abide_engine::run::RunStatus;
use abide_engine::store::RunFilter;
use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::http::App;
use crate::http::access::ShowPii;
use crate::http::app::ApiResult;
use crate::http::extract::{Id, Query};
use crate::http::guard::Tenant;
use crate::http::page::Paging;
use crate::http::routes::events::{self, EventView};
use crate::http::routes::methods::GraphQuery;
use crate::library::proof_figures;
use crate::problem::ProblemDocument;

/// Query parameters of the list of runs.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ListQuery {
    /// List only runs with this status.
    #[param(value_type = Option<RunStatus>, inline)]
    status: Option<String>,
    /// List only runs that are stuck (overdue).
    #[serde(default)]
    #[param(default = false)]
    stuck: bool,
    /// List only runs that wait.
    #[serde(default)]
    #[param(default = false)]
    waiting: bool,
    /// List only runs of this method.
    method: Option<String>,
    /// List only runs that work for this request.
    request_id: Option<RequestId>,
    #[serde(flatten)]
    #[param(ignore)]
    paging: Paging,
}

/// The allowed values of the query parameter `status`.
const STATUSES: [&str; 7] =
    ["pending", "running", "waiting", "paused", "completed", "failed", "cancelled"];

/// Lists runs, newest first.
///
/// The list omits the variables of the runs and the people whom the runs wait for.
#[utoipa::path(
    get, path = "/v1/runs", tag = "runs", operation_id = "list_runs",
    params(ListQuery, Paging),
    responses((status = 200, body = Page<RunView>, description = "A page of runs.")),
    extensions(("x-problem-codes" = json!(["invalid_cursor", "invalid_status"])))
)]
pub(super) async fn list(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Query(query): Query<ListQuery>,
) -> ApiResult<Page<RunView>> {
    if let Some(status) = query.status.as_deref().filter(|status| !STATUSES.contains(status)) {
        let detail = format!("`{status}` is not the status of a run");
        return Err(ProblemDocument::new(422, "invalid_status", detail)
            .with_hint(format!("it is one of: {}", STATUSES.join(", "))));
    }
    let filter = RunFilter {
        status: query.status,
        method: query.method,
        request: query.request_id,
        stuck: query.stuck,
        live: false,
        waiting: query.waiting,
        before: query.paging.after()?,
        limit: query.paging.limit,
    };
    Ok((StatusCode::OK, Json(app.engine.runs(&tenant, &filter).await?)))
}

/// Returns a run.
#[utoipa::path(
    get, path = "/v1/runs/{id}", tag = "runs", operation_id = "get_run",
    params(("id" = RunId, Path, description = "The run.")),
    responses((status = 200, body = RunView, description = "The run.")),
    extensions(("x-problem-codes" = json!(["unknown_run"])))
)]
pub(super) async fn show(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<RunId>,
) -> ApiResult<RunView> {
    Ok((StatusCode::OK, Json(app.engine.run(&tenant, id).await?)))
}

/// Explains in plain words what a run waits for and who must act.
#[utoipa::path(
    get, path = "/v1/runs/{id}/explain", tag = "runs", operation_id = "explain_run",
    params(("id" = RunId, Path, description = "The run.")),
    responses((status = 200, body = Explanation, description = "The explanation.")),
    extensions(("x-problem-codes" = json!(["unknown_run"])))
)]
pub(super) async fn explain(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<RunId>,
) -> ApiResult<Explanation> {
    Ok((StatusCode::OK, Json(app.engine.explain(&tenant, id).await?)))
}

/// Lists the receipts of a run and its branches, in the order of the calls.
#[utoipa::path(
    get, path = "/v1/runs/{id}/receipts", tag = "runs", operation_id = "list_receipts",
    params(("id" = RunId, Path, description = "The run.")),
    responses((status = 200, body = Page<Receipt>, description = "All receipts.")),
    extensions(("x-problem-codes" = json!(["unknown_run"])))
)]
pub(super) async fn receipts(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<RunId>,
) -> ApiResult<Page<Value>> {
    let items = app.engine.receipts(&tenant, id).await?;
    Ok((StatusCode::OK, Json(Page { items, next_cursor: None })))
}

/// Lists the events of a run's own stream, oldest first.
///
/// Phone numbers and texts of people are redacted, unless `show_pii` asks for them.
#[utoipa::path(
    get, path = "/v1/runs/{id}/events", tag = "runs", operation_id = "list_run_events",
    params(("id" = RunId, Path, description = "The run."), Paging, ShowPii),
    responses((status = 200, body = Page<EventView>, description = "A page of events.")),
    extensions(("x-problem-codes" = json!(["unknown_run", "invalid_cursor"])))
)]
pub(super) async fn events(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<RunId>,
    Query(paging): Query<Paging>,
) -> ApiResult<Page<EventView>> {
    let after = events::seq_after(paging.cursor.as_deref())?;
    let page = app.engine.events(&tenant, id, after, paging.limit).await?;
    Ok((StatusCode::OK, Json(events::to_views(page))))
}

/// Lists the messages of a run, newest first.
#[utoipa::path(
    get, path = "/v1/runs/{id}/messages", tag = "runs", operation_id = "list_run_messages",
    params(("id" = RunId, Path, description = "The run."), Paging),
    responses((status = 200, body = Page<MessageView>, description = "A page of messages.")),
    extensions(("x-problem-codes" = json!(["unknown_run", "invalid_cursor"])))
)]
pub(super) async fn messages(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<RunId>,
    Query(paging): Query<Paging>,
) -> ApiResult<Page<MessageView>> {
    app.engine.run(&tenant, id).await?;
    let filter = MessageFilter {
        run: Some(id),
        before: paging.after()?,
        limit: paging.limit,
        ..MessageFilter::default()
    };
    Ok((StatusCode::OK, Json(app.engine.messages(&tenant, &filter).await?)))
}

/// Returns the step graph of a run as a picture in which finished steps are marked.
#[utoipa::path(
    get, path = "/v1/runs/{id}/graph.svg", tag = "runs", operation_id = "get_run_picture",
    params(("id" = RunId, Path, description = "The run.")),
    responses((status = 200, body = String, content_type = "image/svg+xml; charset=utf-8",
        description = "The picture.")),
    extensions(("x-problem-codes" = json!(["unknown_run"])))
)]
pub(super) async fn picture(
    app: State<App>,
    tenant: Tenant,
    id: Id<RunId>,
) -> Result<Response, ProblemDocument> {
    draw(app, tenant, id, DrawingFormat::Svg).await
}

/// Returns the step graph of a run, in which finished steps are marked.
#[utoipa::path(
    get, path = "/v1/runs/{id}/graph", tag = "runs", operation_id = "get_run_graph",
    params(("id" = RunId, Path, description = "The run."), GraphQuery),
    responses((status = 200, description = "The graph.", content(
        (GraphView = "application/json"),
        (String = "image/svg+xml; charset=utf-8"),
        (String = "text/vnd.graphviz; charset=utf-8"),
        (String = "text/vnd.mermaid; charset=utf-8"),
    ))),
    extensions(("x-problem-codes" = json!(["unknown_run", "unknown_format"])))
)]
pub(super) async fn graph(
    app: State<App>,
    tenant: Tenant,
    id: Id<RunId>,
    Query(query): Query<GraphQuery>,
) -> Result<Response, ProblemDocument> {
    draw(app, tenant, id, query.format()?).await
}

/// Draws the graph that the run is pinned to, with the finished steps and the position of the run.
async fn draw(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<RunId>,
    format: DrawingFormat,
) -> Result<Response, ProblemDocument> {
    let graph = app.engine.graph(&tenant, id).await?;
    let run = app.engine.run(&tenant, id).await?;
    let receipts = app.engine.receipts(&tenant, id).await?;
    let done: BTreeSet<&str> =
        receipts.iter().filter_map(|receipt| receipt["step_id"].as_str()).collect();
    let current = run.position.map(|position| position.path);
    let nodes = graph.nodes.iter().filter(|node| done.contains(node.step_id.as_str()));
    let finished = nodes.map(|node| node.key.clone()).filter(|key| current.as_ref() != Some(key));
    let given = Given::of(app.engine.settings(&tenant).await?.as_ref());
    let figures = proof_figures(&app.engine.library(), &graph, &given);
    let marks = Marks { finished: finished.collect(), current, figures };
    let text = drawing::draw(&graph, format, &marks);
    Ok(([(header::CONTENT_TYPE, format.media_type())], text).into_response())
}
