//! What every route may use.

use std::sync::Arc;

use abide_engine::base::{Problem, Timestamp};
use abide_engine::domain::DomainContext;
use abide_engine::facade::Engine;
use abide_engine::policy::Settings;
use abide_engine::template::Templates;
use axum::Router;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::sync::watch;

use super::guard::Guard;
use super::keyed::Keys;
use super::{layers, routes};

/// What every route may use. Cloning is cheap.
#[derive(Clone)]
pub struct App {
    /// The engine.
    pub engine: Engine,
    /// The counts of this process, if they are kept.
    pub metrics: Option<PrometheusHandle>,
    /// True once the process is about to stop.
    pub stopping: watch::Receiver<bool>,
}

/// What holds for one request about a church, owned, so that a transaction may be run again.
#[derive(Clone)]
pub(super) struct Desk {
    tenant: Arc<str>,
    now: Timestamp,
    settings: Arc<Settings>,
    templates: Arc<Templates>,
}

impl App {
    /// The whole API behind its guard.
    pub fn router(self, guard: Guard) -> Router {
        let keys = Keys::new(self.engine.clone());
        layers::wrap(routes::all(self), guard, keys)
    }

    /// The desk of a tenant, now.
    pub(super) async fn desk(&self, tenant: &Arc<str>) -> Result<Desk, Problem> {
        let settings = self.engine.settings(tenant).await?;
        let templates = Arc::clone(&self.engine.library().templates);
        Ok(Desk { tenant: Arc::clone(tenant), now: self.engine.now(), settings, templates })
    }
}

impl Desk {
    /// As the church's functions want it.
    pub(super) fn context(&self) -> DomainContext<'_> {
        DomainContext {
            tenant: &self.tenant,
            now: self.now,
            settings: &self.settings,
            templates: &self.templates,
        }
    }

    /// Whose desk it is.
    pub(super) fn tenant(&self) -> &str {
        &self.tenant
    }

    /// When it was asked.
    pub(super) fn now(&self) -> Timestamp {
        self.now
    }
}
