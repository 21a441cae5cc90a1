//! Finds the calls that a request for an approval covers beside its own: those that follow it directly, need the
//! same approval, and have arguments that are known already. A person then decides once about what belongs
//! together, such as closing an invoice and sending it.

use std::collections::BTreeSet;

use super::call::contract;
use super::context::Step;
use super::load;
use crate::base::{Digest, Problem, Value};
use crate::contract::{Contract, Handler, Risk};
use crate::expr;
use crate::method::Node;
use crate::run::{CallGate, FrozenCall, args_of};
use crate::verb::Verb;

/// The only risk whose calls are approved together: T2 needs one consent for the whole run, and what cannot be
/// undone (T4) is decided about by itself.
const RISK: Risk = Risk::T3;

/// A call that comes after the one that asks, with the arguments that it will have.
pub(super) struct CallAhead<'a> {
    pub(super) node: &'a Node,
    pub(super) contract: &'a Contract,
    pub(super) args: Value,
}

impl CallAhead<'_> {
    /// Returns the call as an approval covers it, if its arguments are stored under the digest `args`.
    pub(super) fn frozen(&self, args: Digest) -> FrozenCall {
        FrozenCall { step_id: self.node.step_id.clone(), args, risk: RISK }
    }
}

/// Returns the calls that can be approved together with the current call, in their order.
pub(super) async fn calls_ahead<'a>(
    step: &mut Step<'a>,
    asking: &Contract,
    gate: CallGate,
) -> Result<Vec<CallAhead<'a>>, Problem> {
    let mut ahead = Vec::new();
    if !matches!(gate, CallGate::Ask(_, RISK)) {
        return Ok(ahead);
    }
    let graph = &step.live.bundle.graph;
    let mut bound: BTreeSet<&str> = BTreeSet::new();
    let current = step.draft.state.node(graph);
    bound.extend(current.into_iter().flat_map(binds));
    for node in step.draft.state.calls_after(graph) {
        let Ok(contract) = contract(step, node) else { break };
        if !needs_the_same(step, contract, asking) || reads(node, &bound) {
            break;
        }
        let state = step.draft.state.clone();
        let mut scope = load::scope(step);
        let args =
            load::evaluated(step, &mut scope, |scope| args_of(graph, &state, node, node, scope));
        let Ok(args) = args.await? else { break }; // they cannot be known now
        if contract.check_args(&args).is_err() {
            break; // the call will fail, and say so, when its turn comes
        }
        bound.extend(binds(node));
        ahead.push(CallAhead { node, contract, args });
    }
    Ok(ahead)
}

/// Whether a call needs an approval by the same people as the call that asks, and acts.
fn needs_the_same(step: &Step<'_>, contract: &Contract, asking: &Contract) -> bool {
    let acts = !matches!(step.core.verbs.of(contract), None | Some(Verb::Pure(_)));
    let configured = !matches!(contract.handler, Handler::NotConfigured(_));
    let same = contract.approver_chain() == asking.approver_chain();
    contract.risk == RISK && acts && configured && same
}

/// Returns the variables that a call binds.
fn binds(node: &Node) -> impl Iterator<Item = &str> {
    node.out().into_iter().chain(node.implies())
}

/// Whether the arguments of a call depend on the result of a call before it, or on the state of the request.
fn reads(node: &Node, bound: &BTreeSet<&str>) -> bool {
    let mut depends = false;
    if let Some(call) = node.call() {
        call.args.each_expr(&mut |expr| {
            depends |=
                expr::variables(expr).iter().any(|name| name == "req" || bound.contains(&**name));
        });
    }
    depends
}
