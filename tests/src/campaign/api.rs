//! The HTTP routes of a church's engine, called without a socket.

use abide_engine::base::Value;
use abide_server::http::{App, Guard};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use tokio::sync::watch;
use tower::ServiceExt as _;

use super::church::Church;
use crate::process::ApiAnswer;

/// API key with access to every route.
const KEY: &str = "test";
/// Maximum size of a response, in bytes.
const ANSWER_BYTES_MAX: usize = 64 << 20;

/// The HTTP routes of one process. This value keeps the engine open, so a test must drop the value before
/// the test makes the process crash.
pub(crate) struct ChurchApi {
    routes: Router,
    _stop: watch::Sender<bool>,
}

/// A request to a route.
pub(crate) struct ApiRequest<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    /// Idempotency key, if any.
    pub(crate) key: Option<&'a str>,
    pub(crate) body: &'a str,
}

impl ChurchApi {
    /// Builds the routes on the engine of the church's running process.
    pub(crate) fn over(church: &Church) -> Self {
        let (stop, stopping) = watch::channel(false);
        let (engine, files) = (church.engine().clone(), church.files());
        let app = App::new(engine, files, None, stopping);
        Self { routes: app.router(Guard { dev: false, key: KEY.into() }), _stop: stop }
    }

    /// Sends a request with the key.
    pub(crate) async fn send(&self, request: &ApiRequest<'_>) -> ApiAnswer {
        self.send_with(KEY, request).await
    }

    /// Sends a request with a token.
    pub(crate) async fn send_with(&self, token: &str, request: &ApiRequest<'_>) -> ApiAnswer {
        let mut http = Request::builder()
            .method(request.method)
            .uri(request.path)
            .header("authorization", format!("Bearer {token}"));
        if let Some(key) = request.key {
            http = http.header("idempotency-key", key);
        }
        let http = http.body(Body::from(request.body.to_owned())).expect("a request");
        let response = self.routes.clone().oneshot(http).await.expect("an answer");
        let status = response.status().as_u16();
        let bytes = to_bytes(response.into_body(), ANSWER_BYTES_MAX).await.expect("a body");
        let body = serde_json::from_slice(&bytes)
            .unwrap_or_else(|_| Value::from(String::from_utf8_lossy(&bytes).into_owned()));
        ApiAnswer { status, body }
    }
}
