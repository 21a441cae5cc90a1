//! Problem documents as responses: `application/problem+json`.

use std::num::NonZeroU16;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::problem::ProblemDocument;

impl IntoResponse for ProblemDocument {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        if status.is_server_error() {
            tracing::error!(code = self.code, cause = self.cause, "{}", self.detail);
        }
        let mut response = (status, axum::Json(&self)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        match self.status {
            401 => headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")),
            429 | 503 => {
                let wait = HeaderValue::from(self.retry_after_s.map_or(1, NonZeroU16::get));
                headers.insert(header::RETRY_AFTER, wait)
            }
            _ => None,
        };
        response
    }
}

/// Responds with 404 to a path that belongs to no route.
pub(super) async fn no_route(uri: axum::http::Uri) -> ProblemDocument {
    ProblemDocument::new(404, "unknown_route", format!("there is no route `{}`", uri.path()))
}

/// Returns the problem of a request whose HTTP method the route does not support.
pub(super) fn no_method(method: &axum::http::Method, uri: &axum::http::Uri) -> ProblemDocument {
    let detail = format!("`{}` does not take `{method}`", uri.path());
    ProblemDocument::new(405, "method_not_allowed", detail)
}
