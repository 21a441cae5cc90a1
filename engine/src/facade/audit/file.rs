//! Checks the file of one archive: its digest, and the chains of the streams in it.

use std::collections::BTreeMap;

use super::chain::{CHAIN_BROKEN, ChainCheck, breach};
use super::records::Records;
use super::state::ArchivedEnd;
use crate::archive::{ArchiveLine, FileDigest, archived_event, archived_id};
use crate::base::{Digest, StreamId, Value};
use crate::domain::Breach;
use crate::ledger::EventKind;
use crate::store::{ArchiveRow, ArchiveState, ChainBase};

/// The progress of checking a file.
pub(super) struct FileCheck<'a> {
    archive: &'a ArchiveRow,
    records: &'a Records,
    /// The name of the file, which findings begin with.
    name: String,
    /// The ends of streams in earlier archives.
    ends: &'a BTreeMap<StreamId, ArchivedEnd>,
    /// Whether an earlier archive was not checked, so that the beginnings of streams may be unknown.
    has_gaps: bool,
    digest: FileDigest,
    is_sealed: bool,
    /// The last hashes that streams must have, as the rows of their runs or requests say, which are in the file before
    /// their events.
    expected: BTreeMap<StreamId, Digest>,
    chains: BTreeMap<StreamId, ChainCheck>,
    pub(super) breaches: Vec<Breach>,
    pub(super) events: u64,
    pub(super) streams: u64,
    pub(super) receipts: u64,
}

impl<'a> FileCheck<'a> {
    pub(super) fn new(
        archive: &'a ArchiveRow,
        records: &'a Records,
        ends: &'a BTreeMap<StreamId, ArchivedEnd>,
        has_gaps: bool,
    ) -> Self {
        Self {
            archive,
            records,
            name: file_name(&archive.path),
            ends,
            has_gaps,
            digest: FileDigest::EMPTY,
            is_sealed: false,
            expected: BTreeMap::new(),
            chains: BTreeMap::new(),
            breaches: Vec::new(),
            events: 0,
            streams: 0,
            receipts: 0,
        }
    }

    /// Whether the rest of the file is not committed.
    pub(super) fn is_done(&self) -> bool {
        self.archive.state == ArchiveState::Open && self.digest.lines >= self.archive.lines
    }

    /// Checks the next line.
    pub(super) fn add(&mut self, line: &str) {
        if self.is_done() {
            return;
        }
        let place = self.digest.lines + 1;
        match ArchiveLine::parse(line) {
            _ if self.is_sealed => self.report("a line follows the seal"),
            Some(ArchiveLine::Seal { seal }) => {
                let FileDigest { lines, digest, .. } = self.digest;
                if (seal.lines, seal.digest) != (lines, digest) {
                    self.report("the seal is not that of the lines before it");
                }
                let sealed = self.digest.with(line);
                if sealed.bytes != self.archive.bytes {
                    self.report("the file has another length");
                }
                self.is_sealed = true;
                return;
            }
            Some(ArchiveLine::Header { archive }) => {
                if place != 1 || archive.archive != self.archive.id {
                    self.report("the header is not that of the archive");
                }
            }
            Some(ArchiveLine::Row { table, row }) => self.add_row(place, &table, &row),
            None => self.report(&format!("line {place} cannot be read")),
        }
        self.digest = self.digest.with(line);
    }

    fn add_row(&mut self, place: i64, table: &str, row: &serde_json::Map<String, Value>) {
        let column = match table {
            "ledger" => {
                match archived_event(row) {
                    Some(event) => self.add_event(&event),
                    None => self.report(&format!("line {place} is not an event")),
                }
                return;
            }
            "run" => "id",
            "partition_head" => "key",
            _ => return,
        };
        let hash = row.get("last_hash").and_then(Value::as_str).and_then(Digest::parse);
        match (archived_id::<StreamId>(row, column), hash) {
            (Some(stream), Some(hash)) if hash != Digest::ZERO => {
                self.expected.insert(stream, hash);
            }
            (Some(_), Some(_)) => {}
            _ => self.report(&format!("line {place} cannot be read")),
        }
    }

    fn add_event(&mut self, event: &crate::store::LedgerRow) {
        let stream = event.stream;
        self.events += 1;
        self.receipts += u64::from(event.kind == EventKind::Receipt);
        let (ends, has_gaps, archive) = (self.ends, self.has_gaps, self.archive.id);
        let records = self.records;
        let chain = self.chains.entry(stream).or_insert_with(|| {
            let end = ends.get(&stream).and_then(|end| {
                Some(ChainBase { stream, seq: end.seq, hash: Digest::parse(&end.hash)?, archive })
            });
            ChainCheck::new(stream, end)
        });
        // The event before it may be in an archive that is not here.
        let unknown = chain.seq == 0 && event.seq > 1 && has_gaps;
        let mut found = chain.add(event);
        let suspects = std::mem::take(&mut chain.suspects);
        if suspects.iter().any(|suspect| records.explain(&suspect.event)) {
            found.retain(|breach| breach.rule != CHAIN_BROKEN);
        }
        if !unknown {
            for Breach { rule, detail } in found {
                self.report(&format!("{rule}: {detail}"));
            }
        }
        if self.expected.get(&stream) == Some(&event.hash) {
            self.expected.remove(&stream);
            self.chains.remove(&stream);
            self.streams += 1;
        }
    }

    fn report(&mut self, what: &str) {
        self.breaches.push(breach("archive_broken", format!("{}: {what}", self.name)));
    }

    /// Checks that the file is complete, and sealed as the tenant's records say.
    /// Returns the ends of the streams of which the rest is not in the file.
    pub(super) fn end(&mut self) -> BTreeMap<StreamId, ArchivedEnd> {
        let sealed = self.archive.state == ArchiveState::Sealed;
        if sealed && !self.is_sealed {
            self.report("the seal is missing");
        }
        if self.digest.lines != self.archive.lines || self.digest.digest != self.archive.digest {
            self.report("the lines are not those that were archived");
        }
        if sealed && self.records.seal(self.archive.id) != Some(self.archive.digest) {
            self.report("the tenant's records name another seal");
        }
        if sealed {
            let open: Vec<StreamId> = self.expected.keys().copied().collect();
            for stream in open {
                self.report(&format!("{stream}: the last events are missing"));
            }
        }
        let expected = std::mem::take(&mut self.expected);
        let rest = std::mem::take(&mut self.chains).into_iter();
        // A stream of an open archive may be about to leave as a whole.
        let rest = rest.filter(|(stream, _)| !sealed || !expected.contains_key(stream));
        let end = |chain: ChainCheck| ArchivedEnd { seq: chain.seq, hash: chain.last.to_string() };
        rest.map(|(stream, chain)| (stream, end(chain))).collect()
    }
}

/// Returns the name of a file without its folders.
pub(super) fn file_name(path: &str) -> String {
    path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned()
}
