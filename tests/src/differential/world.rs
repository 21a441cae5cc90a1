//! One of the two sides: a church on one database, with its HTTP routes.

use abide_engine::base::Value;
use abide_server::http::{App, Guard};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use serde_json::json;
use tokio::sync::watch;
use tower::ServiceExt as _;

use super::history::Call;
use crate::campaign::church::{Church, Setup};
use crate::postgres::TestDb;

/// API key with access to every route.
const KEY: &str = "differential";
/// Maximum size of an answer, in bytes.
const ANSWER_BYTES_MAX: usize = 64 << 20;

pub(super) struct World {
    church: Church,
    routes: Router,
    _stop: watch::Sender<bool>,
}

/// An answer: its status and its body, which is a string if the body is not JSON.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Value,
}

impl Answer {
    /// Returns the status and the code, such as `422 schema`.
    pub(super) fn counted(&self) -> String {
        let code = self.body["code"].as_str().unwrap_or_default();
        format!("{} {code}", self.status).trim_end().to_owned()
    }

    /// Returns the answer as text, with one member per line.
    pub(super) fn lines(&self) -> Vec<String> {
        let body = serde_json::to_string_pretty(&self.body).expect("JSON");
        std::iter::once(self.status.to_string()).chain(body.lines().map(str::to_owned)).collect()
    }
}

impl World {
    pub(super) async fn open(db: TestDb) -> Self {
        let church = Church::with(db, Setup::default()).await;
        let (routes, stop) = routes(&church);
        Self { church, routes, _stop: stop }
    }

    /// Makes a call, and returns its answer.
    pub(super) async fn ask(&mut self, call: &Call) -> Answer {
        match call {
            Call::Http { path, .. } if path.starts_with("/v1/events") => {
                self.church.log_is_readable().await;
                self.put(call).await
            }
            _ => self.put(call).await,
        }
    }

    async fn put(&mut self, call: &Call) -> Answer {
        match call {
            Call::Http { method, path, key, body } => self.send((*method, path), key, body).await,
            Call::Pause(paused) => self.pause(*paused).await,
            Call::Crash => {
                self.routes = Router::new(); // they hold the old engine
                self.church.crash().await;
                (self.routes, self._stop) = routes(&self.church);
                Answer { status: 200, body: json!("a new process") }
            }
        }
    }

    /// Returns everything that the provider was handed, in order for each recipient: texts to different
    /// recipients are sent concurrently.
    pub(super) fn handed_over(&self) -> Vec<String> {
        let mut sent = self.church.provider.sent();
        sent.sort_by(|one, other| one.to.cmp(&other.to));
        sent.into_iter().map(|sent| format!("{sent:?}")).collect()
    }

    async fn pause(&self, paused: bool) -> Answer {
        match self.church.engine().set_tenant_paused("default", paused).await {
            Ok(in_flight) => Answer { status: 200, body: json!({ "in_flight": in_flight }) },
            Err(problem) => Answer { status: 422, body: json!({ "code": problem.code }) },
        }
    }

    async fn send(&self, (method, path): (&str, &str), key: &Option<String>, body: &str) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        request = request.header("authorization", format!("Bearer {KEY}"));
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        let request = request.body(Body::from(body.to_owned())).expect("a request");
        let response = self.routes.clone().oneshot(request).await.expect("an answer");
        let status = response.status().as_u16();
        let bytes = to_bytes(response.into_body(), ANSWER_BYTES_MAX).await.expect("a body");
        let body = serde_json::from_slice(&bytes)
            .unwrap_or_else(|_| String::from_utf8_lossy(&bytes).into_owned().into());
        Answer { status, body }
    }
}

fn routes(church: &Church) -> (Router, watch::Sender<bool>) {
    let (stop, stopping) = watch::channel(false);
    let app = App { engine: church.engine().clone(), metrics: None, stopping };
    (app.router(Guard { dev: false, key: KEY.into() }), stop)
}
