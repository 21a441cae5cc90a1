//! Stores each large value once, under the value's digest.
//!
//! A value that is written again gets the time of that write, at most once a day. So a value that was last written
//! before a run began is not named by that run, and can leave the database with the older runs that name it.

use std::collections::{BTreeMap, BTreeSet};

use super::error::StoreError;
use super::param::{ColumnType, Param};
use super::rows::Rows;
use super::tx::Tx;
use crate::base::{Digest, Value};
use crate::params;

/// Inserts those of the values that are not stored yet. A value whose text was redacted gets its text again, and one that is older than a
/// day gets the current time.
pub(super) async fn insert<'a>(
    tx: &mut Tx,
    blobs: impl Iterator<Item = &'a (Digest, String)>,
) -> Result<(), StoreError> {
    let sorted: BTreeMap<Digest, &String> = blobs.map(|(digest, text)| (*digest, text)).collect();
    let mut rows = Rows::new(&[
        ("digest", ColumnType::Bytes),
        ("bytes", ColumnType::Text),
        ("at", ColumnType::Int),
    ]);
    for (digest, text) in sorted {
        rows.push([digest.into(), Param::from(text), tx.now().into()]);
    }
    tx.bulk_unless_empty(
        "INSERT INTO blob (digest, bytes, created_at)
         SELECT digest, bytes, at FROM {rows} WHERE true
         ON CONFLICT (digest) DO UPDATE SET bytes = excluded.bytes, created_at = excluded.created_at
            WHERE blob.bytes <> excluded.bytes OR blob.created_at < excluded.created_at - 86400000000",
        &rows,
    )
    .await
}

impl Tx {
    /// Reads large values by their digests, as JSON. Leaves out those that are not stored.
    pub async fn blobs(
        &mut self,
        digests: &[Digest],
    ) -> Result<BTreeMap<Digest, String>, StoreError> {
        let mut wanted = Rows::new(&[("digest", ColumnType::Bytes)]);
        for digest in digests.iter().collect::<BTreeSet<_>>() {
            wanted.push([(*digest).into()]);
        }
        if wanted.is_empty() {
            return Ok(BTreeMap::new());
        }
        let sql = "SELECT b.digest, b.bytes FROM {rows} JOIN blob b ON b.digest = v.digest";
        let rows = self.bulk(sql, &[], &wanted).await?;
        rows.iter().map(|row| Ok((row.digest("digest")?, row.text("bytes")?))).collect()
    }

    /// Reads a large value by its digest.
    pub async fn blob(&mut self, digest: Digest) -> Result<Value, StoreError> {
        let row = self.row("SELECT bytes FROM blob WHERE digest = $1", &params![digest]).await?;
        row.ok_or_else(|| StoreError::Corrupt(format!("no value has the digest {digest:?}")))?
            .json("bytes")
    }
}
