//! Judges a call before it acts, and describes to a person what would happen, if a person must decide first.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::json;

use super::approval::Request;
use super::call::guarded;
use super::context::{Step, no_transaction};
use crate::base::{ApprovalId, Problem, Value, text};
use crate::contract::{Contract, Risk};
use crate::ledger;
use crate::library::Bundle;
use crate::proof::{self, Given, ProofDefinitions};
use crate::run::{ApprovalScope, CallGate, DENIED};
use crate::verb::{CallContext, Proposal, Verb};

/// Maximum length of the arguments in a request for an approval. A person reads them on a phone.
const SHOWN_MAX: usize = 200;

/// Judges a call that has not begun. Returns what to ask a person; `None` if the call may act.
/// Of the contract and the verb, the stricter one counts.
///
/// # Errors
/// `denied` if a person refused the plan of the run.
pub(super) async fn judge(
    step: &mut Step<'_>,
    contract: &Contract,
    verb: &Verb,
    cx: &CallContext<'_>,
    args: &Value,
) -> Result<Option<Request>, Problem> {
    if matches!(verb, Verb::Pure(_)) {
        return Ok(None); // it only computes
    }
    let wanted = step.draft.state.gate(contract);
    if let CallGate::Refused(id) = wanted {
        return Err(refused(contract, id));
    }
    let own = match verb {
        Verb::Write(verb) => {
            let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
            guarded(step.core, contract, verb.proposal(tx, cx, args)).await?
        }
        _ => None,
    };
    let (scope, mut proposal) = match (wanted, own) {
        (_, Some(own)) => (ApprovalScope::Call, own),
        (CallGate::Open | CallGate::Refused(_), None) => return Ok(None),
        (CallGate::Ask(ApprovalScope::Call, risk), None) => {
            (ApprovalScope::Call, of_call(contract, risk, args))
        }
        (CallGate::Ask(ApprovalScope::Run, _), None) => {
            (ApprovalScope::Run, of_run(step, cx).await?)
        }
    };
    if let CallGate::Ask(_, risk) = wanted {
        proposal.risk = proposal.risk.max(risk);
    }
    Ok(Some(Request { scope, proposal }))
}

fn refused(contract: &Contract, approval: ApprovalId) -> Problem {
    let message = format!("the plan of this run was refused, so `{}` may not act", contract.name);
    Problem::caller(DENIED, message)
        .with_detail(approval.to_string())
        .with_hint("catch the code with `on_error`, or start the run again")
}

/// Describes one call.
fn of_call(contract: &Contract, risk: Risk, args: &Value) -> Proposal {
    let what = format!("call {} ({})", contract.name, named(args));
    Proposal {
        reason: format!("`{}` has risk {risk}, so a person must approve the call", contract.name),
        risk,
        args: args.clone(),
        shows: json!({ "what": what, "input": ledger::bounded(args) }),
    }
}

/// Formats arguments as `amount 521.13, method card`.
fn named(args: &Value) -> String {
    let members = args.as_object().into_iter().flatten();
    let shown: Vec<String> = members
        .map(|(name, value)| match value.as_str() {
            Some(text) => format!("{name} {text}"),
            None => format!("{name} {value}"),
        })
        .collect();
    text::shortened(&shown.join(", "), SHOWN_MAX)
}

/// Describes the plan of a run: the calls of risk T2 that its method may make, and what it sends at most.
async fn of_run(step: &mut Step<'_>, cx: &CallContext<'_>) -> Result<Proposal, Problem> {
    let live = step.live;
    let bundles = bundles(step).await?;
    let called = bundles.iter().flat_map(|bundle| bundle.called());
    let tools: BTreeSet<&str> =
        called.filter(|tool| tool.risk == Risk::T2).map(|tool| tool.name.as_str()).collect();
    let given = Given { goal: Some(cx.goal.clone()), ..Given::of(&live.settings) };
    let methods = bundles.iter().map(|bundle| (bundle.graph.method.as_str(), &bundle.graph));
    let definitions = ProofDefinitions {
        contracts: &live.bundle.contracts,
        templates: &live.bundle.templates,
        methods: methods.collect(),
    };
    let proof = proof::prove(&live.bundle.graph, &definitions, &given);
    let figures: BTreeMap<&str, String> =
        proof::figures(&proof).into_iter().map(|figure| (figure.name, figure.value)).collect();
    let method = &live.bundle.graph.method;
    let list = tools.iter().copied().collect::<Vec<_>>().join(", ");
    let what = format!("run {method}, which may call {list}");
    Ok(Proposal {
        reason: format!("`{method}` makes calls of risk T2, so somebody who may must consent once"),
        risk: Risk::T2,
        args: json!({
            "method": method, "version": live.version, "bundle": live.bundle.digest.to_string(),
            "goal": cx.goal, "tools": tools, "at_most": figures,
        }),
        shows: json!({ "what": what, "tools": tools, "at_most": figures }),
    })
}

/// Returns the bundle of the run and the bundles of all methods that its method calls.
async fn bundles(step: &mut Step<'_>) -> Result<Vec<Arc<Bundle>>, Problem> {
    let (core, live) = (step.core, step.live);
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    let mut found = vec![Arc::clone(&live.bundle)];
    let mut next = 0;
    while let Some(bundle) = found.get(next).cloned() {
        for digest in bundle.pins.methods.values() {
            if found.iter().all(|known| known.digest != *digest) {
                found.push(core.bundle(tx, *digest).await?);
            }
        }
        next += 1;
    }
    Ok(found)
}
