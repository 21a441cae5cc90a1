//! On whose behalf something is done, and what holds at that moment.

use std::sync::Arc;

use abide_engine::base::{Problem, Timestamp};
use abide_engine::domain::DomainContext;
use abide_engine::facade::Engine;
use abide_engine::library::Library;
use abide_engine::policy::Settings;

/// A tenant whose people or requests are looked at or changed. Cheap to clone.
#[derive(Clone)]
pub struct Caller {
    tenant: String,
    now: Timestamp,
    settings: Arc<Settings>,
    library: Arc<Library>,
}

impl Caller {
    /// The tenant as it stands now.
    ///
    /// # Errors
    /// As the store.
    pub async fn load(engine: &Engine, tenant: &str) -> Result<Self, Problem> {
        Ok(Self {
            settings: engine.settings(tenant).await?,
            tenant: tenant.to_owned(),
            now: engine.now(),
            library: engine.library(),
        })
    }

    /// As the functions of this interface take it.
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
