//! The tenant whose data a function of the API reads or changes, with the tenant's settings
//! and the current time.

use std::sync::Arc;

use abide_engine::base::{Problem, Timestamp};
use abide_engine::boxed;
use abide_engine::domain::DomainContext;
use abide_engine::facade::Engine;
use abide_engine::library::Library;
use abide_engine::policy::Settings;

/// Owns the values from which a [`DomainContext`] is built for one tenant. Cheap to clone.
#[derive(Clone)]
pub struct TenantContext {
    tenant: String,
    now: Timestamp,
    settings: Arc<Settings>,
    library: Arc<Library>,
}

impl TenantContext {
    /// Loads the tenant's settings, and copies the current time and the library from the engine.
    ///
    /// # Errors
    /// Returns errors from the store.
    #[boxed]
    pub async fn load(engine: &Engine, tenant: &str) -> Result<Self, Problem> {
        Ok(Self {
            settings: engine.settings(tenant).await?,
            tenant: tenant.to_owned(),
            now: engine.now(),
            library: engine.library(),
        })
    }

    /// Returns the context that the functions of [`crate::api`] take.
    #[must_use]
    pub fn context(&self) -> DomainContext<'_> {
        DomainContext {
            tenant: &self.tenant,
            now: self.now,
            settings: &self.settings,
            templates: &self.library.templates,
        }
    }
}
