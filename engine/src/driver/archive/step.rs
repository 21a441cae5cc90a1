//! Archives everything of a tenant that may leave, a chunk at a time.

use std::sync::Arc;

use super::super::core::{ArchivePass, Core};
use super::chunk::{Found, Search};
use super::{commit, file};
use crate::base::{Problem, limits};
use crate::transaction;

/// What one step of a pass has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArchiveStep {
    /// This many rows have left.
    Moved(i64),
    /// No row was found at one place; others are still to be looked at.
    Looked,
    /// Nothing more may leave, and the file is sealed.
    Done,
}

/// Does one step of a pass. Must not run twice at the same time in a process.
pub(crate) async fn step(core: &Arc<Core>, pass: &mut ArchivePass) -> Result<ArchiveStep, Problem> {
    let _alone = core.archiving.lock().await;
    let config = file::config(core)?;
    let read = transaction!([config = config.clone(), pass = pass.clone()], |tx| {
        let ArchivePass { tenant, cutoffs, rows_max, place, .. } = pass;
        let search = Search { config: &config, tenant: &tenant, cutoffs, rows_max };
        search.look(tx, place).await
    });
    let (chunk, next) = match core.store.read(read).await? {
        Found::Chunk(chunk, next) => (chunk, next),
        Found::Nothing(next) => {
            pass.place = next;
            return Ok(ArchiveStep::Looked);
        }
        Found::Needed(values, next) => {
            let task = transaction!([tenant = pass.tenant.clone(), values], |tx| {
                Ok(tx.end_values(&tenant, &values).await?)
            });
            core.store.write(task).await?;
            pass.place = next;
            return Ok(ArchiveStep::Looked);
        }
        Found::End => {
            end(core, pass).await?;
            return Ok(ArchiveStep::Done);
        }
    };
    let archive = file::take(core, pass).await?;
    if !pass.archives.contains(&archive.id) {
        pass.archives.push(archive.id);
    }
    let rows: usize = chunk.rows.iter().map(|archived| archived.rows.len()).sum();
    let whole = chunk.whole;
    let appended = file::append(&config, &archive, &chunk).await?;
    if !commit::commit(core, Arc::from(chunk), archive, appended.clone()).await? {
        return Ok(ArchiveStep::Looked);
    }
    pass.place = next;
    if whole && appended.bytes >= limits::ARCHIVE_BYTES_MAX {
        end(core, pass).await?;
    }
    Ok(ArchiveStep::Moved(i64::try_from(rows).unwrap_or(i64::MAX)))
}

/// Seals the open archive of the tenant, if there is one. Units that have begun to leave stay in one file.
async fn end(core: &Arc<Core>, pass: &mut ArchivePass) -> Result<(), Problem> {
    let read =
        transaction!([tenant = pass.tenant.clone()], |tx| Ok(tx.open_archive(&tenant).await?));
    let Some(open) = core.store.read(read).await? else { return Ok(()) };
    let archive = file::take(core, pass).await?;
    let sealed = file::seal(core, archive).await?;
    if !pass.archives.contains(&open.id) {
        pass.archives.push(sealed.id);
    }
    Ok(())
}
