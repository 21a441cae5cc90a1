//! Runs: start, look at, steer.

use std::collections::BTreeSet;

use abide_engine::base::{RequestId, RunId, Value};
use abide_engine::domain::{OnConflict, StartRun};
use abide_engine::drawing::{self, DrawingFormat, Marks};
use abide_engine::facade::{Explanation, ForkRun, MessageFilter, MessageView, Page, RunView};
use abide_engine::proof::Given;
use abide_engine::run::Control;
use abide_engine::store::RunFilter;
use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::json;

use super::events::{self, EventView};
use crate::http::App;
use crate::http::extract::{Body, Id, Query};
use crate::http::guard::Tenant;
use crate::http::keyed::Once;
use crate::http::page::Paging;
use crate::library::proved;
use crate::problem::ProblemDocument;

/// A run to start.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Start {
    method: String,
    goal: Value,
    request_id: Option<RequestId>,
    #[serde(default)]
    vars: serde_json::Map<String, Value>,
    #[serde(default)]
    dry_run: bool,
    #[serde(default)]
    on_conflict: OnConflict,
}

pub(super) async fn start(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    once: Once,
    Body(start): Body<Start>,
) -> Result<(StatusCode, Json<Value>), ProblemDocument> {
    let wanted = StartRun {
        method: start.method,
        goal: start.goal,
        request: start.request_id,
        vars: start.vars,
        dry_run: start.dry_run,
        key: once.key(),
        scheduled: None,
        on_conflict: start.on_conflict,
    };
    let run = app.engine.start_run(&tenant, wanted).await?;
    Ok((StatusCode::ACCEPTED, Json(json!({"id": run.id, "status": run.status}))))
}

/// Which runs are wanted.
#[derive(Deserialize)]
pub(super) struct Wanted {
    status: Option<String>,
    #[serde(default)]
    stuck: bool,
    #[serde(default)]
    waiting: bool,
    method: Option<String>,
    request_id: Option<RequestId>,
    #[serde(flatten)]
    paging: Paging,
}

/// What a run can be.
const STATUSES: [&str; 7] =
    ["pending", "running", "waiting", "paused", "completed", "failed", "cancelled"];

pub(super) async fn list(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Query(wanted): Query<Wanted>,
) -> Result<Json<Page<RunView>>, ProblemDocument> {
    if let Some(status) = wanted.status.as_deref().filter(|status| !STATUSES.contains(status)) {
        let detail = format!("`{status}` is not the status of a run");
        return Err(ProblemDocument::new(422, "invalid_status", detail)
            .with_hint(format!("it is one of: {}", STATUSES.join(", "))));
    }
    let filter = RunFilter {
        status: wanted.status,
        method: wanted.method,
        request: wanted.request_id,
        stuck: wanted.stuck,
        waiting: wanted.waiting,
        before: wanted.paging.after()?,
        limit: wanted.paging.limit,
    };
    Ok(Json(app.engine.runs(&tenant, &filter).await?))
}

pub(super) async fn show(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<RunId>,
) -> Result<Json<RunView>, ProblemDocument> {
    Ok(Json(app.engine.run(&tenant, id).await?))
}

/// The run in plain words.
pub(super) async fn explain(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<RunId>,
) -> Result<Json<Explanation>, ProblemDocument> {
    Ok(Json(app.engine.explain(&tenant, id).await?))
}

pub(super) async fn receipts(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<RunId>,
) -> Result<Json<Page<Value>>, ProblemDocument> {
    let items = app.engine.receipts(&tenant, id).await?;
    Ok(Json(Page { items, next_cursor: None }))
}

/// The events of the run's own stream, oldest first.
pub(super) async fn events(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<RunId>,
    Query(paging): Query<Paging>,
) -> Result<Json<Page<EventView>>, ProblemDocument> {
    let after = events::seq(paging.cursor.as_deref())?;
    let page = app.engine.events((&tenant, id), after, paging.limit).await?;
    Ok(Json(events::shown(page)))
}

pub(super) async fn messages(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<RunId>,
    Query(paging): Query<Paging>,
) -> Result<Json<Page<MessageView>>, ProblemDocument> {
    app.engine.run(&tenant, id).await?;
    let filter = MessageFilter {
        run: Some(id),
        before: paging.after()?,
        limit: paging.limit,
        ..MessageFilter::default()
    };
    Ok(Json(app.engine.messages(&tenant, &filter).await?))
}

/// How a graph is wanted.
#[derive(Deserialize)]
pub(super) struct Drawn {
    format: Option<String>,
}

pub(super) async fn picture(
    app: State<App>,
    tenant: Tenant,
    id: Id<RunId>,
) -> Result<Response, ProblemDocument> {
    draw(app, tenant, id, DrawingFormat::Svg).await
}

pub(super) async fn graph(
    app: State<App>,
    tenant: Tenant,
    id: Id<RunId>,
    Query(drawn): Query<Drawn>,
) -> Result<Response, ProblemDocument> {
    let format =
        drawn.format.as_deref().map(str::parse).transpose()?.unwrap_or(DrawingFormat::Json);
    draw(app, tenant, id, format).await
}

/// The graph that the run is pinned to, with what it has done and where it stands.
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
    let figures = proved(&app.engine.library(), &graph, &given);
    let marks = Marks { finished: finished.collect(), current, figures };
    let text = drawing::draw(&graph, format, &marks);
    Ok(([(header::CONTENT_TYPE, format.media_type())], text).into_response())
}

/// A signal to a run.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Signal {
    name: String,
    #[serde(default)]
    data: Value,
    key: Option<String>,
}

pub(super) async fn signal(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<RunId>,
    once: Once,
    Body(signal): Body<Signal>,
) -> Result<(StatusCode, Json<Value>), ProblemDocument> {
    let key = signal.key.or_else(|| once.key());
    let doubt = app.engine.doubt_signal((&tenant, id), &signal.name).await?;
    let new = app.engine.signal((&tenant, id), &signal.name, &signal.data, key.as_deref()).await?;
    let mut answer = json!({"accepted": true, "id": id, "name": signal.name, "duplicate": !new});
    if let Some(warning) = doubt {
        answer["warning"] = warning.into();
    }
    Ok((StatusCode::ACCEPTED, Json(answer)))
}

pub(super) async fn cancel(
    app: State<App>,
    tenant: Tenant,
    id: Id<RunId>,
    once: Once,
) -> Result<Json<RunView>, ProblemDocument> {
    control(app, tenant, (id, once), Control::Cancel).await
}

pub(super) async fn pause(
    app: State<App>,
    tenant: Tenant,
    id: Id<RunId>,
    once: Once,
) -> Result<Json<RunView>, ProblemDocument> {
    control(app, tenant, (id, once), Control::Pause).await
}

pub(super) async fn resume(
    app: State<App>,
    tenant: Tenant,
    id: Id<RunId>,
    once: Once,
) -> Result<Json<RunView>, ProblemDocument> {
    control(app, tenant, (id, once), Control::Resume).await
}

pub(super) async fn retry(
    app: State<App>,
    tenant: Tenant,
    id: Id<RunId>,
    once: Once,
) -> Result<Json<RunView>, ProblemDocument> {
    control(app, tenant, (id, once), Control::Retry).await
}

/// A step to pass over.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Skip {
    #[serde(default, deserialize_with = "present")]
    out: Option<Value>,
}

/// A member that is there, be it null.
fn present<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(value).map(Some)
}

pub(super) async fn skip(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<RunId>,
    once: Once,
    Body(skip): Body<Skip>,
) -> Result<Json<RunView>, ProblemDocument> {
    Ok(Json(app.engine.skip((&tenant, id), skip.out, once.key()).await?))
}

/// A step to begin a new run at.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fork {
    from: String,
    goal: Option<Value>,
}

pub(super) async fn fork(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Id(id): Id<RunId>,
    once: Once,
    Body(fork): Body<Fork>,
) -> Result<(StatusCode, Json<Value>), ProblemDocument> {
    let wanted = ForkRun { run: id, from: fork.from, goal: fork.goal, key: once.key() };
    let run = app.engine.fork(&tenant, wanted).await?;
    let answer = json!({"id": run.id, "status": run.status, "forked_from": id});
    Ok((StatusCode::ACCEPTED, Json(answer)))
}

async fn control(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    (Id(id), once): (Id<RunId>, Once),
    control: Control,
) -> Result<Json<RunView>, ProblemDocument> {
    Ok(Json(app.engine.control_once((&tenant, id), control, once.key()).await?))
}
