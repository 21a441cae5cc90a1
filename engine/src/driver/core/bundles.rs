//! Caches bundles in memory, and for each method the bundle and version that new runs start with.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use crate::base::{Digest, Problem};
use crate::library::{Bundle, Pins};
use crate::store::Tx;
use crate::template::Templates;

/// The bundle and version that new runs of a tenant's method start with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::driver) struct Chosen {
    /// The digest of the bundle that new runs are pinned to.
    pub(in crate::driver) bundle: Digest,
    /// The number of the bundle's version.
    pub(in crate::driver) version: i64,
    /// The number of the active version: the same as `version`, or 0 if no version is active, as when the
    /// bundle comes from the method files or carries out a call from outside.
    pub(in crate::driver) active: i64,
}

/// A cache of bundles. It never drops a bundle, because a process needs only a few bundles, each of a few
/// hundred KB.
#[derive(Default)]
pub(in crate::driver) struct Bundles {
    loaded: Mutex<BTreeMap<Digest, Arc<Bundle>>>,
    /// For each method of each tenant, the bundle and version that the latest run of the method started
    /// with. Another process may have activated another version since. So a transaction that starts a run
    /// from this cache also compares the cached version with the active version.
    chosen: Mutex<BTreeMap<(String, String), Chosen>>,
    /// For each bundle that was checked, whether this program can continue its runs.
    fit: Mutex<BTreeMap<Digest, bool>>,
}

impl Bundles {
    /// Returns a bundle from memory, or `None` if it is not cached.
    pub(in crate::driver) fn get(&self, digest: Digest) -> Option<Arc<Bundle>> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner).get(&digest).cloned()
    }

    /// Adds a bundle to the cache.
    pub(in crate::driver) fn keep(&self, bundle: Arc<Bundle>) {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner).insert(bundle.digest, bundle);
    }

    /// Returns the templates of a cached bundle that pins the same templates.
    fn templates(&self, pins: &Pins) -> Option<Arc<Templates>> {
        let loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let same = loaded.values().find(|bundle| bundle.pins.templates == pins.templates);
        same.map(|bundle| Arc::clone(&bundle.templates))
    }

    /// Returns the cached bundle and version that the latest run of a method started with, or `None` if
    /// they are not cached.
    pub(in crate::driver) fn chosen(&self, tenant: &str, method: &str) -> Option<Chosen> {
        let chosen = self.chosen.lock().unwrap_or_else(PoisonError::into_inner);
        chosen.get(&(tenant.to_owned(), method.to_owned())).copied()
    }

    /// Caches the bundle and version that new runs of a method start with.
    /// Use this only after the transaction that started such a run is committed.
    pub(in crate::driver) fn choose(&self, tenant: &str, method: &str, what: Chosen) {
        let mut chosen = self.chosen.lock().unwrap_or_else(PoisonError::into_inner);
        chosen.insert((tenant.to_owned(), method.to_owned()), what);
    }

    /// Forgets the bundle and version that new runs of a method start with,
    /// because another version is active now.
    pub(in crate::driver) fn forget(&self, tenant: &str, method: &str) {
        let mut chosen = self.chosen.lock().unwrap_or_else(PoisonError::into_inner);
        chosen.remove(&(tenant.to_owned(), method.to_owned()));
    }

    /// Returns whether this program can continue the runs of a bundle,
    /// or `None` if the bundle has not been checked yet.
    pub(in crate::driver) fn is_fit(&self, digest: Digest) -> Option<bool> {
        self.fit.lock().unwrap_or_else(PoisonError::into_inner).get(&digest).copied()
    }

    /// Caches whether this program can continue the runs of a bundle.
    pub(in crate::driver) fn note_fit(&self, digest: Digest, fit: bool) {
        self.fit.lock().unwrap_or_else(PoisonError::into_inner).insert(digest, fit);
    }

    /// Returns the checked bundles whose runs this program cannot continue.
    pub(in crate::driver) fn unfit(&self) -> BTreeSet<Digest> {
        let fit = self.fit.lock().unwrap_or_else(PoisonError::into_inner);
        fit.iter().filter(|(_, fit)| !**fit).map(|(digest, _)| *digest).collect()
    }

    /// Loads a bundle by its digest, from memory or from the database.
    pub(in crate::driver) async fn load(
        &self,
        tx: &mut Tx,
        digest: Digest,
    ) -> Result<Arc<Bundle>, Problem> {
        if let Some(bundle) = self.get(digest) {
            return Ok(bundle);
        }
        let stored = tx.bundle(digest).await?.ok_or_else(|| {
            Problem::operator("bundle_missing", "the texts that a run is pinned to are missing")
                .with_detail(format!("bundle {digest}"))
                .with_hint("restore the last backup")
        })?;
        let bundle = Arc::new(Bundle::restore(digest, &stored, |pins| self.templates(pins))?);
        self.keep(Arc::clone(&bundle));
        Ok(bundle)
    }
}
