//! Wraps every route in the middleware for tasks, metrics, access control and idempotency.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;

use super::guard::Gate;
use super::idempotency::IdempotencyKeys;
use super::{detach, guard, idempotency, observe, refusal};

/// What the middleware needs.
struct Middleware {
    gate: Gate,
    keys: IdempotencyKeys,
}

/// Wraps the routes in the middleware. It is one layer of the router, because a router copies every layer of a route
/// once for each layer around it, at each request.
pub(super) fn wrap(routes: Router, gate: Gate, keys: IdempotencyKeys) -> Router {
    let middleware = Arc::new(Middleware { gate, keys });
    routes.fallback(refusal::no_route).layer(from_fn_with_state(middleware, pass))
}

/// Passes a request through the middleware. From outside to inside: a task per request, metrics, access control (which
/// also redacts answers), idempotency keys.
async fn pass(State(middleware): State<Arc<Middleware>>, request: Request, next: Next) -> Response {
    detach::run_in_task(async move {
        let Middleware { gate, keys } = &*middleware;
        let once = |request| idempotency::answer_once(keys, request, |request| next.run(request));
        observe::measure(request, |request| guard::admit(gate, request, once)).await
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use axum::body::Body;
    use axum::http::Request;
    use axum::response::IntoResponse;
    use axum::routing::{get, post};
    use serde_json::{Value, json};
    use tower::ServiceExt as _;

    use super::*;
    use crate::http::access::{Access, RouteRule};
    use crate::http::extract;
    use crate::http::guard::Guard;
    use crate::http::testing::{TestApi, TestClock, send_request};
    use crate::problem::ProblemDocument;
    use crate::role::Role;

    /// The rules of two routes. The third has none.
    const RULES: &[RouteRule] = &[
        RouteRule::new("POST", "/echo", Access::Least(Role::Staff)),
        RouteRule::new("GET", "/fall", Access::Least(Role::Viewer)),
    ];

    struct TestServer {
        routes: Router,
        served: Arc<AtomicU32>,
        _api: TestApi,
    }

    /// Creates a server with three routes. `POST /echo` responds with the number of earlier requests to that
    /// route, and rejects a body without `name`. `GET /fall` panics.
    /// `GET /closed` has no rule of access.
    async fn server() -> TestServer {
        let api = TestApi::empty(TestClock::Virtual).await;
        let served = Arc::new(AtomicU32::new(0));
        let count = served.clone();
        let echo = move |extract::Body(body): extract::Body<Value>| {
            let call = count.fetch_add(1, Ordering::SeqCst);
            async move {
                if body.get("name").is_none() {
                    return ProblemDocument::schema("no name").into_response();
                }
                (axum::http::StatusCode::ACCEPTED, axum::Json(json!({"call": call})))
                    .into_response()
            }
        };
        async fn fall() {
            panic!("on purpose")
        }
        let routes = Router::new().route("/echo", post(echo)).route("/fall", get(fall));
        let routes = routes.route("/closed", get(async || "open"));
        let guard = Guard { dev: false, key: "k".into() };
        let gate = Gate::new(api.engine.clone(), guard, RULES);
        let routes = wrap(routes, gate, IdempotencyKeys::new(api.engine.clone()));
        TestServer { routes, served, _api: api }
    }

    impl TestServer {
        async fn send(&self, method: &str, path: &str, key: &str, body: &str) -> (u16, Value) {
            let (status, body) = send_request(&self.routes, method, path, key, body).await;
            (status, serde_json::from_slice(&body).unwrap_or(Value::Null))
        }
    }

    #[tokio::test]
    async fn the_same_key_and_body_are_served_once() {
        let server = server().await;
        let first = server.send("POST", "/echo", "k1", "{\"name\":1}").await;
        assert_eq!(first, (202, json!({"call": 0})));
        assert_eq!(server.send("POST", "/echo", "k1", "{\"name\":1}").await, first);
        assert_eq!(server.served.load(Ordering::SeqCst), 1);

        let (status, problem) = server.send("POST", "/echo", "k1", "{\"name\":2}").await;
        assert_eq!((status, &problem["code"]), (409, &json!("key_clash")));
        assert_eq!(server.send("POST", "/echo", "k2", "{\"name\":1}").await.1, json!({"call": 1}));
        assert_eq!(server.send("POST", "/echo", "", "{\"name\":1}").await.1, json!({"call": 2}));
    }

    #[tokio::test]
    async fn concurrent_repeats_get_the_first_answer() {
        let server = server().await;
        let send = || server.send("POST", "/echo", "k1", "{\"name\":1}");
        let (a, b, c) = tokio::join!(send(), send(), send());
        assert_eq!((&a, &b), (&b, &c));
        assert_eq!(server.served.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn a_refused_request_may_be_corrected_under_its_key() {
        let server = server().await;
        assert_eq!(server.send("POST", "/echo", "k1", "{}").await.0, 422);
        assert_eq!(server.send("POST", "/echo", "k1", "{\"name\":1}").await.0, 202);
        assert_eq!(server.send("POST", "/echo", &"k".repeat(201), "{}").await.0, 422);
    }

    #[tokio::test]
    async fn every_refusal_is_a_problem_document() {
        let server = server().await;
        let large = format!("{{\"name\": \"{}\"}}", "x".repeat(extract::BODY_BYTES_MAX));
        let cases = [
            ("GET", "/nowhere", "", 404, "unknown_route"),
            ("GET", "/echo", "", 405, "method_not_allowed"),
            ("GET", "/closed", "", 403, "forbidden"),
            ("POST", "/echo", "{", 400, "not_json"),
            ("POST", "/echo", &large, 413, "too_large"),
            ("GET", "/fall", "", 500, "internal"),
        ];
        for (method, path, body, status, code) in cases {
            let (got, problem) = server.send(method, path, "", body).await;
            assert_eq!((got, &problem["code"]), (status, &json!(code)), "{method} {path}");
            assert_eq!(problem["status"], status);
        }
    }

    #[tokio::test]
    async fn a_request_without_a_token_is_refused() {
        let server = server().await;
        let request = Request::post("/echo").body(Body::from("{\"name\":1}")).expect("a request");
        let response = server.routes.clone().oneshot(request).await.expect("an answer");
        assert_eq!(response.status().as_u16(), 401);
        assert_eq!(response.headers()["content-type"], "application/problem+json");
        assert_eq!(server.served.load(Ordering::SeqCst), 0);
    }
}
