//! Bundles and settings in memory, loaded once each.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::base::{Digest, Problem};
use crate::library::Bundle;
use crate::store::Tx;

/// Bundles in memory; each is a few hundred KB, and a process meets a handful.
#[derive(Default)]
pub(super) struct Bundles {
    loaded: Mutex<BTreeMap<Digest, Arc<Bundle>>>,
    /// The version of a tenant's method that a bundle is; it never changes.
    versions: Mutex<BTreeMap<(String, Digest), i64>>,
}

impl Bundles {
    /// One that is in memory.
    pub(super) fn get(&self, digest: Digest) -> Option<Arc<Bundle>> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner).get(&digest).cloned()
    }

    /// Keeps one in memory.
    pub(super) fn keep(&self, bundle: Arc<Bundle>) {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner).insert(bundle.digest, bundle);
    }

    /// The version under which a bundle is kept for a tenant.
    pub(super) fn version(&self, tenant: &str, bundle: Digest) -> Option<i64> {
        let versions = self.versions.lock().unwrap_or_else(PoisonError::into_inner);
        versions.get(&(tenant.to_owned(), bundle)).copied()
    }

    /// Remembers the version under which a bundle is kept: only once that is committed.
    pub(super) fn keep_version(&self, tenant: &str, bundle: Digest, version: i64) {
        let mut versions = self.versions.lock().unwrap_or_else(PoisonError::into_inner);
        versions.insert((tenant.to_owned(), bundle), version);
    }

    /// One by its digest, from memory or the database.
    pub(super) async fn load(&self, tx: &mut Tx, digest: Digest) -> Result<Arc<Bundle>, Problem> {
        if let Some(bundle) = self.get(digest) {
            return Ok(bundle);
        }
        let (pins, graph, texts) = tx.bundle(digest).await?.ok_or_else(|| {
            Problem::operator("bundle_missing", "the texts that a run is pinned to are gone")
                .with_detail(format!("bundle {digest}"))
                .with_hint("restore the last backup")
        })?;
        let bundle = Arc::new(Bundle::restore(digest, (&pins, &graph), &texts)?);
        self.keep(Arc::clone(&bundle));
        Ok(bundle)
    }
}
