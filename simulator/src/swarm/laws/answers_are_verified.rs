//! Law: an answer says that it is verified only if it is: a tool returned it, the check passed, and its obligation is
//! resolved. An answer about another one rests on that answer, which belongs to the same conversation.

use abide_agent::obligations::ObligationType;
use abide_judgement::data::asked::{AskRow, ObligationStatus};
use abide_judgement::obligations::{Trace, TracedObligation};

use crate::play::TenantEvidence;

/// What a trace says about a check that passed.
const PASSED: &str = "passed";

pub(super) fn law(evidence: &TenantEvidence) -> Vec<String> {
    let asks = &evidence.judgement.stored.asks;
    let mut broken = Vec::new();
    for ask in asks.iter().filter(|ask| ask.answer.is_some()) {
        let Some(trace) = Trace::of(ask) else {
            broken.push(format!("{} is answered without a trace", ask.id));
            continue;
        };
        let reports = trace.obligations.iter().filter(|it| is_of(it, ObligationType::Report));
        for report in reports.filter(|it| it.answer.is_some() && !is_checked(it)) {
            broken.push(format!("{} answers `{}` unchecked: {}", ask.id, ask.text, report.verify));
        }
        if ask.verified && !rests_on_something(evidence, ask, &trace) {
            broken.push(format!("{} `{}` is verified by nothing", ask.id, ask.text));
        }
    }
    broken
}

fn is_of(obligation: &TracedObligation, kind: ObligationType) -> bool {
    obligation.obligation_type == kind.as_str()
}

/// Whether the answer to an obligation was returned by a tool, and its check passed.
fn is_checked(obligation: &TracedObligation) -> bool {
    obligation.status == ObligationStatus::Resolved
        && obligation.verify == PASSED
        && obligation.runs.first().is_some_and(|run| run.status == "succeeded")
}

/// Whether an answer has an obligation that is checked and stored as resolved, or is about another answer of the
/// conversation.
fn rests_on_something(evidence: &TenantEvidence, ask: &AskRow, trace: &Trace) -> bool {
    let stored = &evidence.judgement.stored;
    let is_resolved = stored
        .obligations
        .iter()
        .any(|it| it.ask == ask.id && it.status == ObligationStatus::Resolved);
    let speaks_of_another = trace
        .obligations
        .iter()
        .any(|it| is_of(it, ObligationType::Justify) || is_of(it, ObligationType::Verify));
    is_resolved && trace.obligations.iter().any(is_checked)
        || speaks_of_another && stored.asks.iter().any(|other| is_about(ask, other))
}

/// Whether an answer names a call of another one of its conversation, or says it again. The ids do not tell which of
/// them is the earlier one: the clocks of two nodes differ, and a request is repeated after a crash.
fn is_about(ask: &AskRow, other: &AskRow) -> bool {
    let is_another = other.id != ask.id && other.user == ask.user && other.session == ask.session;
    let (Some(answer), Some(trace)) = (&ask.answer, Trace::of(other)) else { return false };
    let says_again = !trace.answer.is_empty() && answer.contains(&trace.answer);
    let mut calls = trace.obligations.iter().flat_map(|it| &it.runs);
    is_another && (says_again || calls.any(|run| answer.contains(&run.call_id)))
}
