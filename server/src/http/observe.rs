//! Records the number and the latency of requests by method, route and status, as metrics.

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::Response;

#[expect(clippy::disallowed_methods, reason = "measures how long an answer takes; decides nothing")]
pub(super) async fn measure(request: Request, next: Next) -> Response {
    let began = std::time::Instant::now();
    let method = request.method().to_string();
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let route = route.unwrap_or_else(|| "none".to_owned());
    let response = next.run(request).await;
    let status = response.status().as_u16().to_string();
    let took = began.elapsed();
    metrics::counter!("abide_http_requests_total",
        "method" => method.clone(), "route" => route.clone(), "status" => status.clone())
    .increment(1);
    metrics::histogram!("abide_http_request_seconds", "method" => method.clone(), "route" => route.clone())
        .record(took.as_secs_f64());
    tracing::debug!(method, route, status, ?took, "answered");
    response
}
