//! Commits a chunk: deletes its rows, and records how far the file belongs to the archive.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::core::Core;
use super::chunk::{Chunk, Source};
use super::file::check_unchanged;
use crate::base::{Digest, Problem, StreamId, TypedId as _};
use crate::store::{ArchiveRow, ArchivedGroup, ChainBase, Param, Tx, named_digests};
use crate::transaction;

/// Commits a chunk whose rows are in the file. `before` and `after` are the archive before and after it.
/// Returns false, and changes nothing, if a row has changed since it was read.
pub(super) async fn commit(
    core: &Arc<Core>,
    chunk: Arc<Chunk>,
    before: ArchiveRow,
    after: ArchiveRow,
) -> Result<bool, Problem> {
    let task = transaction!([chunk, before, after], |tx| {
        check_unchanged(tx, &before).await?;
        if !delete(tx, &after.tenant, &chunk).await? {
            tx.roll_back();
            return Ok(false);
        }
        let mut after = after.clone();
        after.streams += begun_streams(&chunk);
        tx.save_archive(&after).await?;
        match chunk.source {
            Source::Events => put_bases(tx, &chunk, &after).await?,
            Source::Values => tx.end_values(&after.tenant, &chunk.ids).await?,
            Source::New(group) | Source::Leaving(group) => {
                record_leaving(tx, &after, &chunk, group).await?;
            }
        }
        Ok(true)
    });
    core.store.write(task).await
}

/// Deletes the rows of a chunk. Returns whether all of them were there and may still leave.
async fn delete(tx: &mut Tx, tenant: &str, chunk: &Chunk) -> Result<bool, Problem> {
    let ids = chunk.ids.clone();
    let still = match chunk.source {
        Source::New(group) => {
            tx.lock_units(group, ids.clone()).await?;
            tx.qualified(group, tenant, chunk.before, ids).await?.len()
        }
        Source::Values => tx.free_values(ids).await?.len(),
        Source::Leaving(_) | Source::Events => ids.len(),
    };
    if still != chunk.ids.len() {
        return Ok(false);
    }
    for archived in &chunk.rows {
        if !tx.delete_archived(archived).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Records which units have rows left, where the chains of their streams go on, and which large values they named.
async fn record_leaving(
    tx: &mut Tx,
    archive: &ArchiveRow,
    chunk: &Chunk,
    group: &'static ArchivedGroup,
) -> Result<(), Problem> {
    let tenant = archive.tenant.as_str();
    tx.put_values(tenant, named_digests(&chunk.rows)).await?;
    if chunk.whole && !has_rows(tx, group, &chunk.ids).await? {
        tx.end_leaving(group.name, tenant, &chunk.ids).await?;
        let ids = chunk.ids.iter();
        let streams = ids.filter_map(|id| match id {
            Param::Id(Some(id)) => Some(StreamId::from_uuid(*id)),
            _ => None,
        });
        return Ok(tx.end_chain_bases(&streams.collect::<Vec<_>>()).await?);
    }
    tx.put_leaving(group.name, tenant, &chunk.ids).await?;
    put_bases(tx, chunk, archive).await
}

/// Whether rows of the units were added after the chunk was read.
async fn has_rows(
    tx: &mut Tx,
    group: &'static ArchivedGroup,
    ids: &[Param],
) -> Result<bool, Problem> {
    for table in group.tables {
        if !tx.archived_rows(table, ids.to_vec(), 1).await?.rows.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Records the last event of each stream of which events leave.
async fn put_bases(tx: &mut Tx, chunk: &Chunk, archive: &ArchiveRow) -> Result<(), Problem> {
    let mut last: BTreeMap<StreamId, ChainBase> = BTreeMap::new();
    for archived in chunk.rows.iter().filter(|archived| archived.table.name == "ledger") {
        let hash_at = archived.table.columns.iter().position(|(name, _)| *name == "hash");
        for row in &archived.rows {
            let (Param::Id(Some(stream)), Param::Int(Some(seq))) = (&row[0], &row[1]) else {
                continue;
            };
            let Some(Param::Bytes(Some(hash))) = hash_at.and_then(|at| row.get(at)) else {
                continue;
            };
            let (stream, seq) = (StreamId::from_uuid(*stream), *seq);
            let hash = Digest::from_slice(hash).unwrap_or(Digest::ZERO);
            last.insert(stream, ChainBase { stream, seq, hash, archive: archive.id });
        }
    }
    for base in last.into_values() {
        tx.put_chain_base(base).await?;
    }
    Ok(())
}

/// Counts the streams whose first events are in a chunk.
fn begun_streams(chunk: &Chunk) -> i64 {
    let events = chunk.rows.iter().filter(|archived| archived.table.name == "ledger");
    let first = |row: &&Vec<Param>| row[1] == Param::Int(Some(1));
    events.map(|archived| archived.rows.iter().filter(first).count() as i64).sum()
}
