//! Runs each request in its own task, so that neither a caller who disconnects nor a panic interrupts a
//! transaction.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::problem::ProblemDocument;

/// Runs the rest of the stack in a task of its own.
pub(super) async fn run_in_task(request: Request, next: Next) -> Response {
    match tokio::spawn(next.run(request)).await {
        Ok(response) => response,
        Err(panic) => ProblemDocument::internal_in_route(panic).into_response(),
    }
}
