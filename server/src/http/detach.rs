//! Runs each request in its own task, so that a transaction continues even if the client disconnects.
//! A panic in the task becomes a response with status 500.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::problem::ProblemDocument;

/// Middleware: runs the inner layers and the route of a request in a new task of the runtime.
pub(super) async fn run_in_task(request: Request, next: Next) -> Response {
    match tokio::spawn(next.run(request)).await {
        Ok(response) => response,
        Err(panic) => ProblemDocument::internal_in_route(panic).into_response(),
    }
}
