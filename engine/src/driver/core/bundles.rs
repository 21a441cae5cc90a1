//! Bundles in memory, loaded once each, and what new runs of a method begin with.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use crate::base::{Digest, Problem};
use crate::library::Bundle;
use crate::store::Tx;

/// What new runs of a tenant's method begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::driver) struct Chosen {
    /// The texts.
    pub(in crate::driver) bundle: Digest,
    /// Their version.
    pub(in crate::driver) version: i64,
    /// The version that was made active, 0 where the files decide.
    pub(in crate::driver) active: i64,
}

/// Bundles in memory; each is a few hundred KB, and a process meets a handful.
#[derive(Default)]
pub(in crate::driver) struct Bundles {
    loaded: Mutex<BTreeMap<Digest, Arc<Bundle>>>,
    /// What new runs of a tenant's methods began with last. Another process may have published since:
    /// a start that rests on this says so, and the database compares.
    chosen: Mutex<BTreeMap<(String, String), Chosen>>,
    /// Whether this program can carry on the runs of a bundle.
    fit: Mutex<BTreeMap<Digest, bool>>,
}

impl Bundles {
    /// One that is in memory.
    pub(in crate::driver) fn get(&self, digest: Digest) -> Option<Arc<Bundle>> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner).get(&digest).cloned()
    }

    /// Keeps one in memory.
    pub(in crate::driver) fn keep(&self, bundle: Arc<Bundle>) {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner).insert(bundle.digest, bundle);
    }

    /// What new runs of a method began with last.
    pub(in crate::driver) fn chosen(&self, tenant: &str, method: &str) -> Option<Chosen> {
        let chosen = self.chosen.lock().unwrap_or_else(PoisonError::into_inner);
        chosen.get(&(tenant.to_owned(), method.to_owned())).copied()
    }

    /// Remembers what new runs of a method begin with: only once that is committed.
    pub(in crate::driver) fn choose(&self, tenant: &str, method: &str, what: Chosen) {
        let mut chosen = self.chosen.lock().unwrap_or_else(PoisonError::into_inner);
        chosen.insert((tenant.to_owned(), method.to_owned()), what);
    }

    /// Another version of the method is active now.
    pub(in crate::driver) fn forget(&self, tenant: &str, method: &str) {
        let mut chosen = self.chosen.lock().unwrap_or_else(PoisonError::into_inner);
        chosen.remove(&(tenant.to_owned(), method.to_owned()));
    }

    /// Whether the runs of a bundle can be carried on here, if that was looked at.
    pub(in crate::driver) fn is_fit(&self, digest: Digest) -> Option<bool> {
        self.fit.lock().unwrap_or_else(PoisonError::into_inner).get(&digest).copied()
    }

    /// Remembers whether the runs of a bundle can be carried on here.
    pub(in crate::driver) fn note_fit(&self, digest: Digest, fit: bool) {
        self.fit.lock().unwrap_or_else(PoisonError::into_inner).insert(digest, fit);
    }

    /// The bundles whose runs cannot be carried on here.
    pub(in crate::driver) fn unfit(&self) -> BTreeSet<Digest> {
        let fit = self.fit.lock().unwrap_or_else(PoisonError::into_inner);
        fit.iter().filter(|(_, fit)| !**fit).map(|(digest, _)| *digest).collect()
    }

    /// One by its digest, from memory or the database.
    pub(in crate::driver) async fn load(
        &self,
        tx: &mut Tx,
        digest: Digest,
    ) -> Result<Arc<Bundle>, Problem> {
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
