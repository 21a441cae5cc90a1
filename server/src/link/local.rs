//! The routes in this process. Their engine works on runs only after a request.

use abide_engine::facade::Engine;
use abide_trade::files::FileStore;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::header;
use tokio::sync::watch;
use tower::ServiceExt as _;

use super::RawAnswer;
use crate::api_request::{ApiRequest, TENANT_HEADER};
use crate::http::{App, Guard, SameProcess};
use crate::problem::ProblemDocument;

/// Maximum size of a response in bytes. The largest response is a page of receipts with all their data.
const ANSWER_BYTES_MAX: usize = 64 << 20;

/// The routes of this process, and their engine.
pub(crate) struct LocalRoutes {
    engine: Engine,
    routes: Router,
    tenant: String,
    /// Sender of the stop signal. It is never used, so the routes stop only with the process.
    _stop: watch::Sender<bool>,
}

impl LocalRoutes {
    /// Creates routes that use `engine` and `files`, and act for `tenant`.
    pub(super) fn new(engine: Engine, files: FileStore, tenant: &str) -> Self {
        let (stop, stopping) = watch::channel(false);
        let app = App::new(engine.clone(), files, None, stopping);
        // Only this process can reach the routes, and its requests need no key.
        // So the key is random, and it is stored nowhere.
        let routes = app.router(Guard { dev: false, key: crate::random::fresh_key("none").into() });
        Self { engine, routes, tenant: tenant.to_owned(), _stop: stop }
    }

    /// Sends `request` and returns the response. If the request changed data, works on all due runs
    /// before it returns the response.
    pub(super) async fn send(&self, request: &ApiRequest) -> Result<RawAnswer, ProblemDocument> {
        let mut http = Request::builder()
            .method(request.method.clone())
            .uri(&request.path)
            .header(TENANT_HEADER, &self.tenant);
        if let Some(body) = &request.body {
            http = http.header(header::CONTENT_TYPE, body.content_type());
        }
        if let Some(key) = &request.key {
            http = http.header("Idempotency-Key", key);
        }
        let body =
            request.body.as_ref().map_or_else(Body::empty, |body| Body::from(body.to_bytes()));
        let mut http = http.body(body).map_err(ProblemDocument::internal_in_route)?;
        http.extensions_mut().insert(SameProcess);
        let Ok(response) = self.routes.clone().oneshot(http).await;
        let status = response.status().as_u16();
        let body = to_bytes(response.into_body(), ANSWER_BYTES_MAX)
            .await
            .map_err(ProblemDocument::internal_in_route)?;
        if request.is_change() && status < 400 {
            self.settle().await?;
        }
        Ok(RawAnswer { status, body: body.to_vec() })
    }

    /// Works on runs until nothing is due.
    pub(super) async fn settle(&self) -> Result<(), ProblemDocument> {
        self.engine.tick().await?;
        Ok(())
    }
}
