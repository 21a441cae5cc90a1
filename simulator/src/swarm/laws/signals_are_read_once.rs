//! Law: a signal is consumed once. The same signal never ends two waits of a run.

use std::collections::BTreeSet;

use abide_engine::ledger::EventKind;

use super::history::word;
use crate::play::TenantEvidence;

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let mut read = BTreeSet::new();
    let received = evidence.events.iter().filter(|event| event.kind == EventKind::SignalReceived);
    let again =
        received.filter(|event| word(event, "signal_id").is_some_and(|id| !read.insert(id)));
    again.map(|event| format!("{:?} reads {} again", event.run, event.body)).collect()
}
