//! What a tenant's stream of records says: with which digests its archives were sealed, and which events were redacted. The hash of a
//! redacted event is that of its old body; its record says what is left of it, and stands in a hash chain itself.

use std::collections::BTreeMap;

use crate::base::{ArchiveId, Digest, Problem, StreamId, TypedId as _};
use crate::driver::records_stream;
use crate::ledger::EventKind;
use crate::store::{LedgerRow, RedactedEvent, Tx};

/// Number of records that one query reads.
const RECORDS_PER_READ: i64 = 200;

/// The records of a tenant.
#[derive(Debug, Default)]
pub(super) struct Records {
    redactions: BTreeMap<Place, Digest>,
    seals: BTreeMap<ArchiveId, Digest>,
}

/// The place of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    stream: StreamId,
    seq: i64,
}

impl Records {
    /// Reads the records of a tenant.
    pub(super) async fn load(tx: &mut Tx, tenant: &str) -> Result<Self, Problem> {
        let stream = StreamId::from_uuid(records_stream(tx, tenant).await?);
        let (mut all, mut after) = (Self::default(), 0);
        loop {
            let events = tx.stream_events(stream, after, RECORDS_PER_READ).await?;
            let Some(last) = events.last() else { return Ok(all) };
            after = last.seq;
            events.iter().for_each(|event| all.add(event));
        }
    }

    /// Adds a record. The latest record of an archive or an event counts.
    fn add(&mut self, event: &LedgerRow) {
        let body = &event.body;
        if event.kind == EventKind::ArchiveSealed {
            let text = |name: &str| body[name].as_str();
            let archive = text("archive").and_then(|id| id.parse().ok());
            if let (Some(archive), Some(digest)) = (archive, text("digest").and_then(Digest::parse))
            {
                self.seals.insert(archive, digest);
            }
        } else if event.kind == EventKind::EventsRedacted {
            let events = body["events"].as_array().into_iter().flatten();
            for redacted in events.filter_map(RedactedEvent::from_value) {
                let RedactedEvent { stream, seq, digest } = redacted;
                self.redactions.insert(Place { stream, seq }, digest);
            }
        }
    }

    /// Whether an event was redacted, and is as its record says.
    pub(super) fn explain(&self, event: &RedactedEvent) -> bool {
        let RedactedEvent { stream, seq, digest } = *event;
        self.redactions.get(&Place { stream, seq }) == Some(&digest)
    }

    /// Returns the digest with which an archive was sealed.
    pub(super) fn seal(&self, archive: ArchiveId) -> Option<Digest> {
        self.seals.get(&archive).copied()
    }
}
