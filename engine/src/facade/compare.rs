//! Compares two versions of a method, and judges which live runs of the method
//! could move to the second version.

use serde::Serialize;
use utoipa::ToSchema;

use super::engine::Engine;
use super::methods::{current_version, find_version, versions_of};
use super::upgrade::{UpgradeOptions, UpgradeView};
use crate::base::Problem;
use crate::boxed;
use crate::method::{MethodChange, diff};
use crate::store::{MethodRef, VersionRow};
use crate::transaction;

/// The differences between two versions of a method.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct MethodComparison {
    /// Name of the method.
    pub name: String,
    /// Number of the first version.
    pub from: i64,
    /// Number of the second version.
    pub to: i64,
    /// Changes from the first version to the second:
    /// changes of the method as a whole, then changes of its steps, removed steps first.
    pub changes: Vec<MethodChange>,
    /// Which live runs of the method could be moved to the second version.
    pub runs: UpgradeView,
}

impl Engine {
    /// Compares two versions of a method, given by their numbers: the first is `from`,
    /// the second is `to`. If no second version is given, it is the version that new runs start with.
    /// If no first version is given, it is the newest version that is older than the second.
    ///
    /// # Errors
    /// `unknown_method`, `unknown_version`, `no_older_version`.
    #[boxed]
    pub async fn compare_versions(
        &self,
        tenant: &str,
        name: &str,
        from: Option<i64>,
        to: Option<i64>,
    ) -> Result<MethodComparison, Problem> {
        let task = transaction!(
            [core = self.core.clone(), tenant = tenant.to_owned(), name = name.to_owned()],
            |tx| {
                let method = MethodRef { tenant: &tenant, method: &name };
                let rows = versions_of(tx, method).await?;
                let library = core.library();
                let to = match to {
                    Some(version) => find_version(&rows, version)?,
                    None => current_version(&rows, &library).unwrap_or(&rows[0]),
                };
                let from = match from {
                    Some(version) => find_version(&rows, version)?,
                    None => newest_before(&rows, to)?,
                };
                let old = core.bundle(tx, from.bundle).await?;
                let new = core.bundle(tx, to.bundle).await?;
                Ok((from.version, to.version, diff(&old.graph, &new.graph)))
            }
        );
        let (from, to, changes) = self.core.store.read(task).await?;
        let options = UpgradeOptions { to: Some(to), dry_run: true, ..UpgradeOptions::default() };
        let runs = self.upgrade_all(tenant, name, &options).await?;
        Ok(MethodComparison { name: name.to_owned(), from, to, changes, runs })
    }
}

/// Returns the newest of these versions that is older than the given version.
/// The caller must sort the rows from the newest version to the oldest.
fn newest_before<'r>(rows: &'r [VersionRow], than: &VersionRow) -> Result<&'r VersionRow, Problem> {
    rows.iter().find(|row| row.version < than.version).ok_or_else(|| {
        let message = format!("there is no version older than {}", than.version);
        Problem::caller("no_older_version", message)
            .with_hint("name both versions; `abide method list NAME` shows them")
    })
}
