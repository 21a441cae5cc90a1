//! Law: a call that needs an approval is carried out only after somebody approved it, and an approval serves the
//! calls that it was asked for, each once. A call that was refused, or that nobody decided in time, does nothing. A decision counts only if the
//! person who made it held the role of a supervisor at that moment.

use std::collections::{BTreeMap, BTreeSet};

use abide_engine::base::{RunId, Value};
use abide_engine::ledger::{EventKind, ReceiptStatus};
use abide_engine::store::ApprovalState;
use abide_verbs::directory::SUPERVISOR;

use crate::play::{EngineCommand, Exchange, TenantEvidence};

/// What is known of an approval from the events before.
#[derive(Default)]
struct Known<'a> {
    asked: bool,
    ended: Option<&'a str>,
    /// The run that asked.
    run: Option<RunId>,
    /// The steps that were asked about and have made no call yet.
    steps: Vec<&'a str>,
}

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let mut broken = Vec::new();
    let mut known: BTreeMap<&str, Known<'_>> = BTreeMap::new();
    for event in &evidence.events {
        let Some(id) = event.body["approval_id"].as_str() else { continue };
        let approval = known.entry(id).or_default();
        match EventKind::parse(event.kind.as_str()) {
            Some(EventKind::ApprovalAsked) => {
                (approval.asked, approval.run) = (true, event.run);
                let then = event.body["then"].as_array().into_iter().flatten();
                let steps = std::iter::once(&event.body["step_id"]).chain(then);
                approval.steps = steps.filter_map(Value::as_str).collect();
            }
            Some(EventKind::ApprovalEnded) => {
                if approval.ended.is_some() || !approval.asked {
                    broken.push(format!("{id} ends without being open"));
                }
                approval.ended = event.body["state"].as_str();
            }
            Some(EventKind::Receipt) => {
                let step = event.body["step_id"].as_str().unwrap_or_default();
                match approval.steps.iter().position(|asked| *asked == step) {
                    Some(_) if approval.run != event.run => {
                        broken.push(format!("{id} serves another run"));
                    }
                    Some(ix) => drop(approval.steps.remove(ix)),
                    None => {
                        broken.push(format!("{id} serves `{step}`, about which nobody was asked"))
                    }
                }
                let state = approval.ended.and_then(ApprovalState::parse);
                if acted(&event.body) && state != Some(ApprovalState::Approved) {
                    let ended = approval.ended.unwrap_or("open");
                    broken.push(format!("a call acted with {id}, which is {ended}"));
                }
            }
            _ => {}
        }
    }
    let open = known.iter().filter(|(_, approval)| approval.asked && approval.ended.is_none());
    broken.extend(open.map(|(id, _)| format!("{id} never ends")));
    broken.extend(decisions_without_the_role(evidence));
    broken
}

/// Returns a breach for each decision that counted although the person was no supervisor.
///
/// The journal says when roles changed: the change may have happened as soon as its command was sent, and has
/// happened when it was answered. So a person counts as a supervisor in between.
fn decisions_without_the_role(evidence: &TenantEvidence) -> Vec<String> {
    // A person whose roles change may have been a supervisor before the first change.
    let changed = evidence.journal.iter().filter_map(|entry| match &entry.what {
        Exchange::CommandSent(EngineCommand::Roles { phone, .. }) => Some(phone.as_str()),
        _ => None,
    });
    let mut holders: BTreeSet<&str> =
        evidence.supervisors.iter().map(String::as_str).chain(changed).collect();
    let mut may_decide: BTreeMap<&str, bool> = BTreeMap::new();
    let mut broken = Vec::new();
    for entry in &evidence.journal {
        match &entry.what {
            Exchange::CommandSent(EngineCommand::Roles { phone, roles }) if grants(roles) => {
                holders.insert(phone);
            }
            Exchange::CommandDone(EngineCommand::Roles { phone, roles }, _) if !grants(roles) => {
                holders.remove(phone.as_str());
            }
            Exchange::CommandSent(command) => {
                if let Some(phone) = decider(command) {
                    may_decide.insert(phone, holders.contains(phone));
                }
            }
            Exchange::CommandDone(command, _) => {
                if let Some(phone) =
                    decider(command).filter(|it| may_decide.get(it) == Some(&false))
                {
                    broken.push(format!("{phone} decided without being a supervisor"));
                }
            }
            Exchange::TextReceived { .. } => {}
        }
    }
    broken
}

/// Returns the phone number of the person who decides about an approval with this command.
fn decider(command: &EngineCommand) -> Option<&str> {
    match command {
        EngineCommand::Decide { phone, .. } => Some(phone),
        EngineCommand::Operator(operator) => operator.decides().then_some(&*operator.phone),
        _ => None,
    }
}

fn grants(roles: &[String]) -> bool {
    roles.iter().any(|role| role == SUPERVISOR)
}

fn acted(receipt: &Value) -> bool {
    receipt["status"] == ReceiptStatus::Succeeded.as_str()
}
