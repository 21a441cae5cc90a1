//! Law: no event of the ledger is missing or altered.
//! The check computes the hash of each event again and compares it with the stored hash.

use std::collections::BTreeMap;

use abide_engine::base::Digest;

use crate::play::TenantEvidence;

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let mut broken = Vec::new();
    let mut ends: BTreeMap<_, (i64, Digest)> = BTreeMap::new();
    let mut events: Vec<_> = evidence.events.iter().collect();
    events.sort_by_key(|event| (event.stream, event.seq));
    for event in events {
        let (seq, last) = ends.entry(event.stream).or_insert((0, Digest::ZERO));
        let place = format!("{} event {}", event.stream, event.seq);
        if event.seq != *seq + 1 {
            broken.push(format!("{place} follows event {seq}"));
        }
        if Digest::chain(*last, event.canonical().as_bytes()) != event.hash {
            broken.push(format!("{place} does not match its hash"));
        }
        (*seq, *last) = (event.seq, event.hash);
    }
    broken
}
