//! Reads one expectation: what must hold, for which run, and when it is checked.

use std::collections::BTreeMap;

use abide_engine::base::Timestamp;
use abide_engine::diagnostic::codes;
use abide_engine::yaml::{Kind, Member, Node};

use super::reader::Reader;
use super::step::{the_one, who};
use super::{Claim, Expectation, MessageClaim, ReceiptClaim};

/// The kinds of expectation, in the order of the documentation.
pub(super) const CLAIMS: &[&str] =
    &["counts", "messages", "outcome", "request_status", "receipts", "holds", "stuck", "audit"];

const KEYS: &[&str] = &[
    "at",
    "run",
    "counts",
    "messages",
    "outcome",
    "request_status",
    "receipts",
    "holds",
    "stuck",
    "audit",
];

/// The states of an assignment that can be counted.
pub(super) const STATES: &[&str] = &["invited", "accepted", "declined", "waitlisted", "cancelled"];

pub(super) const OUTCOMES: &[&str] = &["succeeded", "fell_short", "failed", "cancelled", "open"];
pub(super) const REQUEST_STATES: &[&str] =
    &["draft", "open", "partially_filled", "filled", "closed", "cancelled"];
pub(super) const RECEIPT_STATES: &[&str] = &["succeeded", "failed", "not_configured", "shadowed"];

/// Reads one expectation.
pub(super) fn expectation(
    reader: &mut Reader<'_>,
    node: &Node,
    start: Timestamp,
) -> Option<Expectation> {
    let fields = reader.fields(node, "an expectation", KEYS)?;
    let at = match fields.get("at") {
        Some(node) => Some(reader.moment(node, start)?),
        None => None,
    };
    let run = reader.text_of(&fields, "run");
    let member = the_one(reader, &fields, CLAIMS, "expect")?;
    let claim = claim(reader, member)?;
    Some(Expectation { at, run, claim, place: reader.place(&member.key_at) })
}

fn claim(reader: &mut Reader<'_>, member: &Member) -> Option<Claim> {
    let node = &member.value;
    Some(match member.key.as_str() {
        "counts" => Claim::Counts(counts(reader, node)),
        "messages" => Claim::Messages(messages(reader, node)?),
        "outcome" => Claim::Outcome(reader.word(node, OUTCOMES)?.to_owned()),
        "request_status" => Claim::RequestStatus(reader.word(node, REQUEST_STATES)?.to_owned()),
        "receipts" => Claim::Receipts(receipts(reader, node)?),
        "holds" => holds(reader, node)?,
        "stuck" => Claim::Stuck(stuck(reader, node)?),
        _ => {
            reader.word(node, &["clean"])?;
            Claim::AuditClean
        }
    })
}

fn counts(reader: &mut Reader<'_>, node: &Node) -> BTreeMap<String, BTreeMap<String, u64>> {
    let mut roles = BTreeMap::new();
    for role in reader.members(node, "roles, each with its counts") {
        let Some(fields) = reader.fields(&role.value, "a count of people", STATES) else {
            continue;
        };
        let counts: BTreeMap<String, u64> = fields
            .among(STATES)
            .into_iter()
            .filter_map(|state| Some((state.key.clone(), reader.count(&state.value)?)))
            .collect();
        roles.insert(role.key.clone(), counts);
    }
    if roles.is_empty() {
        reader.error(&node.at, codes::WRONG_VALUE, "`counts` names no role", None);
    }
    roles
}

fn messages(reader: &mut Reader<'_>, node: &Node) -> Option<MessageClaim> {
    let fields = reader.fields(node, "`messages`", &["to", "template", "contains", "times"])?;
    let to = fields.get("to").and_then(|node| who(reader, node));
    let template = reader.text_of(&fields, "template");
    let contains = reader.text_of(&fields, "contains");
    let times = reader.required(&fields, "times").and_then(|node| reader.count(node))?;
    Some(MessageClaim { to, template, contains, times })
}

fn receipts(reader: &mut Reader<'_>, node: &Node) -> Option<ReceiptClaim> {
    let fields = reader.fields(node, "`receipts`", &["tool", "status", "times"])?;
    let tool = reader.required_text(&fields, "tool");
    let status =
        fields.get("status").and_then(|node| reader.word(node, RECEIPT_STATES)).map(str::to_owned);
    let times = reader.required(&fields, "times").and_then(|node| reader.count(node));
    Some(ReceiptClaim { tool: tool?, status, times: times? })
}

fn holds(reader: &mut Reader<'_>, node: &Node) -> Option<Claim> {
    let fields = reader.fields(node, "`holds`", &["person", "role", "state"])?;
    let person = reader.required(&fields, "person").and_then(|node| who(reader, node));
    let role = reader.required_text(&fields, "role");
    let state = fields.get("state").map_or(Some("accepted"), |node| reader.word(node, STATES))?;
    Some(Claim::Holds { person: person?, role: role?, state: state.to_owned() })
}

/// Reads a number of runs; `none` and `false` mean 0, `true` means 1.
fn stuck(reader: &mut Reader<'_>, node: &Node) -> Option<u64> {
    match &node.kind {
        Kind::Bool(stuck) => Some(u64::from(*stuck)),
        Kind::Text(text) if text == "none" => Some(0),
        _ => reader.count(node),
    }
}
