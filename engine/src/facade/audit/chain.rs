//! Checks the hash chain of one stream, event by event.

use std::collections::BTreeSet;

use crate::base::{CallId, Digest, StreamId};
use crate::domain::Breach;
use crate::ledger::EventKind;
use crate::store::{ChainBase, LedgerRow, RedactedEvent};

/// The progress of checking a stream's hash chain: the last event that was checked,
/// and the calls of all receipts so far.
pub(super) struct ChainCheck {
    pub(super) stream: StreamId,
    pub(super) last: Digest,
    pub(super) seq: i64,
    calls: BTreeSet<CallId>,
    /// The events whose hashes are not those of their contents, as they are now: they may have been redacted.
    pub(super) suspects: Vec<Suspect>,
}

/// An event whose hash is not that of its content.
pub(super) struct Suspect {
    pub(super) tenant: String,
    pub(super) event: RedactedEvent,
    /// The detail of the breach.
    pub(super) detail: String,
}

impl ChainCheck {
    /// Begins with the first event of a stream, or with the first event after those that have been archived.
    pub(super) fn new(stream: StreamId, base: Option<ChainBase>) -> Self {
        let (last, seq) = base.map_or((Digest::ZERO, 0), |base| (base.hash, base.seq));
        Self { stream, last, seq, calls: BTreeSet::new(), suspects: Vec::new() }
    }

    /// Checks that the next event continues the chain.
    /// If the event is a receipt, also checks that its call has no earlier receipt.
    /// Returns the rules that the event breaks.
    pub(super) fn add(&mut self, event: &LedgerRow) -> Vec<Breach> {
        let mut found = Vec::new();
        let place = format!("{} event {}", self.stream, event.seq);
        if event.seq != self.seq + 1 {
            found.push(breach("chain_gap", format!("{place} follows {}", self.seq)));
        }
        if !continues(self.last, event) {
            self.suspects.push(Suspect {
                tenant: event.tenant.clone(),
                event: RedactedEvent::of(event),
                detail: place.clone(),
            });
            found.push(breach(CHAIN_BROKEN, place.clone()));
        }
        if event.kind == EventKind::Receipt
            && event.call.is_none_or(|call| !self.calls.insert(call))
        {
            found.push(breach("receipt_twice", place));
        }
        self.last = event.hash;
        self.seq = event.seq;
        found
    }
}

/// Whether the hash of an event is that of its content and of the hash of the event before it.
fn continues(previous: Digest, event: &LedgerRow) -> bool {
    Digest::chain(previous, event.canonical().as_bytes()) == event.hash
}

/// The rule that an event breaks whose hash is not that of its content.
pub(super) const CHAIN_BROKEN: &str = "chain_broken";

pub(super) fn breach(rule: &str, detail: String) -> Breach {
    Breach { rule: rule.to_owned(), detail }
}
