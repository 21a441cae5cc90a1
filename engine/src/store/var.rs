//! Reads and writes the variables of runs.

use std::collections::BTreeMap;

use super::commit::Commit;
use super::error::StoreError;
use super::param::{ColumnType, Param};
use super::rows::Rows;
use super::tx::Tx;
use crate::base::{Digest, RunId, Value};

/// Writes the variables that a batch of steps has assigned.
pub(super) async fn upsert(tx: &mut Tx, commits: &[&Commit]) -> Result<(), StoreError> {
    let mut rows = Rows::new(&[
        ("run_id", ColumnType::Id),
        ("name", ColumnType::Text),
        ("value", ColumnType::Text),
        ("blob", ColumnType::Bytes),
    ]);
    for commit in commits {
        for var in &commit.vars {
            rows.push([
                commit.run.into(),
                Param::from(&var.name),
                var.value.as_deref().into(),
                var.blob.into(),
            ]);
        }
    }
    tx.bulk_unless_empty(
        "INSERT INTO var (run_id, name, value, blob)
         SELECT run_id, name, value, blob FROM {rows} WHERE true
         ON CONFLICT (run_id, name) DO UPDATE SET value = excluded.value, blob = excluded.blob",
        &rows,
    )
    .await
}

impl Tx {
    /// Returns those of the variables `names` that the run has assigned, with their values.
    pub async fn vars(
        &mut self,
        run: RunId,
        names: &[String],
    ) -> Result<Vec<(String, Value)>, StoreError> {
        let mut wanted = Rows::new(&[("name", ColumnType::Text)]);
        for name in names {
            wanted.push([Param::from(name)]);
        }
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let rows = self
            .bulk(
                "SELECT x.name, COALESCE(x.value, (SELECT b.bytes FROM blob b WHERE b.digest = x.blob)) AS content
                 FROM {rows} {each var x} x.run_id = $1 AND x.name = v.name {end each} ORDER BY x.name",
                &crate::params![run],
                &wanted,
            )
            .await?;
        rows.iter().map(|row| Ok((row.text("name")?, row.json("content")?))).collect()
    }

    /// Returns the values of one variable of several runs, as JSON, of those that have assigned it.
    pub async fn var_of_runs(
        &mut self,
        name: &str,
        runs: &[RunId],
    ) -> Result<BTreeMap<RunId, String>, StoreError> {
        if runs.is_empty() {
            return Ok(BTreeMap::new());
        }
        let rows = self
            .bulk(
                "SELECT x.run_id, COALESCE(x.value, (SELECT b.bytes FROM blob b WHERE b.digest = x.blob)) AS content
                 FROM {rows} {each var x} x.run_id = v.id AND x.name = $1 {end each}",
                &crate::params![name],
                &Rows::ids(runs),
            )
            .await?;
        rows.iter().map(|row| Ok((row.id("run_id")?, row.text("content")?))).collect()
    }

    /// Returns all variables of a run, for display. A large value is replaced by an object with its digest.
    pub async fn all_vars(&mut self, run: RunId) -> Result<Vec<(String, Value)>, StoreError> {
        let rows = self
            .rows(
                "SELECT name, value, blob FROM var WHERE run_id = $1 ORDER BY name",
                &crate::params![run],
            )
            .await?;
        rows.iter()
            .map(|row| {
                let value = match row.opt_bytes("blob")?.as_deref().and_then(Digest::from_slice) {
                    Some(digest) => serde_json::json!({ "digest": digest.to_string() }),
                    None => row.json("value")?,
                };
                Ok((row.text("name")?, value))
            })
            .collect()
    }
}
