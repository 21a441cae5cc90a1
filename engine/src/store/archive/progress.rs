//! Stores which archives there are, and how far the file of an open archive has been committed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::base::{ArchiveId, Digest, NodeId, Timestamp, TypedId as _, text};
use crate::params;
use crate::store::error::StoreError;
use crate::store::param::Param;
use crate::store::row::Row;
use crate::store::tx::Tx;

crate::words! {
    /// The state of an archive.
    pub enum ArchiveState {
        /// Rows are still added to its file.
        Open = "open",
        /// Its file is complete and does not change any more.
        Sealed = "sealed",
    }
}

/// The instants before which rows leave the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveCutoffs {
    /// Runs and requests that ended earlier leave.
    pub runs: Timestamp,
    /// Messages that were handled earlier leave.
    pub messages: Timestamp,
    /// Events of the tenant that happened earlier leave.
    pub events: Timestamp,
}

/// An archive: a file with rows that have left the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveRow {
    /// The id of the archive.
    pub id: ArchiveId,
    /// The tenant that owns the rows.
    pub tenant: String,
    /// The path of the file.
    pub path: String,
    /// Whether rows are still added.
    pub state: ArchiveState,
    /// Number of lines of the file that are committed; without the line with the seal.
    pub lines: i64,
    /// Number of bytes of these lines; of a sealed archive, of the whole file.
    pub bytes: i64,
    /// The digest of the chain of these lines.
    pub digest: Digest,
    /// Number of streams that have events in the file.
    pub streams: i64,
    /// Number of rows, by table.
    pub counts: BTreeMap<String, i64>,
    /// What has left.
    pub cutoffs: ArchiveCutoffs,
    /// The process that writes the file, if one does.
    pub worker: Option<NodeId>,
    /// The instant until which no other process writes the file.
    pub lease_until: Timestamp,
    /// When the archive was begun.
    pub created_at: Timestamp,
    /// When the archive was sealed.
    pub sealed_at: Option<Timestamp>,
}

/// Builds a query of archives. The query selects the columns that [`read`] reads.
macro_rules! select_archive {
    ($which:literal) => {
        concat!(
            "SELECT id, tenant, path, state, lines, bytes, digest, streams, counts, runs_before, messages_before, \
             events_before, worker, lease_until, created_at, sealed_at FROM archive ",
            $which
        )
    };
}

fn read(row: &Row) -> Result<ArchiveRow, StoreError> {
    let counts: BTreeMap<String, i64> = serde_json::from_value(row.json("counts")?)
        .map_err(|error| StoreError::Corrupt(format!("the numbers of an archive: {error}")))?;
    Ok(ArchiveRow {
        id: row.id("id")?,
        tenant: row.text("tenant")?,
        path: row.text("path")?,
        state: row.word("state")?,
        lines: row.int("lines")?,
        bytes: row.int("bytes")?,
        digest: row.digest("digest")?,
        streams: row.int("streams")?,
        counts,
        cutoffs: ArchiveCutoffs {
            runs: row.at("runs_before")?,
            messages: row.at("messages_before")?,
            events: row.at("events_before")?,
        },
        worker: row.opt_id("worker")?,
        lease_until: row.at("lease_until")?,
        created_at: row.at("created_at")?,
        sealed_at: row.opt_at("sealed_at")?,
    })
}

impl Tx {
    /// Returns the open archive of a tenant, if there is one.
    pub async fn open_archive(&mut self, tenant: &str) -> Result<Option<ArchiveRow>, StoreError> {
        let sql = select_archive!("WHERE tenant = $1 AND state = 'open'");
        self.row(sql, &params![tenant]).await?.as_ref().map(read).transpose()
    }

    /// Returns an archive.
    pub async fn archive(&mut self, id: ArchiveId) -> Result<Option<ArchiveRow>, StoreError> {
        let sql = select_archive!("WHERE id = $1");
        self.row(sql, &params![id]).await?.as_ref().map(read).transpose()
    }

    /// Returns an archive, locked until the end of the transaction.
    pub async fn lock_archive(&mut self, id: ArchiveId) -> Result<Option<ArchiveRow>, StoreError> {
        let sql = select_archive!("WHERE id = $1 {for_update}");
        self.row(sql, &params![id]).await?.as_ref().map(read).transpose()
    }

    /// Returns at most `limit` archives of a tenant that precede `before`, the newest first.
    pub async fn archives(
        &mut self,
        tenant: &str,
        before: Option<ArchiveId>,
        limit: i64,
    ) -> Result<Vec<ArchiveRow>, StoreError> {
        let sql = select_archive!(
            "WHERE tenant = $1 AND ($2 IS NULL OR id < $2) ORDER BY id DESC LIMIT $3"
        );
        self.rows(sql, &params![tenant, before, limit]).await?.iter().map(read).collect()
    }

    /// Returns at most `limit` archives of all tenants that follow `after`, the oldest first.
    pub async fn all_archives(
        &mut self,
        after: Option<ArchiveId>,
        limit: i64,
    ) -> Result<Vec<ArchiveRow>, StoreError> {
        let sql = select_archive!("WHERE id > $1 ORDER BY id LIMIT $2");
        self.rows(sql, &params![after.unwrap_or(ArchiveId::from_uuid(Uuid::nil())), limit])
            .await?
            .iter()
            .map(read)
            .collect()
    }

    /// Inserts an archive, unless the tenant has an open one.
    pub async fn insert_archive(&mut self, archive: &ArchiveRow) -> Result<bool, StoreError> {
        let ArchiveRow { id, tenant, path, lines, bytes, digest, .. } = archive;
        let ArchiveCutoffs { runs, messages, events } = archive.cutoffs;
        let inserted = self
            .execute(
                "INSERT INTO archive (id, tenant, path, state, lines, bytes, digest, streams, counts, runs_before,
                    messages_before, events_before, worker, lease_until, created_at)
                 VALUES ($1, $2, $3, 'open', $4, $5, $6, 0, '{}', $7, $8, $9, $10, $11, $12)
                 ON CONFLICT DO NOTHING",
                &params![
                    *id,
                    tenant,
                    path,
                    *lines,
                    *bytes,
                    *digest,
                    runs,
                    messages,
                    events,
                    archive.worker,
                    archive.lease_until,
                    archive.created_at
                ],
            )
            .await?;
        Ok(inserted > 0)
    }

    /// Stores how far the file of an archive has been committed, and who writes it.
    pub async fn save_archive(&mut self, archive: &ArchiveRow) -> Result<(), StoreError> {
        let worker: Param = archive.worker.into();
        self.execute(
            "UPDATE archive SET state = $2, lines = $3, bytes = $4, digest = $5, streams = $6, counts = $7,
                worker = $8, lease_until = $9, sealed_at = $10, path = $11 WHERE id = $1",
            &[
                archive.id.into(),
                archive.state.as_str().into(),
                archive.lines.into(),
                archive.bytes.into(),
                archive.digest.into(),
                archive.streams.into(),
                text::json(&archive.counts).into(),
                worker,
                archive.lease_until.into(),
                archive.sealed_at.into(),
                Param::from(&archive.path),
            ],
        )
        .await
        .map(drop)
    }
}
