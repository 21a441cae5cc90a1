//! Runs each request in its own task, so that a transaction continues even if the client disconnects.
//! A panic in the task becomes a response with status 500.

use axum::response::{IntoResponse, Response};

use crate::problem::ProblemDocument;

/// Middleware: runs what answers a request in a new task of the runtime.
pub(super) async fn run_in_task(
    answer: impl Future<Output = Response> + Send + 'static,
) -> Response {
    match tokio::spawn(answer).await {
        Ok(response) => response,
        Err(panic) => ProblemDocument::internal_in_route(panic).into_response(),
    }
}
