//! Law: each timer fires once, and not too early.
//! An offer ends once, and a wait that timed out has lasted at least as long as its timeout.

use std::collections::BTreeSet;

use abide_engine::base::{Span, Timestamp, Value};
use abide_engine::ledger::EventKind;
use abide_engine::store::LedgerRow;
use abide_verbs::event::AnyEventKind::{self, Church, Engine};
use abide_verbs::event::ChurchEventKind;

use crate::play::TenantEvidence;

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let mut broken = Vec::new();
    let mut open: BTreeSet<&str> = BTreeSet::new();
    for event in &evidence.events {
        let place = format!("{} event {}", event.stream, event.seq);
        match AnyEventKind::of(&event.kind) {
            Church(ChurchEventKind::Offered) => open.extend(offers(event, "/0")),
            Church(ChurchEventKind::Offers) => {
                let again = word(&event.body, "became") == Some("pending");
                for offer in offers(event, "") {
                    if again {
                        open.insert(offer);
                    } else if !open.remove(offer) {
                        broken.push(format!("{place}: {offer} ends but is not open"));
                    }
                }
            }
            Engine(EventKind::Receipt) if event.tool.as_deref() == Some("wait_for_replies") => {
                broken.extend(
                    too_early(event, evidence.clock_tolerance).map(|why| format!("{place}: {why}")),
                );
            }
            _ => {}
        }
    }
    broken
}

/// Returns the ids of the offers in an event's body. `place` is the JSON pointer to the id in each item.
fn offers<'e>(event: &'e LedgerRow, place: &'static str) -> impl Iterator<Item = &'e str> {
    let items = event.body.get("offers").and_then(Value::as_array).into_iter().flatten();
    items.filter_map(move |item| item.pointer(place).and_then(Value::as_str))
}

/// Returns a description of a wait that timed out too early; `None` for any other wait.
fn too_early(receipt: &LedgerRow, clock_tolerance: Span) -> Option<String> {
    let body = &receipt.body;
    if body.pointer("/result/reason").and_then(Value::as_str) != Some("timeout") {
        return None;
    }
    let timeout: Span = body.pointer("/input/timeout")?.as_str()?.parse().ok()?;
    let at = |name: &str| word(body, name).and_then(|text| text.parse::<Timestamp>().ok());
    let lasted = at("finished_at")? - at("started_at")?;
    (lasted + clock_tolerance < timeout).then(|| format!("a wait of {timeout} ends after {lasted}"))
}

fn word<'v>(body: &'v Value, name: &str) -> Option<&'v str> {
    body.get(name).and_then(Value::as_str)
}
