//! Stores the versions of a tenant's methods, and records which versions are active or deleted.

use std::collections::{BTreeMap, BTreeSet};

use super::error::StoreError;
use super::param::ColumnType;
use super::refs::MethodRef;
use super::row::Row;
use super::rows::Rows;
use super::tx::Tx;
use crate::base::{Digest, Timestamp};
use crate::library::Pins;
use crate::params;

/// The maximum value of a count of live runs.
const LIVE_COUNTED: i64 = 100_000;

crate::words! {
    /// Where the source of a version comes from.
    pub enum VersionOrigin {
        /// A file that the process has loaded.
        File = "file",
        /// Published over the API or the command line.
        Published = "published",
    }
}

/// A version of a method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionRow {
    /// The method's name.
    pub name: String,
    /// The version number, from 1.
    pub version: i64,
    /// The digest of the version's bundle.
    pub bundle: Digest,
    /// Whether new runs start with this version instead of the version in the files.
    pub active: bool,
    /// Whether the version is for shadow runs only, which only report what they would do.
    pub shadow: bool,
    /// Where the source of the version comes from.
    pub origin: VersionOrigin,
    /// When the version was stored.
    pub created_at: Timestamp,
    /// Number of live runs that are pinned to the version.
    pub live: i64,
}

/// The active version of a method that a tenant has published. New runs start with this version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveMethod {
    /// The method's name.
    pub name: String,
    /// The digest of the bundle of the active version.
    pub bundle: Digest,
    /// The YAML source of the method.
    pub text: String,
}

/// A bundle that live runs are pinned to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveBundle {
    /// The digest of the bundle.
    pub digest: Digest,
    /// The name of a method that has a version with this bundle.
    pub method: String,
    /// Number of live runs that are pinned to the bundle.
    pub runs: i64,
}

impl Tx {
    /// Returns the number and the bundle of a method's active version, with which new runs start;
    /// `None` if no version is active.
    pub async fn active_version(
        &mut self,
        tenant: &str,
        method: &str,
    ) -> Result<Option<(i64, Digest)>, StoreError> {
        let row = self
            .row(
                "SELECT version, bundle FROM method_version
                 WHERE tenant = $1 AND name = $2 AND active = 1",
                &params![tenant, method],
            )
            .await?;
        row.map(|row| Ok((row.int("version")?, row.digest("bundle")?))).transpose()
    }

    /// Returns the active versions of a tenant's methods. Methods without an active version are left out.
    pub async fn active_methods(&mut self, tenant: &str) -> Result<Vec<ActiveMethod>, StoreError> {
        let rows = self
            .rows(
                "SELECT m.name, m.bundle, d.body FROM method_version m
                 JOIN definition d ON d.digest = m.bundle
                 WHERE m.tenant = $1 AND m.active = 1 ORDER BY m.name",
                &params![tenant],
            )
            .await?;
        let mut texts = Vec::with_capacity(rows.len());
        for row in &rows {
            texts.push(pins(row.digest("bundle")?, &row.text("body")?)?.text);
        }
        let bodies = self.texts(texts.iter().copied()).await?;
        let methods = rows.iter().zip(&texts).map(|(row, text)| {
            let body = bodies.get(text).cloned();
            let body = body.ok_or_else(|| StoreError::Corrupt(format!("no text {text:?}")))?;
            Ok(ActiveMethod { name: row.text("name")?, bundle: row.digest("bundle")?, text: body })
        });
        methods.collect()
    }

    /// Reads the pins of a bundle: the digests of its sources. `None` if the bundle is not stored.
    pub async fn pins(&mut self, bundle: Digest) -> Result<Option<Pins>, StoreError> {
        let row = self
            .row(
                "SELECT body FROM definition WHERE digest = $1 AND kind = 'bundle'",
                &params![bundle],
            )
            .await?;
        row.map(|row| pins(bundle, &row.text("body")?)).transpose()
    }

    /// Reads the sources of stored definitions by their digests.
    pub async fn texts(
        &mut self,
        digests: impl Iterator<Item = Digest>,
    ) -> Result<BTreeMap<Digest, String>, StoreError> {
        let mut wanted = Rows::new(&[("digest", ColumnType::Bytes)]);
        for digest in digests {
            wanted.push([digest.into()]);
        }
        if wanted.is_empty() {
            return Ok(BTreeMap::new());
        }
        let found = self
            .bulk(
                "SELECT digest, body FROM definition WHERE digest IN (SELECT digest FROM {rows})",
                &[],
                &wanted,
            )
            .await?;
        found.iter().map(|row| Ok((row.digest("digest")?, row.text("body")?))).collect()
    }

    /// Returns the versions of one method, or of all methods, newest first. Deleted versions are left out.
    pub async fn versions(
        &mut self,
        tenant: &str,
        method: Option<&str>,
    ) -> Result<Vec<VersionRow>, StoreError> {
        let rows = self
            .rows(
                "SELECT m.name, m.version, m.bundle, m.active, m.shadow, m.origin, m.created_at,
                    (SELECT COUNT(*) FROM (SELECT r.id FROM run r
                        WHERE r.bundle = m.bundle AND substr(r.bundle, 1, 8) = substr(m.bundle, 1, 8)
                        AND COALESCE(r.ended_at, r.ended_at) IS NULL
                        AND r.tenant || '' = m.tenant AND r.branch + 0 = 0 LIMIT $3) l) AS live
                 FROM method_version m
                 WHERE m.tenant = $1 AND ($2 IS NULL OR m.name = $2) AND m.deleted = 0
                 ORDER BY m.name, m.version DESC",
                &params![tenant, method, LIVE_COUNTED],
            )
            .await?;
        rows.iter().map(read).collect()
    }

    /// Returns the number and the bundle of the version that shadow runs try beside the real runs of a
    /// method: the newest version for shadow runs, if it is newer than the active version.
    pub async fn shadow_version(
        &mut self,
        method: MethodRef<'_>,
    ) -> Result<Option<(i64, Digest)>, StoreError> {
        let row = self
            .row(
                "SELECT m.version, m.bundle FROM method_version m
                 WHERE m.tenant = $1 AND m.name = $2 AND m.shadow = 1 AND m.deleted = 0
                    AND m.version > coalesce((SELECT a.version FROM method_version a
                        WHERE a.tenant = m.tenant AND a.name = m.name AND a.active = 1), 0)
                 ORDER BY m.version DESC LIMIT 1",
                &params![method.tenant, method.method],
            )
            .await?;
        row.map(|row| Ok((row.int("version")?, row.digest("bundle")?))).transpose()
    }

    /// Whether some version of a tenant's methods is for shadow runs.
    pub async fn has_shadow_versions(&mut self, tenant: &str) -> Result<bool, StoreError> {
        let row = self
            .row(
                "SELECT 1 FROM method_version WHERE tenant = $1 AND shadow = 1 AND deleted = 0 LIMIT 1",
                &params![tenant],
            )
            .await?;
        Ok(row.is_some())
    }

    /// Returns the bundles that live runs of any tenant are pinned to.
    pub async fn live_bundles(&mut self) -> Result<Vec<LiveBundle>, StoreError> {
        let rows = self
            .rows(
                "SELECT m.bundle, m.name, (SELECT COUNT(*) FROM (SELECT r.id FROM run r
                    WHERE r.bundle = m.bundle AND substr(r.bundle, 1, 8) = substr(m.bundle, 1, 8)
                        AND COALESCE(r.ended_at, r.ended_at) IS NULL LIMIT $1) l) AS live
                 FROM (SELECT bundle, MIN(name) AS name FROM method_version GROUP BY bundle) m
                 WHERE EXISTS (SELECT 1 FROM run r
                    WHERE r.bundle = m.bundle AND substr(r.bundle, 1, 8) = substr(m.bundle, 1, 8)
                        AND COALESCE(r.ended_at, r.ended_at) IS NULL)
                 ORDER BY m.name, m.bundle",
                &params![LIVE_COUNTED],
            )
            .await?;
        rows.iter()
            .map(|row| {
                Ok(LiveBundle {
                    digest: row.digest("bundle")?,
                    method: row.text("name")?,
                    runs: row.int("live")?,
                })
            })
            .collect()
    }

    /// Returns the bundles of a tenant's methods, with the methods' names. Deleted versions are left out.
    pub async fn known_bundles(
        &mut self,
        tenant: &str,
    ) -> Result<BTreeSet<(String, Digest)>, StoreError> {
        let rows = self
            .rows(
                "SELECT name, bundle FROM method_version WHERE tenant = $1 AND deleted = 0",
                &params![tenant],
            )
            .await?;
        rows.iter().map(|row| Ok((row.text("name")?, row.digest("bundle")?))).collect()
    }

    /// Activates a version, so that new runs start with this version, which is then no longer for shadow
    /// runs only. If `version` is `None`, new runs start with the version in the files again.
    pub async fn activate(
        &mut self,
        method: MethodRef<'_>,
        version: Option<i64>,
    ) -> Result<(), StoreError> {
        let MethodRef { tenant, method } = method;
        self.execute(
            "UPDATE method_version SET active = 0 WHERE tenant = $1 AND name = $2 AND active = 1",
            &params![tenant, method],
        )
        .await?;
        self.execute(
            "UPDATE method_version SET active = 1, shadow = 0
             WHERE tenant = $1 AND name = $2 AND version = $3",
            &params![tenant, method, version],
        )
        .await
        .map(drop)
    }

    /// Records that a version was published, and whether it is for shadow runs only.
    /// A version that was deleted before is restored.
    pub async fn mark_published(
        &mut self,
        method: MethodRef<'_>,
        version: i64,
        shadow: bool,
    ) -> Result<(), StoreError> {
        let MethodRef { tenant, method } = method;
        self.execute(
            "UPDATE method_version SET origin = 'published', deleted = 0, shadow = $4
             WHERE tenant = $1 AND name = $2 AND version = $3",
            &params![tenant, method, version, shadow],
        )
        .await
        .map(drop)
    }

    /// Deletes a version. Its number is never given to another version.
    pub async fn delete_version(
        &mut self,
        method: MethodRef<'_>,
        version: i64,
    ) -> Result<(), StoreError> {
        self.set_deleted(method, version, true).await
    }

    /// Restores a version, if it was deleted before.
    pub async fn restore_version(
        &mut self,
        method: MethodRef<'_>,
        version: i64,
    ) -> Result<(), StoreError> {
        self.set_deleted(method, version, false).await
    }

    async fn set_deleted(
        &mut self,
        method: MethodRef<'_>,
        version: i64,
        deleted: bool,
    ) -> Result<(), StoreError> {
        let MethodRef { tenant, method } = method;
        self.execute(
            "UPDATE method_version SET deleted = $4
             WHERE tenant = $1 AND name = $2 AND version = $3",
            &params![tenant, method, version, deleted],
        )
        .await
        .map(drop)
    }
}

fn pins(bundle: Digest, body: &str) -> Result<Pins, StoreError> {
    serde_json::from_str(body).map_err(|e| StoreError::Corrupt(format!("pins of {bundle:?}: {e}")))
}

fn read(row: &Row) -> Result<VersionRow, StoreError> {
    Ok(VersionRow {
        name: row.text("name")?,
        version: row.int("version")?,
        bundle: row.digest("bundle")?,
        active: row.flag("active")?,
        shadow: row.flag("shadow")?,
        origin: row.word("origin")?,
        created_at: row.at("created_at")?,
        live: row.int("live")?,
    })
}
