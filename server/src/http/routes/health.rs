//! Is it alive, can it work, how much does it do.

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::http::App;
use crate::problem::ProblemDocument;

/// Alive: the process answers.
pub(super) async fn alive() -> axum::Json<Value> {
    axum::Json(json!({"status": "ok"}))
}

/// Ready: the database answers and takes writes, this machine's clock is right, and this process is not about to
/// stop.
pub(super) async fn ready(State(app): State<App>) -> Result<axum::Json<Value>, ProblemDocument> {
    if *app.stopping.borrow() {
        return Err(ProblemDocument::new(503, "stopping", "this process is about to stop"));
    }
    app.engine.ready()?;
    app.engine.reach_database().await?;
    Ok(axum::Json(json!({"status": "ready"})))
}

/// The counts and times of this process, for Prometheus.
pub(super) async fn metrics(State(app): State<App>) -> Response {
    let text = app.metrics.as_ref().map(|recorder| recorder.render()).unwrap_or_default();
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}
