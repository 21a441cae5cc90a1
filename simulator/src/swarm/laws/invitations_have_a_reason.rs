//! Law: an invitation is sent only while its offer is open.

use std::collections::BTreeMap;

use abide_engine::base::{OfferId, RequestId, Timestamp, TypedId as _};

use abide_verbs::event::ChurchEventKind;

use super::history::{BEGINS_WITHIN, ended, offered, phone};
use crate::play::TenantEvidence;

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let mut over: BTreeMap<(RequestId, &str), Vec<Option<Timestamp>>> = BTreeMap::new();
    let mut ends: BTreeMap<OfferId, Timestamp> = BTreeMap::new();
    for event in evidence.events.iter().filter(|event| event.kind == ChurchEventKind::Offers) {
        ends.extend(ended(event).map(|id| (id, event.at)));
    }
    for event in evidence.events.iter().filter(|event| event.kind == ChurchEventKind::Offered) {
        for id in offered(event) {
            if let Some(phone) = phone(evidence, id) {
                let key = (RequestId::from_uuid(event.stream.uuid()), phone);
                over.entry(key).or_default().push(ends.get(&id).copied());
            }
        }
    }
    let kinds: BTreeMap<_, _> = evidence.messages.iter().map(|m| (m.id, m)).collect();
    let mut broken = Vec::new();
    for sent in evidence.sent.iter().map(|sent| &sent.message) {
        let Some(record) = kinds.get(&sent.id) else { continue };
        let Some(request) = record.request_id else { continue };
        // A message with the template `last_call` also goes to people without an open offer, because a
        // yes to the message creates an offer. So only messages with the template `invite` are checked.
        if record.kind.as_deref() != Some("invite") {
            continue;
        }
        let late = BEGINS_WITHIN + evidence.clock_tolerance;
        let gone = |end: &Option<Timestamp>| end.is_some_and(|end| end + late < sent.at);
        let offers = over.get(&(request, sent.to.as_str()));
        if offers.is_some_and(|offers| offers.iter().all(gone)) {
            broken.push(format!(
                "{} was sent to {} at {}, after its offer had ended",
                sent.id, sent.to, sent.at
            ));
        }
    }
    broken
}
