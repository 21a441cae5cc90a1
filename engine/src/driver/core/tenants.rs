//! Caches the settings of tenants. Each entry records the version number of the tenant's row, which shows
//! whether the cached settings are still current.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use crate::base::Problem;
use crate::domain::Domain;
use crate::planted::PlantedFault;
use crate::policy::Settings;
use crate::store::Tx;

/// A tenant's settings, and the version number of the tenant's row from which they were read.
#[derive(Debug, Clone)]
pub(crate) struct TenantSettings {
    /// The settings of the process, with the changes that the tenant's policy makes.
    pub(crate) settings: Arc<Settings>,
    /// The version number of the tenant's row. A step that relies on these settings
    /// can be committed only if the row still has this number.
    pub(crate) version: i64,
    /// Whether the tenant is in shadow mode: all its new runs are shadow runs.
    pub(crate) shadow: bool,
    /// Whether a start must look for shadow runs: all new runs of the tenant are shadow runs, or some of them
    /// are accompanied by shadow runs.
    pub(crate) has_shadows: bool,
}

/// The settings of the process, and the cached settings of its tenants.
pub(super) struct Tenants {
    own: Arc<Settings>,
    known: RwLock<BTreeMap<String, TenantSettings>>,
}

impl Tenants {
    /// Creates a cache that contains no tenant yet.
    pub(super) fn of(own: Settings) -> Self {
        Self { own: Arc::new(own), known: RwLock::default() }
    }

    /// Returns the settings of the process.
    pub(super) fn own(&self) -> &Settings {
        &self.own
    }

    /// Returns a tenant's current settings. Uses the cached settings if the tenant's row has not changed
    /// since they were read, and reads the database otherwise.
    pub(super) async fn current(
        &self,
        tx: &mut Tx,
        domain: &dyn Domain,
        tenant: &str,
    ) -> Result<TenantSettings, Problem> {
        let version = tx.tenant_version(tenant).await?;
        match self.remembered(tenant) {
            Some(known)
                if known.version == version || PlantedFault::SettingsNeverRefreshed.is_active() =>
            {
                Ok(known)
            }
            _ => self.read(tx, domain, tenant).await,
        }
    }

    /// Returns a tenant's cached settings without checking that they are current. Reads the database only
    /// if no settings are cached.
    pub(super) async fn unchecked(
        &self,
        tx: &mut Tx,
        domain: &dyn Domain,
        tenant: &str,
    ) -> Result<TenantSettings, Problem> {
        match self.remembered(tenant) {
            Some(known) => Ok(known),
            None => self.read(tx, domain, tenant).await,
        }
    }

    /// Returns a tenant's settings from the cache, or `None` if they are not cached.
    pub(super) fn remembered(&self, tenant: &str) -> Option<TenantSettings> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).get(tenant).cloned()
    }

    /// Removes a tenant's settings from the cache, because this or another process has changed them.
    pub(super) fn forget(&self, tenant: &str) {
        self.known.write().unwrap_or_else(PoisonError::into_inner).remove(tenant);
    }

    async fn read(
        &self,
        tx: &mut Tx,
        domain: &dyn Domain,
        tenant: &str,
    ) -> Result<TenantSettings, Problem> {
        let row = tx.tenant(tenant).await?;
        let version = row.as_ref().map_or(0, |row| row.version);
        let shadow = row.as_ref().is_some_and(|row| row.shadow);
        let mut settings = match row {
            Some(row) if row.policy.as_object().is_some_and(|p| !p.is_empty()) => {
                Arc::new(self.own.overridden(&row.policy)?)
            }
            _ => Arc::clone(&self.own),
        };
        if let Some(zone) = domain.tenant_time_zone(tx, tenant).await? {
            Arc::make_mut(&mut settings).domain_time_zone = Some(zone);
        }
        let has_shadows = shadow || tx.has_shadow_versions(tenant).await?;
        let known = TenantSettings { settings, version, shadow, has_shadows };
        let mut tenants = self.known.write().unwrap_or_else(PoisonError::into_inner);
        tenants.insert(tenant.to_owned(), known.clone());
        Ok(known)
    }
}
