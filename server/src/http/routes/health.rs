//! Routes for the liveness, the readiness and the metrics of the process.

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::http::App;
use crate::problem::ProblemDocument;

/// State of the server process.
#[derive(Serialize, ToSchema)]
pub(super) struct Health {
    /// `ok` if the process answers, `ready` if the process can work.
    status: &'static str,
}

/// Reports that the process is alive.
#[utoipa::path(
    get, path = "/healthz", tag = "operation", operation_id = "check_liveness",
    responses((status = 200, body = Health, description = "The process answers."))
)]
pub(super) async fn alive() -> Json<Health> {
    Json(Health { status: "ok" })
}

/// Reports whether the process can work.
///
/// The process can work if the database answers and accepts writes, the machine's clock is right,
/// and the process is not about to stop.
#[utoipa::path(
    get, path = "/readyz", tag = "operation", operation_id = "check_readiness",
    responses((status = 200, body = Health, description = "The process can work.")),
    extensions(("x-problem-codes" = json!([
        "stopping", "database_unavailable", "disk_full", "clock_skewed", "schema_newer"
    ])))
)]
pub(super) async fn ready(State(app): State<App>) -> Result<Json<Health>, ProblemDocument> {
    if *app.stopping.borrow() {
        return Err(ProblemDocument::new(503, "stopping", "this process is about to stop"));
    }
    app.engine.ready()?;
    app.engine.reach_database().await?;
    Ok(Json(Health { status: "ready" }))
}

/// Returns the metrics of the process.
///
/// The format is the text format of Prometheus. The answer is empty if the process records no metrics.
#[utoipa::path(
    get, path = "/metrics", tag = "operation", operation_id = "read_metrics",
    responses((status = 200, body = String, content_type = "text/plain; version=0.0.4; charset=utf-8",
        description = "The metrics."))
)]
pub(super) async fn metrics(State(app): State<App>) -> Response {
    let text = app.metrics.as_ref().map(|recorder| recorder.render()).unwrap_or_default();
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}
