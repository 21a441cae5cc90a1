//! The settings of tenants, remembered with the version that they are of.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use crate::base::Problem;
use crate::planted::Planted;
use crate::policy::Settings;
use crate::store::Tx;

/// A tenant's settings, as they are at a version of it.
#[derive(Debug, Clone)]
pub(crate) struct TenantSettings {
    /// The process's own with the tenant's differences.
    pub(crate) settings: Arc<Settings>,
    /// Whoever rests on them without looking has it compared in the commit.
    pub(crate) version: i64,
}

/// The process's settings, and those of the tenants that it has met.
pub(super) struct Tenants {
    own: Arc<Settings>,
    known: RwLock<BTreeMap<String, TenantSettings>>,
}

impl Tenants {
    /// No tenant is known yet.
    pub(super) fn of(own: Settings) -> Self {
        Self { own: Arc::new(own), known: RwLock::default() }
    }

    /// The process's own settings.
    pub(super) fn own(&self) -> &Settings {
        &self.own
    }

    /// A tenant's settings as they are now: what this process remembers, if no other has changed them.
    pub(super) async fn settings(
        &self,
        tx: &mut Tx,
        tenant: &str,
    ) -> Result<Arc<Settings>, Problem> {
        let version = tx.tenant_version(tenant).await?;
        match self.remembered(tenant) {
            Some(known) if known.version == version || Planted::SettingsNeverRead.is_in() => {
                Ok(known.settings)
            }
            _ => Ok(self.read(tx, tenant).await?.settings),
        }
    }

    /// The same without a look at the database where this process remembers them.
    pub(super) async fn unchecked(
        &self,
        tx: &mut Tx,
        tenant: &str,
    ) -> Result<TenantSettings, Problem> {
        match self.remembered(tenant) {
            Some(known) => Ok(known),
            None => self.read(tx, tenant).await,
        }
    }

    /// A tenant's settings as this process remembers them.
    pub(super) fn remembered(&self, tenant: &str) -> Option<TenantSettings> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).get(tenant).cloned()
    }

    /// Forgets a tenant's settings: they were changed, here or elsewhere.
    pub(super) fn forget(&self, tenant: &str) {
        self.known.write().unwrap_or_else(PoisonError::into_inner).remove(tenant);
    }

    async fn read(&self, tx: &mut Tx, tenant: &str) -> Result<TenantSettings, Problem> {
        let row = tx.tenant(tenant).await?;
        let version = row.as_ref().map_or(0, |row| row.version);
        let settings = match row {
            Some(row) if row.policy.as_object().is_some_and(|p| !p.is_empty()) => {
                Arc::new(self.own.overridden(&row.policy)?)
            }
            _ => Arc::clone(&self.own),
        };
        let known = TenantSettings { settings, version };
        let mut tenants = self.known.write().unwrap_or_else(PoisonError::into_inner);
        tenants.insert(tenant.to_owned(), known.clone());
        Ok(known)
    }
}
