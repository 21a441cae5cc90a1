//! Stores the definitions that runs are pinned to, and numbers the versions of methods.

use std::collections::BTreeMap;

use super::error::StoreError;
use super::param::{ColumnType, Param};
use super::refs::MethodRef;
use super::rows::Rows;
use super::tx::Tx;
use crate::base::Digest;
use crate::library::{Definition, Library, Pins, StoredBundle};
use crate::params;

impl Tx {
    /// Stores the definitions of a bundle, and returns the number of the method's version with this
    /// bundle. A bundle that the tenant has not stored for this method yet gets the next version number. Its
    /// `definitions` are only asked for then, because to build them takes long.
    pub async fn store_bundle(
        &mut self,
        method: MethodRef<'_>,
        bundle: Digest,
        definitions: impl FnOnce() -> Vec<Definition> + Send,
    ) -> Result<i64, StoreError> {
        let MethodRef { tenant, method } = method;
        if let Some(version) = self.version_of(tenant, method, bundle).await? {
            return Ok(version);
        }
        self.insert_definitions(&definitions()).await?;
        let now = self.now();
        self.execute(
            "INSERT INTO method_version (tenant, name, version, bundle, created_at)
             SELECT $1, $2, coalesce(MAX(version), 0) + 1, $3, $4 FROM method_version
             WHERE tenant = $1 AND name = $2 ON CONFLICT DO NOTHING",
            &params![tenant, method, bundle, now],
        )
        .await?;
        self.version_of(tenant, method, bundle)
            .await?
            .ok_or_else(|| StoreError::Repeat("another process published a version".into()))
    }

    /// Stores the definitions of a bundle that is no version of a method. Asks for them unless they are stored already.
    pub async fn store_definitions(
        &mut self,
        bundle: Digest,
        definitions: impl FnOnce() -> Vec<Definition> + Send,
    ) -> Result<(), StoreError> {
        let sql = "SELECT 1 AS one FROM definition WHERE digest = $1";
        match self.row(sql, &params![bundle]).await? {
            Some(_) => Ok(()),
            None => self.insert_definitions(&definitions()).await,
        }
    }

    async fn insert_definitions(&mut self, definitions: &[Definition]) -> Result<(), StoreError> {
        let mut rows = Rows::new(&[
            ("digest", ColumnType::Bytes),
            ("kind", ColumnType::Text),
            ("name", ColumnType::Text),
            ("body", ColumnType::Text),
            ("graph", ColumnType::Text),
        ]);
        let sorted: BTreeMap<Digest, &Definition> =
            definitions.iter().map(|d| (d.digest, d)).collect();
        for (digest, definition) in sorted {
            rows.push([
                digest.into(),
                definition.kind.as_str().into(),
                Param::from(&definition.name),
                Param::from(&definition.body),
                definition.graph.as_deref().into(),
            ]);
        }
        let now = self.now();
        self.bulk(
            "INSERT INTO definition (digest, kind, name, body, graph, graph_v, created_at)
             SELECT digest, kind, name, body, graph, CASE WHEN graph IS NULL THEN NULL ELSE CAST($1 AS BIGINT) END, $2
             FROM {rows} WHERE true ON CONFLICT (digest) DO NOTHING",
            &params![Library::graph_version(), now],
            &rows,
        )
        .await
        .map(drop)
    }

    /// Returns the version number under which a tenant has stored a bundle of a method;
    /// `None` if the bundle is not stored.
    pub async fn version_of(
        &mut self,
        tenant: &str,
        method: &str,
        bundle: Digest,
    ) -> Result<Option<i64>, StoreError> {
        let row = self
            .row(
                "SELECT version FROM method_version WHERE tenant = $1 AND name = $2 AND bundle = $3",
                &params![tenant, method, bundle],
            )
            .await?;
        row.map(|row| row.int("version")).transpose()
    }

    /// Reads a bundle: its pins, its graph, and the sources of its contracts and templates.
    /// Returns `None` if the bundle is not stored.
    pub async fn bundle(&mut self, digest: Digest) -> Result<Option<StoredBundle>, StoreError> {
        let Some(row) = self
            .row(
                "SELECT body, graph FROM definition WHERE digest = $1 AND kind = 'bundle'",
                &params![digest],
            )
            .await?
        else {
            return Ok(None);
        };
        let (body, graph) = (row.text("body")?, row.text("graph")?);
        let pins: Pins = serde_json::from_str(&body)
            .map_err(|e| StoreError::Corrupt(format!("pins of {digest:?}: {e}")))?;
        let texts = self.texts(pins.texts()).await?;
        Ok(Some(StoredBundle { pins: body, graph, texts }))
    }
}
