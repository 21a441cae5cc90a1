//! Judges a call before it acts, and describes to a person what would happen, if a person must decide first.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::json;

use super::approval::Request;
use super::call::{CallParts, guarded};
use super::context::{Step, no_transaction};
use super::joint::{CallAhead, calls_ahead};
use super::outside_plan::request as plan_request;
use super::shown::{cost_of, shown, what};
use crate::base::{ApprovalId, Problem, Value};
use crate::contract::{Approvers, Contract, Risk};
use crate::expr;
use crate::ledger::{self, EventKind};
use crate::library::Bundle;
use crate::method::{Node, StepAction};
use crate::policy::{self, GateRule, PolicyDecision, PolicyVerdict, RuleVerdict};
use crate::proof::{self, Given, ProofDefinitions};
use crate::run::{ApprovalScope, CallGate, DENIED, PlanOrigin};
use crate::verb::{CallContext, Proposal, Verb};

/// Risk of a call for which a rule other than its tier asks.
const RISK_OF_RULES: Risk = Risk::T3;
/// Risk of a call that can reach nobody: it only records that it was made.
const RISK_WITHOUT_EFFECT: Risk = Risk::T1;

/// Judges a call that has not begun, by all rules. Returns what to ask a person; `None` if the call may act.
///
/// # Errors
/// `denied` if a person refused the plan of the run.
pub(super) async fn judge<'a>(
    step: &mut Step<'a>,
    contract: &Contract,
    verb: &Verb,
    cx: &CallContext<'_>,
    args: &Value,
) -> Result<Option<Request<'a>>, Problem> {
    if matches!(verb, Verb::Pure(_)) {
        return Ok(None); // it only computes
    }
    let gate = step.draft.state.gate(contract);
    if let CallGate::Refused(id) = gate {
        return Err(refused(contract, id));
    }
    let tier = RuleVerdict { rule: GateRule::Tier, verdict: tier(contract, gate) };
    if cx.approved {
        note(step, contract, &[tier]); // the caller from outside has approved exactly this call
        return Ok(None);
    }
    let own = match verb {
        Verb::Write(verb) => {
            let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
            let asks = matches!(gate, CallGate::Ask(ApprovalScope::Call, _));
            if asks && guarded(step.core, contract, verb.reaches_nobody(tx, cx, args)).await? {
                step.judged_risk = Some(RISK_WITHOUT_EFFECT);
                let tier = RuleVerdict { rule: GateRule::Tier, verdict: PolicyVerdict::allow() };
                note(step, contract, &[tier]);
                return Ok(None);
            }
            guarded(step.core, contract, verb.proposal(tx, cx, args)).await?
        }
        _ => None,
    };
    let mut verdicts = vec![tier];
    if let Some(own) = &own {
        let reason = Problem::caller("approval_required", own.reason.clone());
        verdicts.push(RuleVerdict { rule: own.rule, verdict: PolicyVerdict::ask(reason) });
    }
    let cost = cost_of(step, contract, args);
    verdicts.extend(of_plan(step, contract, cost));
    note(step, contract, &verdicts);
    Box::pin(request(step, cx, Judged { contract, gate, verdicts, own, args, cost })).await
}

/// A call, with what all rules say about it.
struct Judged<'a> {
    contract: &'a Contract,
    gate: CallGate,
    verdicts: Vec<RuleVerdict>,
    /// What the verb proposes, if the verb itself says that the call needs an approval.
    own: Option<Proposal>,
    args: &'a Value,
    /// What the call costs at most, in the currency of the tenant.
    cost: f64,
}

/// Returns what to ask a person about a call; `None` if no rule asks. A rule that asks for an approval of the
/// call is stricter than the tier that asks for a consent to the run.
async fn request<'a>(
    step: &mut Step<'a>,
    cx: &CallContext<'_>,
    judged: Judged<'_>,
) -> Result<Option<Request<'a>>, Problem> {
    let Judged { contract, gate, verdicts, own, args, cost } = judged;
    let asking: Vec<&RuleVerdict> = verdicts
        .iter()
        .filter(|it| it.rule != GateRule::Tier && it.verdict.decision == PolicyDecision::Ask)
        .collect();
    let own_risk = if asking.is_empty() { Risk::T0 } else { RISK_OF_RULES };
    let (scope, risk) = match gate {
        CallGate::Ask(ApprovalScope::Run, risk) if asking.is_empty() => (ApprovalScope::Run, risk),
        CallGate::Ask(_, risk) => (ApprovalScope::Call, risk.max(own_risk)),
        CallGate::Open | CallGate::Refused(_) if asking.is_empty() => return Ok(None),
        CallGate::Open | CallGate::Refused(_) => (ApprovalScope::Call, own_risk),
    };
    if scope == ApprovalScope::Run && step.draft.state.outside_plan.is_some() {
        return Ok(Some(plan_request(step, cx.goal, risk)));
    }
    if scope == ApprovalScope::Run {
        let approvers = Approvers::one_supervisor();
        let (proposal, then) = (of_run(step, cx.goal).await?, Vec::new());
        return Ok(Some(Request { scope, proposal, approvers, then }));
    }
    let then = match &own {
        None => calls_ahead(step, contract, gate).await?,
        Some(_) => Vec::new(), // its recipients depend on what is known when it begins
    };
    let mut proposal = own.unwrap_or_else(|| of_call(contract, risk, args));
    proposal.risk = proposal.risk.max(risk);
    let reasons: Vec<&str> = asking
        .iter()
        .filter_map(|it| it.verdict.reason.as_ref())
        .map(|reason| &*reason.message)
        .collect();
    if !reasons.is_empty() {
        proposal.reason = reasons.join("; ");
    }
    let cost = cost + then.iter().map(|call| cost_of(step, call.contract, &call.args)).sum::<f64>();
    if cost > 0.0 {
        proposal.shows["cost"] = cost.into();
    }
    add_calls(&mut proposal, cx, &then);
    Ok(Some(Request { scope, proposal, approvers: contract.approver_chain(), then }))
}

/// Adds to what a person is asked about the calls that the same approval is to cover.
fn add_calls(proposal: &mut Proposal, cx: &CallContext<'_>, then: &[CallAhead<'_>]) {
    if then.is_empty() {
        return;
    }
    let first = shown(cx.step_id, cx.contract, &proposal.args);
    let calls = then.iter().map(|call| shown(&call.node.step_id, call.contract, &call.args));
    let calls = std::iter::once(first).chain(calls);
    proposal.args = json!({ "calls": calls.collect::<Vec<Value>>() });
    let first = proposal.shows["what"].as_str().unwrap_or_default();
    let whats = then.iter().map(|call| what(call.contract, &call.args));
    let whats: Vec<String> = std::iter::once(first.to_owned()).chain(whats).collect();
    proposal.shows["what"] = whats.join(", then ").into();
    proposal.shows["input"] = ledger::bounded(&proposal.args);
    proposal.reason = format!("{}; it covers {} calls together", proposal.reason, whats.len());
}

/// Says as a verdict what the gate says.
fn tier(contract: &Contract, gate: CallGate) -> PolicyVerdict {
    let reason = |what: String| Problem::caller("approval_required", what);
    match gate {
        CallGate::Open => PolicyVerdict::allow(),
        CallGate::Ask(ApprovalScope::Run, _) => {
            PolicyVerdict::ask(reason("the run needs a consent to its plan".to_owned()))
        }
        CallGate::Ask(ApprovalScope::Call, risk) => {
            PolicyVerdict::ask(reason(format!("`{}` has risk {risk}", contract.name)))
        }
        CallGate::Refused(id) => PolicyVerdict::deny(refused(contract, id)),
    }
}

/// Applies the rules that look at what the call would do, and not at its tool alone.
fn of_plan(step: &Step<'_>, contract: &Contract, cost: f64) -> Vec<RuleVerdict> {
    let mut verdicts = Vec::new();
    if cost > 0.0 {
        let verdict = policy::spend(cost, step.live.settings.spend_approval_over);
        verdicts.push(RuleVerdict { rule: GateRule::Spend, verdict });
    }
    if contract.sends.is_some() {
        let cited = cited(step);
        let verdict = policy::stale_fact(cited.iter().map(|value| &**value));
        if verdict.decision != PolicyDecision::Allow {
            verdicts.push(RuleVerdict { rule: GateRule::StaleFact, verdict });
        }
    }
    verdicts
}

/// Returns the values of the variables that the arguments of the current step read, as far as they are in
/// memory: the arguments have just been evaluated from them.
fn cited(step: &Step<'_>) -> Vec<Arc<Value>> {
    let Some(call) = step.draft.state.node(&step.live.bundle.graph).and_then(Node::call) else {
        return Vec::new();
    };
    let mut names = BTreeSet::new();
    call.args.each_expr(&mut |expr| names.extend(expr::variables(expr)));
    let known = |name: &String| {
        let assigned = step.draft.assigned.iter().rfind(|(known, _)| known == name);
        let assigned = assigned.map(|(_, value)| Arc::new(value.clone()));
        let loaded = || step.draft.loaded.get(name).cloned().flatten();
        let held = || step.live.vars.get(name).cloned().flatten();
        assigned.or_else(loaded).or_else(held)
    };
    names.iter().filter_map(known).collect()
}

/// Records what the rules say, unless the call is one of everyday risk that all rules allow.
fn note(step: &mut Step<'_>, contract: &Contract, verdicts: &[RuleVerdict]) {
    let decision = verdicts.iter().map(|it| it.verdict.decision).max().unwrap_or_default();
    if decision == PolicyDecision::Allow && contract.risk < Risk::T2 {
        return;
    }
    let Some(step_id) = step.draft.state.node(&step.live.bundle.graph).map(|node| &node.step_id)
    else {
        return;
    };
    let rules: Vec<Value> = verdicts.iter().map(RuleVerdict::to_value).collect();
    let body = json!({
        "step_id": step_id, "tool": contract.name, "decision": decision.as_str(), "rules": rules,
    });
    step.event(EventKind::CallJudged, body);
}

fn refused(contract: &Contract, approval: ApprovalId) -> Problem {
    let message = format!("the plan of this run was refused, so `{}` may not act", contract.name);
    Problem::caller(DENIED, message)
        .with_detail(approval.to_string())
        .with_hint("catch the code with `on_error`, or start the run again")
}

/// Describes one call.
fn of_call(contract: &Contract, risk: Risk, args: &Value) -> Proposal {
    Proposal {
        rule: GateRule::Tier,
        reason: format!("`{}` has risk {risk}, so a person must approve the call", contract.name),
        risk,
        args: args.clone(),
        shows: json!({ "what": what(contract, args), "input": ledger::bounded(args) }),
    }
}

/// Describes the plan of a run: the calls of risk T2 that its method may make, and what it sends at most.
async fn of_run(step: &mut Step<'_>, goal: &Value) -> Result<Proposal, Problem> {
    let live = step.live;
    let bundles = called_from(step, Arc::clone(&live.bundle)).await?;
    let called = bundles.iter().flat_map(|bundle| bundle.called());
    let tools: BTreeSet<&str> =
        called.filter(|tool| tool.risk == Risk::T2).map(|tool| tool.name.as_str()).collect();
    let given = Given { goal: Some(goal.clone()), ..Given::of(&live.settings) };
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
    let reason = match step.draft.state.plan_origin {
        PlanOrigin::Complex => {
            format!("the plan `{method}` is complex, so a supervisor must consent once")
        }
        _ => format!("`{method}` makes calls of risk T2, so somebody who may must consent once"),
    };
    Ok(Proposal {
        rule: GateRule::Tier,
        reason,
        risk: Risk::T2,
        args: json!({
            "method": method, "version": live.version, "bundle": live.bundle.digest.to_string(),
            "goal": goal, "tools": tools, "at_most": figures,
        }),
        shows: json!({ "what": what, "tools": tools, "at_most": figures }),
    })
}

/// Returns the bundle `first`, and the bundles of all methods that its method calls.
async fn called_from(step: &mut Step<'_>, first: Arc<Bundle>) -> Result<Vec<Arc<Bundle>>, Problem> {
    let core = step.core;
    let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
    let mut found = vec![first];
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

/// Returns what to ask a person before a step starts child runs: the consent to the run, if nobody has decided
/// about it and a child run may make a call of risk T2. Otherwise each child run would ask for itself.
pub(super) async fn plan_of_children<'a>(
    step: &mut Step<'a>,
    node: &Node,
) -> Result<Option<Request<'a>>, Problem> {
    if !step.draft.state.asks_for_consent() {
        return Ok(None);
    }
    let complex = step.draft.state.plan_origin == PlanOrigin::Complex;
    if !complex && !has_t2_within(step, node).await? {
        return Ok(None);
    }
    let parts = CallParts::load(step).await?;
    let (scope, approvers) = (ApprovalScope::Run, Approvers::one_supervisor());
    let proposal = of_run(step, parts.goal()).await?;
    Ok(Some(Request { scope, proposal, approvers, then: Vec::new() }))
}

/// Whether a step, the steps inside it or the methods that these call make calls of risk T2.
async fn has_t2_within(step: &mut Step<'_>, node: &Node) -> Result<bool, Problem> {
    let (core, live) = (step.core, step.live);
    let inside = format!("{}/", node.key);
    let nodes = live.bundle.graph.nodes.iter();
    let mut methods = BTreeSet::new();
    for node in nodes.filter(|other| other.key == node.key || other.key.starts_with(&inside)) {
        match &node.action {
            StepAction::Call(call) => {
                let contract = live.bundle.contracts.get(&call.verb);
                if contract.is_some_and(|contract| contract.risk == Risk::T2) {
                    return Ok(true);
                }
            }
            StepAction::Method(called) => drop(methods.insert(&called.method)),
            _ => {}
        }
    }
    for method in methods {
        let tx = step.tx.as_deref_mut().ok_or_else(no_transaction)?;
        let bundle = core.child_bundle(tx, &live.bundle, method).await?;
        let bundles = called_from(step, bundle).await?;
        if bundles.iter().flat_map(|one| one.called()).any(|tool| tool.risk == Risk::T2) {
            return Ok(true);
        }
    }
    Ok(false)
}
