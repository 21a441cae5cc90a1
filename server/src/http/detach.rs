//! Runs each request in its own task, so that neither a caller who disconnects nor a panic interrupts a
//! transaction.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::problem::ProblemDocument;

pub(super) async fn run(request: Request, next: Next) -> Response {
    match tokio::spawn(next.run(request)).await {
        Ok(response) => response,
        Err(fault) => ProblemDocument::new(500, "internal", "something went wrong on our side")
            .with_cause(fault)
            .into_response(),
    }
}
