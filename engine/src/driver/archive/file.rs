//! Begins, extends and seals the file of an archive.

use std::sync::Arc;

use super::super::core::{ArchivePass, Core, records_stream};
use super::chunk::Chunk;
use crate::archive::{
    ArchiveConfig, ArchiveFiles, ArchiveHeader, FORMAT_VERSION, FileDigest, row_line, seal_line,
};
use crate::base::{ArchiveId, Digest, Problem, Span, StreamId, Timestamp, TypedId as _, limits};
use crate::ledger::EventKind;
use crate::store::{About, ArchiveRow, ArchiveState, Dialect, Tx};
use crate::transaction;

/// Time for which a process may write a file without saying so again. A process that has died loses the file after it.
const LEASE: Span = Span::from_secs(60);

/// Returns what archiving needs.
///
/// # Errors
/// `archive_unavailable`.
pub(super) fn config(core: &Core) -> Result<ArchiveConfig, Problem> {
    core.archives.get().cloned().ok_or_else(|| {
        Problem::operator("archive_unavailable", "this process writes no archives")
            .with_hint("run `abide archive` with the server of this database, or without one")
    })
}

/// Returns the open archive of the tenant, which this process may now write. Begins one if there is none.
pub(super) async fn take(core: &Arc<Core>, pass: &ArchivePass) -> Result<ArchiveRow, Problem> {
    let me = core.claims.status.node();
    let alone = core.store.dialect() == Dialect::Sqlite;
    let task = transaction!([tenant = pass.tenant.clone()], |tx| {
        let Some(open) = tx.open_archive(&tenant).await? else { return Ok(None) };
        let Some(mut row) = tx.lock_archive(open.id).await? else { return Ok(None) };
        let now = tx.now();
        let other = row.worker.is_some_and(|worker| worker != me);
        if other && row.lease_until > now && !alone {
            return Err(busy(&tenant));
        }
        row.worker = Some(me);
        row.lease_until = now + LEASE;
        tx.save_archive(&row).await?;
        Ok(Some(row))
    });
    match core.store.write(task).await? {
        Some(row) => Ok(row),
        None => begin(core, pass).await,
    }
}

fn busy(tenant: &str) -> Problem {
    Problem::transient("archive_busy", format!("another process archives rows of `{tenant}`"))
        .with_hint("wait a minute, then try again")
}

async fn begin(core: &Arc<Core>, pass: &ArchivePass) -> Result<ArchiveRow, Problem> {
    let now = core.now();
    let id: ArchiveId = core.ids.mint(now);
    let config = config(core)?;
    let path = free_path(&config, pass, now).await?;
    let row = ArchiveRow {
        id,
        tenant: pass.tenant.clone(),
        path,
        state: ArchiveState::Open,
        lines: 0,
        bytes: 0,
        digest: Digest::ZERO,
        streams: 0,
        counts: std::collections::BTreeMap::new(),
        cutoffs: pass.cutoffs,
        worker: Some(core.claims.status.node()),
        lease_until: now + LEASE,
        created_at: now,
        sealed_at: None,
    };
    let task = transaction!([row], |tx| {
        match tx.insert_archive(&row).await? {
            true => Ok(row),
            false => Err(busy(&row.tenant)),
        }
    });
    core.store.write(task).await
}

/// Returns the path of the first file of the day that does not exist yet: `TENANT-DATE-NNN.jsonl`.
async fn free_path(
    config: &ArchiveConfig,
    pass: &ArchivePass,
    now: Timestamp,
) -> Result<String, Problem> {
    let date: String = now.to_string().chars().take("2026-01-31".len()).collect();
    for number in 1..=limits::ARCHIVES_PER_DAY_MAX {
        let name = format!("{}-{date}-{number:03}.jsonl", pass.tenant);
        let path = match &pass.folder {
            Some(folder) => config.files.path_in(folder, &name),
            None => config.files.default_path(&name),
        };
        if config.files.read(&path, 0, 1).await?.is_none() {
            return Ok(path);
        }
    }
    let message = format!("the tenant `{}` has too many archives of today", pass.tenant);
    Err(Problem::operator("archive_unwritable", message)
        .with_hint("move the files of today to another folder"))
}

/// Appends the rows of a chunk to the file. Returns the archive as it is when the chunk is committed.
pub(super) async fn append(
    config: &ArchiveConfig,
    archive: &ArchiveRow,
    chunk: &Chunk,
) -> Result<ArchiveRow, Problem> {
    let mut next = archive.clone();
    let mut digest = committed(archive);
    let mut text = String::new();
    if digest == FileDigest::EMPTY {
        let header = ArchiveHeader {
            version: FORMAT_VERSION,
            archive: archive.id,
            tenant: archive.tenant.clone(),
            before: archive.cutoffs,
            created_at: archive.created_at.to_string(),
        };
        digest = add(&mut text, digest, &header.line());
    }
    for archived in &chunk.rows {
        for values in &archived.rows {
            digest = add(&mut text, digest, &row_line(archived, values));
        }
        if !archived.rows.is_empty() {
            let count = next.counts.entry(archived.table.name.to_owned()).or_default();
            *count += i64::try_from(archived.rows.len()).unwrap_or(0);
        }
    }
    write(&*config.files, archive, text).await?;
    FileDigest { lines: next.lines, bytes: next.bytes, digest: next.digest } = digest;
    Ok(next)
}

fn committed(archive: &ArchiveRow) -> FileDigest {
    FileDigest { lines: archive.lines, bytes: archive.bytes, digest: archive.digest }
}

fn add(text: &mut String, digest: FileDigest, line: &str) -> FileDigest {
    text.push_str(line);
    text.push('\n');
    digest.with(line)
}

async fn write(
    files: &dyn ArchiveFiles,
    archive: &ArchiveRow,
    text: String,
) -> Result<(), Problem> {
    let at = u64::try_from(archive.bytes).unwrap_or(0);
    files.write(&archive.path, at, text.into_bytes()).await
}

/// Seals the file of an archive, and records the seal in the tenant's records stream.
pub(crate) async fn seal(core: &Arc<Core>, archive: ArchiveRow) -> Result<ArchiveRow, Problem> {
    let config = config(core)?;
    let mut text = String::new();
    let sealed = add(&mut text, committed(&archive), &seal_line(archive.lines, archive.digest));
    write(&*config.files, &archive, text).await?;
    let task = transaction!([archive], |tx| {
        let stream = records_stream(tx, &archive.tenant).await?;
        tx.lock_partitions(&archive.tenant, &[stream]).await?;
        check_unchanged(tx, &archive).await?;
        let mut row = archive.clone();
        row.state = ArchiveState::Sealed;
        row.bytes = sealed.bytes;
        row.sealed_at = Some(tx.now());
        row.worker = None;
        tx.save_archive(&row).await?;
        record_seal(tx, StreamId::from_uuid(stream), &row)?;
        Ok(row)
    });
    core.store.write(task).await
}

/// Records the seal of an archive in the tenant's records stream, which is locked. The latest record counts.
pub(crate) fn record_seal(
    tx: &mut Tx,
    records: StreamId,
    archive: &ArchiveRow,
) -> Result<(), Problem> {
    let name = archive.path.rsplit(['/', '\\']).next().unwrap_or_default();
    let body = serde_json::json!({
        "archive": archive.id,
        "path": name,
        "lines": archive.lines,
        "digest": archive.digest.to_string(),
        "streams": archive.streams,
        "events": archive.counts.get("ledger").copied().unwrap_or(0),
    });
    Ok(tx.log(records, EventKind::ArchiveSealed, About::default(), body)?)
}

/// Checks that no other process has written the file since this process looked.
pub(super) async fn check_unchanged(tx: &mut Tx, archive: &ArchiveRow) -> Result<(), Problem> {
    match tx.lock_archive(archive.id).await? {
        Some(row) if row.worker == archive.worker && row.lines == archive.lines => Ok(()),
        _ => Err(busy(&archive.tenant)),
    }
}
