//! Records the number and the latency of requests by method, route and status, as metrics.

use std::sync::Arc;

use axum::extract::{MatchedPath, Request};
use axum::http::Method;
use axum::response::Response;
use metrics::SharedString;

/// Middleware: measures how long `next` takes to answer a request.
#[expect(clippy::disallowed_methods, reason = "measures how long an answer takes; decides nothing")]
pub(super) async fn measure<A: Future<Output = Response>>(
    request: Request,
    next: impl FnOnce(Request) -> A,
) -> Response {
    let began = std::time::Instant::now();
    let method = label(request.method());
    let path = request.extensions().get::<MatchedPath>();
    let route: Arc<str> = path.map_or("none", MatchedPath::as_str).into();
    let response = next(request).await;
    let status = response.status().as_u16().to_string();
    let took = began.elapsed();
    let shared = SharedString::from_shared(Arc::clone(&route));
    metrics::counter!("abide_http_requests_total",
        "method" => method, "route" => shared.clone(), "status" => status.clone())
    .increment(1);
    metrics::histogram!("abide_http_request_seconds", "method" => method, "route" => shared)
        .record(took.as_secs_f64());
    tracing::debug!(method, %route, status, ?took, "answered");
    response
}

/// Returns the label of a method. A client can send any word as a method, and each label is kept for good.
fn label(method: &Method) -> &'static str {
    const KNOWN: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
    KNOWN.into_iter().find(|known| *known == method.as_str()).unwrap_or("other")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_clients_invent_share_a_label() {
        assert_eq!(label(&Method::DELETE), "DELETE");
        for word in ["BREW", "get", "X-1"] {
            assert_eq!(label(&word.parse().expect("a method")), "other", "{word}");
        }
    }
}
