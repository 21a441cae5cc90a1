//! Describes a plan of calls from outside to the person who must approve it.

use serde_json::json;

use super::approval::Request;
use super::context::Step;
use super::shown::{cost_of, shown, what};
use crate::base::{Timestamp, Value};
use crate::contract::{Approvers, Contract, Risk};
use crate::expr::{FactCall, Lookup, Scope};
use crate::ledger;
use crate::policy::GateRule;
use crate::run::ApprovalScope;
use crate::verb::Proposal;

/// The member of the goal that says in plain words what the plan would do. The arguments are shown beside it.
const SAYS: &str = "says";

/// Returns what to ask a person about a plan from outside: all its calls, with their arguments. They must be approved
/// by the longest chain that one of them needs.
pub(super) fn request<'a>(step: &Step<'_>, goal: &Value, risk: Risk) -> Request<'a> {
    let bundle = &step.live.bundle;
    let nodes = bundle.graph.nodes.iter();
    let calls: Vec<PlannedCall<'_>> = nodes
        .filter_map(|node| {
            let contract = bundle.contracts.get(node.action_name())?;
            let input = node.call()?.args.known(&GoalScope { goal, now: step.draft.last_at });
            Some(PlannedCall { step_id: &node.step_id, contract, input })
        })
        .collect();
    let asking = calls.iter().filter(|call| call.contract.risk_unplanned() >= Risk::T2);
    let chains = asking.map(|call| call.contract.approver_chain());
    let people = |chain: &Vec<Approvers>| chain.iter().map(|link| link.n).sum::<u32>();
    let approvers = chains.max_by_key(people).unwrap_or_else(Approvers::one_supervisor);
    let whats: Vec<String> = calls.iter().map(|call| what(call.contract, &call.input)).collect();
    let shown: Vec<Value> =
        calls.iter().map(|call| shown(call.step_id, call.contract, &call.input)).collect();
    let args = json!({ "plan_id": goal.get("plan_id"), "calls": shown });
    let cost: f64 = calls.iter().map(|call| cost_of(step, call.contract, &call.input)).sum();
    let says = goal.get(SAYS).and_then(Value::as_str).map(str::to_owned);
    let what = says.unwrap_or_else(|| whats.join(", then "));
    let mut shows = json!({ "what": what, "input": ledger::bounded(&args) });
    if cost > 0.0 {
        shows["cost"] = cost.into();
    }
    let reason = match calls.len() {
        1 => format!("the call has risk {risk}, so a person must approve it"),
        count => format!("the plan has risk {risk}, so a person must approve its {count} calls"),
    };
    let proposal = Proposal { rule: GateRule::Tier, reason, risk, args, shows };
    Request { scope: ApprovalScope::Run, proposal, approvers, then: Vec::new() }
}

/// A call of a plan from outside, as a person is asked about it.
struct PlannedCall<'s> {
    step_id: &'s str,
    contract: &'s Contract,
    input: Value,
}

/// The values that are known before the first call of a plan: its goal.
struct GoalScope<'a> {
    goal: &'a Value,
    now: Timestamp,
}

impl Scope for GoalScope<'_> {
    fn variable(&self, name: &str) -> Lookup<'_> {
        if name == "goal" { Lookup::Found(self.goal) } else { Lookup::NotLoaded }
    }

    fn now(&self) -> Timestamp {
        self.now
    }

    fn fact(&self, _: &FactCall) -> Option<&Value> {
        None
    }
}
