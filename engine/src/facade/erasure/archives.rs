//! Takes a person out of the files of archives. Each file is rewritten beside the old one, with a seal of its own; the new
//! seal and the redacted events are recorded in one commit, and then the new file takes the place of the old one.

use std::collections::BTreeSet;

use serde_json::{Map, json};

use super::{Erasure, RECORDED_MAX};
use crate::archive::{
    ArchiveConfig, ArchiveLine, ArchiveReader, Rewritten, archived_event, rewrite,
};
use crate::base::{Problem, StreamId, TypedId as _, Value, text};
use crate::driver::{Core, record_seal, records_stream, seal_archive};
use crate::erasure::{ERASED, Redactor};
use crate::facade::audit::path_of;
use crate::ledger::EventKind;
use crate::store::{About, ArchiveRow, ArchiveState, ErasureOrder, RedactedEvent};
use crate::transaction;

/// Number of archives that one query lists.
const PAGE: i64 = 100;

/// What was done to the archives of a tenant.
#[derive(Debug, Default)]
pub(super) struct ErasedArchives {
    /// Number of files that named or quoted the person.
    pub(super) changed: u64,
    /// The files that are not there.
    pub(super) missing: Vec<String>,
}

impl Erasure {
    /// Takes the person out of all archives of the tenant.
    ///
    /// # Errors
    /// `erasure_unfinished` if an archive is being written by another process, or cannot be written.
    pub(super) async fn erase_archives(&self) -> Result<ErasedArchives, Problem> {
        let (mut done, mut before) = (ErasedArchives::default(), None);
        loop {
            let read = transaction!([order = self.order.clone()], |tx| {
                Ok(tx.archives(&order.tenant, before, PAGE).await?)
            });
            let page = self.core.store.read(read).await?;
            let Some(last) = page.last() else { return Ok(done) };
            before = Some(last.id);
            for archive in page {
                self.erase_archive(archive, &mut done).await?;
            }
        }
    }

    async fn erase_archive(
        &self,
        archive: ArchiveRow,
        done: &mut ErasedArchives,
    ) -> Result<(), Problem> {
        let name = archive.path.clone();
        let (Some(config), Some(path)) =
            (self.core.archives.get(), path_of(&self.core, &archive).await?)
        else {
            done.missing.push(name);
            return Ok(());
        };
        let archive = match archive.state {
            ArchiveState::Sealed => archive,
            ArchiveState::Open => {
                seal_archive(&self.core, archive).await.map_err(|why| unfinished(&name, &why))?
            }
        };
        let own = own_texts(config, &path, &self.order).await?;
        let mut events = Vec::new();
        let change = |line: &str| {
            let ArchiveLine::Row { table, mut row } = ArchiveLine::parse(line)? else {
                return None;
            };
            if !redact_row(&table, &mut row, &own, &self.redactor) {
                return None;
            }
            let event = archived_event(&row).filter(|_| table == "ledger");
            events.extend(event.as_ref().map(RedactedEvent::of));
            Some(text::json(&json!({ "table": table, "row": row })))
        };
        let written = rewrite(&*config.files, &path, change).await;
        let written = written.map_err(|why| unfinished(&name, &why))?;
        if written.changed > 0 {
            record(&self.core, &self.order, Change { archive, events, written: written.clone() })
                .await?;
            done.changed += 1;
        }
        let replaced = config.files.replace(&written.path, &path).await;
        replaced.map_err(|why| unfinished(&name, &why))
    }
}

/// A file that was rewritten.
#[derive(Clone)]
struct Change {
    archive: ArchiveRow,
    events: Vec<RedactedEvent>,
    written: Rewritten,
}

/// Records the new seal of an archive, and which of its events were redacted.
async fn record(core: &Core, order: &ErasureOrder, change: Change) -> Result<(), Problem> {
    let task = transaction!([order = order.clone(), change], |tx| {
        let Change { archive, events, written } = change;
        let stream = records_stream(tx, &order.tenant).await?;
        tx.lock_partitions(&order.tenant, &[stream]).await?;
        let Some(mut row) = tx.lock_archive(archive.id).await? else { return Ok(()) };
        row.lines = written.digest.lines;
        row.digest = written.digest.digest;
        row.bytes = written.bytes;
        tx.save_archive(&row).await?;
        let stream = StreamId::from_uuid(stream);
        for events in events.chunks(RECORDED_MAX) {
            let events: Vec<Value> = events.iter().map(|event| event.to_value()).collect();
            let body = json!({ "person": order.person, "events": events });
            tx.log(stream, EventKind::EventsRedacted, About::default(), body)?;
        }
        record_seal(tx, stream, &row)
    });
    core.store.write(task).await
}

/// Returns the ids of the texts of the person's own messages in a file. A text stands before its message.
async fn own_texts(
    config: &ArchiveConfig,
    path: &str,
    order: &ErasureOrder,
) -> Result<BTreeSet<String>, Problem> {
    let (mut own, mut reader) = (BTreeSet::new(), ArchiveReader::new(&*config.files, path));
    if order.is_number_shared {
        return Ok(own);
    }
    let contact = order.contact.digest().to_string();
    while let Some(lines) = reader.page().await?.filter(|lines| !lines.is_empty()) {
        for line in lines {
            let Some(ArchiveLine::Row { table, row }) = ArchiveLine::parse(&line) else { continue };
            let column = match table.as_str() {
                "inbound" => "sender",
                "outbox" => "contact",
                _ => continue,
            };
            if row.get(column).and_then(Value::as_str) == Some(&contact) {
                own.extend(row.get("body").and_then(Value::as_str).map(str::to_owned));
            }
        }
    }
    Ok(own)
}

/// Redacts the texts of a row. Returns whether it has changed.
fn redact_row(
    table: &str,
    row: &mut Map<String, Value>,
    own: &BTreeSet<String>,
    redactor: &Redactor,
) -> bool {
    let is_own =
        table == "pii" && row.get("id").and_then(Value::as_str).is_some_and(|id| own.contains(id));
    let mut changed = false;
    for (column, value) in row.iter_mut() {
        let Value::String(text) = value else { continue };
        let new = match is_own && column == "value" {
            true => Some(ERASED.to_owned()).filter(|erased| erased != text),
            false => redactor.redact(text),
        };
        if let Some(new) = new {
            *text = new;
            changed = true;
        }
    }
    changed
}

fn unfinished(path: &str, why: &Problem) -> Problem {
    let message = format!("the archive `{path}` cannot be changed");
    Problem::operator("erasure_unfinished", message)
        .with_detail(why.to_string())
        .with_hint("make the file writable, and restart: the erasure is then finished")
}
