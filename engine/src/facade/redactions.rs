//! Which events were redacted, by the records of their tenants. The hash of such an event is that of its old body; its record says
//! what is left of it, and stands in a hash chain itself.

use std::collections::BTreeMap;

use crate::base::{Digest, Problem, StreamId, TypedId as _};
use crate::driver::records_stream;
use crate::ledger::EventKind;
use crate::store::{LedgerRow, RedactedEvent, Store};
use crate::transaction;

/// Number of records that one query reads.
const RECORDS_PER_READ: i64 = 200;

/// The events of all tenants that were redacted.
#[derive(Debug, Default)]
pub(super) struct Redactions(BTreeMap<Place, Digest>);

/// The place of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    stream: StreamId,
    seq: i64,
}

impl Redactions {
    /// Reads the records of all tenants.
    pub(super) async fn load(store: &Store) -> Result<Self, Problem> {
        let read = transaction!(|tx| Ok(tx.tenants().await?));
        let mut all = Self::default();
        for tenant in store.read(read).await? {
            let mut after = 0;
            loop {
                let read = transaction!([tenant = tenant.clone()], |tx| {
                    let stream = StreamId::from_uuid(records_stream(tx, &tenant).await?);
                    Ok(tx.stream_events(stream, after, RECORDS_PER_READ).await?)
                });
                let events = store.read(read).await?;
                let Some(last) = events.last() else { break };
                after = last.seq;
                events.iter().for_each(|event| all.add(event));
            }
        }
        Ok(all)
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
    pub(super) fn explain(&self, event: &LedgerRow) -> bool {
        let place = Place { stream: event.stream, seq: event.seq };
        let recorded = self.0.get(&place);
        recorded.is_some_and(|digest| *digest == Digest::of(event.canonical().as_bytes()))
    }
}
