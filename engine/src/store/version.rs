//! The versions of a tenant's methods: which of them is active, which are gone.

use std::collections::{BTreeMap, BTreeSet};

use super::error::StoreError;
use super::param::Kind;
use super::row::Row;
use super::rows::Rows;
use super::tx::Tx;
use crate::base::{Digest, Timestamp};
use crate::library::Pins;
use crate::params;

/// Live runs of a version are counted no further than this: "many" is as good to know.
const LIVE_COUNTED: i64 = 100_000;

/// A version of a method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionRow {
    /// The method's name.
    pub name: String,
    /// Its number, from 1.
    pub version: i64,
    /// The texts of the version.
    pub bundle: Digest,
    /// New runs begin with it, whatever the files say.
    pub active: bool,
    /// It is for runs that only say what they would do.
    pub shadow: bool,
    /// `file` or `published`.
    pub origin: String,
    /// When it came.
    pub created_at: Timestamp,
    /// How many live runs go by it.
    pub live: i64,
}

/// A method that a tenant has published: the version that new runs begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveMethod {
    /// The method's name.
    pub name: String,
    /// The texts of its active version.
    pub bundle: Digest,
    /// The method's own text.
    pub text: String,
}

impl Tx {
    /// The version that new runs of a method begin with, if one was made active.
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
        row.map(|row| Ok((row.int(0)?, row.digest(1)?))).transpose()
    }

    /// The active versions of all methods that have one.
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
            texts.push(pins(row.digest(1)?, &row.text(2)?)?.text);
        }
        let bodies = self.texts(texts.iter().copied()).await?;
        let methods = rows.iter().zip(&texts).map(|(row, text)| {
            let body = bodies.get(text).cloned();
            let body = body.ok_or_else(|| StoreError::Corrupt(format!("no text {text:?}")))?;
            Ok(ActiveMethod { name: row.text(0)?, bundle: row.digest(1)?, text: body })
        });
        methods.collect()
    }

    /// A bundle's pins.
    pub async fn pins(&mut self, bundle: Digest) -> Result<Option<Pins>, StoreError> {
        let row = self
            .row(
                "SELECT body FROM definition WHERE digest = $1 AND kind = 'bundle'",
                &params![bundle],
            )
            .await?;
        row.map(|row| pins(bundle, &row.text(0)?)).transpose()
    }

    /// Kept texts by their digests.
    pub async fn texts(
        &mut self,
        digests: impl Iterator<Item = Digest>,
    ) -> Result<BTreeMap<Digest, String>, StoreError> {
        let mut wanted = Rows::new(&[("digest", Kind::Bytes)]);
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
        found.iter().map(|row| Ok((row.digest(0)?, row.text(1)?))).collect()
    }

    /// The versions of one method, or of all, newest first.
    pub async fn versions(
        &mut self,
        tenant: &str,
        method: Option<&str>,
    ) -> Result<Vec<VersionRow>, StoreError> {
        let rows = self
            .rows(
                "SELECT m.name, m.version, m.bundle, m.active, m.shadow, m.origin, m.created_at,
                    (SELECT COUNT(*) FROM (SELECT r.id FROM run r WHERE r.bundle = m.bundle
                        AND r.tenant = m.tenant AND r.branch = 0 AND r.ended_at IS NULL LIMIT $3) l)
                 FROM method_version m
                 WHERE m.tenant = $1 AND ($2 IS NULL OR m.name = $2) AND m.deleted = 0
                 ORDER BY m.name, m.version DESC",
                &params![tenant, method, LIVE_COUNTED],
            )
            .await?;
        rows.iter().map(read).collect()
    }

    /// The bundles that live runs of any tenant go by: with a method's name, and how many runs.
    pub async fn live_bundles(&mut self) -> Result<Vec<(Digest, String, i64)>, StoreError> {
        let rows = self
            .rows(
                "SELECT m.bundle, m.name, (SELECT COUNT(*) FROM (SELECT r.id FROM run r
                    WHERE r.bundle = m.bundle AND r.ended_at IS NULL LIMIT $1) l)
                 FROM (SELECT bundle, MIN(name) AS name FROM method_version GROUP BY bundle) m
                 WHERE EXISTS (SELECT 1 FROM run r WHERE r.bundle = m.bundle AND r.ended_at IS NULL)
                 ORDER BY m.name, m.bundle",
                &params![LIVE_COUNTED],
            )
            .await?;
        rows.iter().map(|row| Ok((row.digest(0)?, row.text(1)?, row.int(2)?))).collect()
    }

    /// The bundles of a tenant's methods, by name.
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
        rows.iter().map(|row| Ok((row.text(0)?, row.digest(1)?))).collect()
    }

    /// Makes a version the one that new runs begin with; none gives the method back to the files.
    pub async fn activate(
        &mut self,
        (tenant, method): (&str, &str),
        version: Option<i64>,
    ) -> Result<(), StoreError> {
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

    /// Notes that a version was published, and whether for shadow runs only.
    pub async fn mark_published(
        &mut self,
        (tenant, method): (&str, &str),
        (version, shadow): (i64, bool),
    ) -> Result<(), StoreError> {
        self.execute(
            "UPDATE method_version SET origin = 'published', deleted = 0, shadow = $4
             WHERE tenant = $1 AND name = $2 AND version = $3",
            &params![tenant, method, version, shadow],
        )
        .await
        .map(drop)
    }

    /// Shows or hides a version; its number is never given to another.
    pub async fn delete_version(
        &mut self,
        (tenant, method): (&str, &str),
        (version, deleted): (i64, bool),
    ) -> Result<(), StoreError> {
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
        name: row.text(0)?,
        version: row.int(1)?,
        bundle: row.digest(2)?,
        active: row.flag(3)?,
        shadow: row.flag(4)?,
        origin: row.text(5)?,
        created_at: row.at(6)?,
        live: row.int(7)?,
    })
}
