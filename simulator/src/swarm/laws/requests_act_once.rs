//! Law: a request with the key of an earlier one is the same request. It gets the same answer, and what it binds the
//! agent to is done once.

use std::collections::{BTreeMap, BTreeSet};

use abide_engine::base::TypedId as _;
use abide_engine::ledger::{EventKind, ReceiptStatus};
use abide_engine::store::LedgerRow;
use abide_judgement::data::asked::AskRow;
use abide_judgement::obligations::Trace;

use crate::play::{EngineCommand, Exchange, TenantEvidence};

/// How the names of the tools begin that discharge obligations.
const TOOLS: &str = "ask.";

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let mut broken = other_answers(evidence);
    let stored = &evidence.judgement.stored;
    let mut traced: BTreeSet<String> = BTreeSet::new();
    for ask in stored.asks.iter().filter(|ask| ask.answer.is_some()) {
        let obligations = Trace::of(ask).map(|trace| trace.obligations).unwrap_or_default();
        let bound = stored.obligations.iter().filter(|it| it.ask == ask.id).count();
        if bound > obligations.len() + untraced(ask) {
            broken.push(format!(
                "{} is bound to {bound} obligations, and was read as {}",
                ask.id,
                obligations.len()
            ));
        }
        let runs = obligations.into_iter().flat_map(|obligation| obligation.runs);
        traced.extend(runs.map(|run| run.call_id));
    }
    // A request that nobody repeats after a crash has no trace.
    if stored.asks.iter().all(|ask| ask.answer.is_some()) {
        broken.extend(untraced_calls(evidence, &traced));
    }
    broken
}

/// Returns a breach for each answer that differs from an earlier one to a request with the same key.
fn other_answers(evidence: &TenantEvidence) -> Vec<String> {
    let mut answers: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    let mut broken = Vec::new();
    for entry in &evidence.journal {
        let Exchange::CommandDone(command, Some(answer)) = &entry.what else { continue };
        let (kind, key) = match command {
            EngineCommand::Operator(it) => ("the operator", it.request.key.as_deref()),
            EngineCommand::Ask(request) => ("the assistant", request.key.as_deref()),
            _ => continue,
        };
        let Some(key) = key else { continue };
        let first = answers.entry((kind, key)).or_insert(answer);
        if *first != answer {
            broken.push(format!("{kind} answers `{key}` with `{first}`, and then with `{answer}`"));
        }
    }
    broken
}

/// Returns the number of obligations of a request that a trace may leave out: those to verify the answer that the same
/// text asks for.
fn untraced(ask: &AskRow) -> usize {
    ask.dialogue.iter().filter(|it| it.kind() == "last_answer").count()
}

/// Whether a call is not a step of a run. The engine gives such a call and its run the same id.
fn is_single(event: &LedgerRow) -> bool {
    event.call.map(|call| call.uuid()) == event.run.map(|run| run.uuid())
}

/// Returns a breach for each call that acted for an obligation and that no answer rests on.
fn untraced_calls(evidence: &TenantEvidence, traced: &BTreeSet<String>) -> Vec<String> {
    let acted = evidence.events.iter().filter(|event| {
        event.kind == EventKind::Receipt
            && event.body["status"] == ReceiptStatus::Succeeded.as_str()
            && event.tool.as_deref().is_some_and(|tool| tool.starts_with(TOOLS))
            && is_single(event)
    });
    let lost =
        acted.filter(|event| event.call.is_none_or(|call| !traced.contains(&call.to_string())));
    lost.map(|event| format!("{} event {}: a call that no answer names", event.stream, event.seq))
        .collect()
}
