//! Law: of all calls of a tool with one idempotency key, at most one acts, and all return the same result.
//! A call that does not act says so: its receipt has `idempotency_hit` and lists no written row.

use std::collections::BTreeMap;

use abide_engine::base::Value;
use abide_engine::ledger::{EventKind, ReceiptStatus};

use crate::play::TenantEvidence;

/// What is known of a key from the receipts before.
struct KeyUse<'a> {
    result: &'a Value,
    acted: bool,
}

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let mut broken = Vec::new();
    let mut keys: BTreeMap<(&str, &str), KeyUse<'_>> = BTreeMap::new();
    for event in &evidence.events {
        let body = &event.body;
        let succeeded = body["status"] == ReceiptStatus::Succeeded.as_str();
        if EventKind::parse(event.kind.as_str()) != Some(EventKind::Receipt) || !succeeded {
            continue;
        }
        let (Some(tool), Some(key)) = (body["tool"].as_str(), body["idempotency_key"].as_str())
        else {
            continue;
        };
        let place = format!("{} event {}: `{tool}` with the key `{key}`", event.stream, event.seq);
        let is_hit = body["effects"].get("idempotency_hit").is_some();
        let wrote = body["effects"]["db_writes"].as_array().is_some_and(|rows| !rows.is_empty());
        if is_hit && wrote {
            broken.push(format!("{place} writes although an earlier call answers it"));
        }
        let known =
            keys.entry((tool, key)).or_insert(KeyUse { result: &body["result"], acted: false });
        if known.result != &body["result"] {
            broken.push(format!("{place} returns another result than the first call"));
        }
        if !is_hit && known.acted {
            broken.push(format!("{place} acts a second time"));
        }
        known.acted |= !is_hit;
    }
    broken
}
