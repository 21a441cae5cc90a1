//! Checks the archives, and that the streams in the database continue what is in them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::chain::breach;
use super::file::{FileCheck, file_name};
use super::records::Records;
use super::state::{ArchivedEnd, AuditState, Phase};
use crate::archive::ArchiveReader;
use crate::base::{ArchiveId, Digest, Problem, StreamId};
use crate::driver::Core;
use crate::store::{ArchiveRow, ArchiveState, ChainBase};
use crate::transaction;

/// Number of events and of bases that one query reads.
const PAGE: i64 = 1_000;

/// Checks the archive after `after`.
pub(super) async fn next(
    core: &Arc<Core>,
    state: &mut AuditState,
    after: Option<ArchiveId>,
) -> Result<(), Problem> {
    let read = transaction!(|tx| {
        let Some(archive) = tx.all_archives(after, 1).await?.pop() else { return Ok(None) };
        let records = Records::load(tx, &archive.tenant).await?;
        Ok(Some(Listed { archive, records }))
    });
    let Some(Listed { archive, records }) = core.store.read(read).await? else {
        state.phase = Phase::Bases;
        return Ok(());
    };
    state.phase = Phase::Archives(Some(archive.id));
    if state.since.is_some() && state.checked.contains(&archive.id) {
        return Ok(());
    }
    let Some(path) = path_of(core, &archive).await? else {
        state.missing.insert(archive.id, file_name(&archive.path));
        return Ok(());
    };
    let Some(config) = core.archives.get() else { return Ok(()) };
    let mut reader = ArchiveReader::new(&*config.files, &path);
    let ends = std::mem::take(&mut state.ends);
    let mut check = FileCheck::new(&archive, &records, &ends, !state.missing.is_empty());
    while let Some(lines) = reader.page().await? {
        if lines.is_empty() || check.is_done() {
            break;
        }
        lines.iter().for_each(|line| check.add(line));
    }
    let found = check.end();
    let (breaches, events, streams, receipts) =
        (std::mem::take(&mut check.breaches), check.events, check.streams, check.receipts);
    state.ends = ends;
    state.add_breaches(breaches);
    state.events += events;
    state.streams += streams;
    state.receipts += receipts;
    state.archives += 1;
    state.seen.insert(archive.id, archive.lines);
    if archive.state == ArchiveState::Sealed {
        state.ends.extend(found);
        state.checked.insert(archive.id);
    } else {
        state.open_ends.extend(found);
    }
    Ok(())
}

struct Listed {
    archive: ArchiveRow,
    records: Records,
}

/// Returns the path of the file: where it was written, or else in the default folder. `None` if it is at neither.
pub(in crate::facade) async fn path_of(
    core: &Core,
    archive: &ArchiveRow,
) -> Result<Option<String>, Problem> {
    let Some(config) = core.archives.get() else { return Ok(None) };
    let moved = config.files.default_path(&file_name(&archive.path));
    for path in [archive.path.clone(), moved] {
        if config.files.read(&path, 0, 1).await?.is_some() {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// Checks that each stream of which a part was archived continues with the event after that part.
pub(super) async fn check_bases(core: &Arc<Core>, state: &mut AuditState) -> Result<(), Problem> {
    let mut after = None;
    loop {
        let read = transaction!(|tx| Ok(tx.all_chain_bases(after, PAGE).await?));
        let bases = core.store.read(read).await?;
        let Some(last) = bases.last() else { break };
        after = Some(last.stream);
        for base in bases {
            check_base(core, state, base).await?;
        }
    }
    state.phase = Phase::Heads(uuid::Uuid::nil());
    Ok(())
}

async fn check_base(
    core: &Arc<Core>,
    state: &mut AuditState,
    base: ChainBase,
) -> Result<(), Problem> {
    let read = transaction!(|tx| Ok(tx.archive(base.archive).await?));
    let archive = core.store.read(read).await?;
    let mut found = Vec::new();
    let is_known =
        archive.as_ref().is_none_or(|archive| state.seen.get(&archive.id) == Some(&archive.lines));
    if is_known && !joins(state, base) {
        let detail = format!("{}: the archive ends with another event", base.stream);
        found.push(breach("archive_broken", detail));
    }
    let read = transaction!(|tx| {
        let base = tx.chain_bases(&[base.stream]).await?.pop();
        let Some(base) = base else { return Ok(true) };
        let goes_on = !tx.stream_events(base.stream, base.seq, 1).await?.is_empty();
        let heads = tx.stream_heads(&[base.stream]).await?;
        Ok(goes_on || heads.iter().all(|head| head.last_hash == base.hash))
    });
    if !core.store.read(read).await? {
        let detail = format!("{}: the head has another last hash", base.stream);
        found.push(breach("chain_end", detail));
    }
    state.add_breaches(found);
    Ok(())
}

/// Whether the archives end with the event that a base names.
fn joins(state: &AuditState, base: ChainBase) -> bool {
    let ends: [&BTreeMap<StreamId, ArchivedEnd>; 2] = [&state.open_ends, &state.ends];
    let end = ends.into_iter().find_map(|ends| ends.get(&base.stream));
    end.is_some_and(|end| end.seq == base.seq && Digest::parse(&end.hash) == Some(base.hash))
}
