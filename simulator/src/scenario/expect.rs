//! Reads one expectation: its condition, the run that it concerns, and when it is checked.

use std::collections::BTreeMap;

use abide_engine::base::Timestamp;
use abide_engine::diagnostic::codes;
use abide_engine::yaml::{YamlKind, YamlNode};

use abide_verbs::assignment::AssignmentState;

use super::judgement;
use super::reader::ScenarioReader;
use super::step::{only_choice, person_ref};
use super::words::{
    ASSIGNMENT_STATES, AUDITS, EXPECTATIONS, OUTCOMES, RECEIPT_STATUSES, REQUEST_STATUSES,
};
use super::{Condition, Expectation, ExpectationKind, MessageCount, ReceiptCount, RoleCounts};

/// The keys that an expectation may have besides the key of its condition, whatever the condition is.
pub(super) const COMMON_KEYS: [&str; 2] = ["at", "run"];

/// Reads one expectation.
pub(super) fn expectation(
    reader: &mut ScenarioReader<'_>,
    node: &YamlNode,
    start: Timestamp,
) -> Option<Expectation> {
    let keys: Vec<&str> = COMMON_KEYS.into_iter().chain(EXPECTATIONS.texts()).collect();
    let fields = reader.fields(node, "an expectation", &keys)?;
    let at = match fields.get("at") {
        Some(node) => Some(reader.moment(node, start)?),
        None => None,
    };
    let run = reader.text_of(&fields, "run");
    let (kind, member) = only_choice(reader, &fields, &EXPECTATIONS, "expect")?;
    let condition = condition(reader, kind, &member.value)?;
    Some(Expectation { at, run, condition, place: reader.place(&member.key_at) })
}

fn condition(
    reader: &mut ScenarioReader<'_>,
    kind: ExpectationKind,
    node: &YamlNode,
) -> Option<Condition> {
    Some(match kind {
        ExpectationKind::Counts => Condition::Counts(counts(reader, node)),
        ExpectationKind::Messages => Condition::Messages(messages(reader, node, "`messages`")?),
        ExpectationKind::WouldSend => Condition::WouldSend(messages(reader, node, "`would_send`")?),
        ExpectationKind::Outcome => Condition::Outcome(reader.word(node, &OUTCOMES)?),
        ExpectationKind::RequestStatus => {
            Condition::RequestStatus(reader.word(node, &REQUEST_STATUSES)?)
        }
        ExpectationKind::Receipts => Condition::Receipts(receipts(reader, node)?),
        ExpectationKind::Holds => holds(reader, node)?,
        ExpectationKind::Answers => judgement::answers(reader, node)?,
        ExpectationKind::Goals => judgement::goals(reader, node)?,
        ExpectationKind::Stuck => Condition::Stuck(stuck(reader, node)?),
        ExpectationKind::Audit => {
            reader.word(node, &AUDITS)?;
            Condition::AuditClean
        }
    })
}

fn counts(reader: &mut ScenarioReader<'_>, node: &YamlNode) -> RoleCounts {
    let mut roles = RoleCounts::new();
    for role in reader.members(node, "roles, each with its counts") {
        let states = ASSIGNMENT_STATES.texts();
        let Some(fields) = reader.fields(&role.value, "a count of people", &states) else {
            continue;
        };
        let mut counts = BTreeMap::new();
        for member in fields.among(&states) {
            if let Some(state) = ASSIGNMENT_STATES.find(&member.key)
                && let Some(count) = reader.count(&member.value)
            {
                counts.insert(state, count);
            }
        }
        roles.insert(role.key.clone(), counts);
    }
    if roles.is_empty() {
        reader.error(&node.at, codes::WRONG_VALUE, "`counts` names no role", None);
    }
    roles
}

fn messages(
    reader: &mut ScenarioReader<'_>,
    node: &YamlNode,
    what: &'static str,
) -> Option<MessageCount> {
    let fields = reader.fields(node, what, &["to", "template", "contains", "times"])?;
    let to = fields.get("to").and_then(|node| person_ref(reader, node));
    let template = reader.text_of(&fields, "template");
    let contains = reader.text_of(&fields, "contains");
    let times = reader.required(&fields, "times").and_then(|node| reader.count(node))?;
    Some(MessageCount { to, template, contains, times })
}

fn receipts(reader: &mut ScenarioReader<'_>, node: &YamlNode) -> Option<ReceiptCount> {
    let fields =
        reader.fields(node, "`receipts`", &["tool", "status", "idempotency_hit", "times"])?;
    let tool = reader.required_text(&fields, "tool");
    let status = fields.get("status").and_then(|node| reader.word(node, &RECEIPT_STATUSES));
    let times = reader.required(&fields, "times").and_then(|node| reader.count(node));
    let idempotency_hit = fields.get("idempotency_hit").and_then(|node| reader.flag(node));
    Some(ReceiptCount { tool: tool?, status, idempotency_hit, times: times? })
}

fn holds(reader: &mut ScenarioReader<'_>, node: &YamlNode) -> Option<Condition> {
    let fields = reader.fields(node, "`holds`", &["person", "role", "state"])?;
    let person = reader.required(&fields, "person").and_then(|node| person_ref(reader, node));
    let role = reader.required_text(&fields, "role");
    let state = match fields.get("state") {
        Some(node) => reader.word(node, &ASSIGNMENT_STATES)?,
        None => AssignmentState::Accepted,
    };
    Some(Condition::Holds { person: person?, role: role?, state })
}

/// Reads the number of stuck runs. `none` and `false` mean 0, and `true` means 1.
fn stuck(reader: &mut ScenarioReader<'_>, node: &YamlNode) -> Option<u64> {
    match &node.kind {
        YamlKind::Bool(stuck) => Some(u64::from(*stuck)),
        YamlKind::Text(text) if text == "none" => Some(0),
        _ => reader.count(node),
    }
}
