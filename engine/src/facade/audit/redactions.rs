//! Which events of a tenant were redacted, by its records. The hash of such an event is that of its old body; its record says
//! what is left of it, and stands in a hash chain itself.

use std::collections::BTreeMap;

use crate::base::{Digest, Problem, StreamId, TypedId as _};
use crate::driver::records_stream;
use crate::ledger::EventKind;
use crate::store::{LedgerRow, RedactedEvent, Tx};

/// Number of records that one query reads.
const RECORDS_PER_READ: i64 = 200;

/// The events of a tenant that were redacted.
#[derive(Debug, Default)]
pub(super) struct Redactions(BTreeMap<Place, Digest>);

/// The place of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    stream: StreamId,
    seq: i64,
}

impl Redactions {
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

    fn add(&mut self, event: &LedgerRow) {
        if event.kind != EventKind::EventsRedacted {
            return;
        }
        let events = event.body["events"].as_array().into_iter().flatten();
        for RedactedEvent { stream, seq, digest } in events.filter_map(RedactedEvent::from_value) {
            self.0.insert(Place { stream, seq }, digest);
        }
    }

    /// Whether an event was redacted, and is as its record says.
    pub(super) fn explain(&self, event: &RedactedEvent) -> bool {
        let RedactedEvent { stream, seq, digest } = *event;
        self.0.get(&Place { stream, seq }) == Some(&digest)
    }
}
