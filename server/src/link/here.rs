//! The routes in this process, over an engine that works on runs only after a request.

use abide_engine::facade::Engine;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::header;
use tokio::sync::watch;
use tower::ServiceExt as _;

use crate::ask::Ask;
use crate::http::{App, Guard, SameProcess, TENANT_HEADER};
use crate::problem::ProblemDocument;

/// Maximum size of an answer in bytes: a page of receipts with all their data.
const ANSWER_BYTES_MAX: usize = 64 << 20;

/// The routes of this process, and their engine.
pub(crate) struct Here {
    engine: Engine,
    routes: Router,
    tenant: String,
    _running: watch::Sender<bool>,
}

impl Here {
    pub(super) fn over(engine: Engine, tenant: &str) -> Self {
        let (running, stopping) = watch::channel(false);
        let app = App { engine: engine.clone(), metrics: None, stopping };
        // Only this process can reach the routes, so the key is random and never given out.
        let routes = app.router(Guard { dev: false, key: crate::fresh_key("none").into() });
        Self { engine, routes, tenant: tenant.to_owned(), _running: running }
    }

    /// Sends `ask` and returns the status and the body of the answer. If it changed something, works on all
    /// that is due before returning.
    pub(super) async fn raw(&self, ask: &Ask) -> Result<(u16, Vec<u8>), ProblemDocument> {
        let lost = |cause: String| {
            ProblemDocument::new(500, "internal", "something went wrong on our side")
                .with_cause(cause)
        };
        let mut request = Request::builder()
            .method(ask.method.clone())
            .uri(&ask.path)
            .header(TENANT_HEADER, &self.tenant)
            .header(header::CONTENT_TYPE, "application/json");
        if let Some(key) = &ask.key {
            request = request.header("Idempotency-Key", key);
        }
        let body = ask.body.as_ref().map_or_else(Body::empty, |body| Body::from(body.to_string()));
        let mut request = request.body(body).map_err(|e| lost(e.to_string()))?;
        request.extensions_mut().insert(SameProcess);
        let answer = self.routes.clone().oneshot(request).await;
        let Ok(response) = answer;
        let status = response.status().as_u16();
        let body = to_bytes(response.into_body(), ANSWER_BYTES_MAX)
            .await
            .map_err(|e| lost(e.to_string()))?;
        if ask.changes() && status < 400 {
            self.settle().await?;
        }
        Ok((status, body.to_vec()))
    }

    /// Works until nothing is due now.
    pub(super) async fn settle(&self) -> Result<(), ProblemDocument> {
        self.engine.tick().await?;
        Ok(())
    }
}
