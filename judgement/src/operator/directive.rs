//! The prime directives, in their order. Each is a pure check over the reading, the plan, the contracts and what the
//! database says; the first that fails refuses the message.

use abide_agent::operator::{Conflict, Directive, OperatorReading};
use abide_engine::base::Value;
use abide_engine::contract::{Contract, Contracts, Handler, Risk};

use super::evidence::Evidence;
use super::plan::{PlannedToolCall, RunPlan, reaches_people};

/// Number of unsent messages of a tenant above which the operator adds none: they would leave hours later, and staff
/// must first see why so many wait.
const QUEUED_MAX: u64 = 10_000;

/// What a plan is checked against.
pub struct DirectiveInput<'a> {
    /// The reading of the message.
    pub reading: &'a OperatorReading,
    /// The plan.
    pub plan: &'a RunPlan,
    /// The contracts of the tools.
    pub contracts: &'a Contracts,
    /// What the database says.
    pub evidence: &'a Evidence,
}

/// Returns the first directive that a plan conflicts with.
#[must_use]
pub fn conflict(input: &DirectiveInput<'_>) -> Option<Conflict> {
    Directive::ALL.iter().find_map(|directive| {
        let read = input.reading.conflict.as_ref().filter(|read| read.directive == *directive);
        let reason = match (read, directive) {
            (Some(read), _) => Some(read.reason.clone()),
            (None, Directive::Safety) => unsafe_for_people(input),
            (None, Directive::ContractCorrectness) => against_contract(input),
            (None, Directive::OperationalContinuity) => endangers_operation(input),
            (None, Directive::RevenueFlow) => undoes_revenue(input),
            (None, Directive::BrandIntegrity) => harms_brand(input),
            (None, Directive::UserIntent) => None, // what the text wants is the plan itself
        };
        reason.map(|reason| Conflict { directive: *directive, reason })
    })
}

/// Nobody who has opted out is texted, and no plan texts many people.
fn unsafe_for_people(input: &DirectiveInput<'_>) -> Option<String> {
    if let Some(to) = input.evidence.opted_out.first() {
        return Some(format!("{to} has opted out, so no text may be sent there"));
    }
    let most = input.evidence.recipients_max;
    (input.plan.estimate.messages > most).then(|| {
        let count = input.plan.estimate.messages;
        format!("the plan texts {count} people, and one message may text {most}: use a broadcast")
    })
}

/// Every tool and member exists, no call brings about what is to be avoided, and every record is in a state that its
/// contract allows.
fn against_contract(input: &DirectiveInput<'_>) -> Option<String> {
    if let Some(why) = input.evidence.avoided.first() {
        return Some(why.clone());
    }
    input.plan.calls.iter().find_map(|call| {
        let Some(contract) = input.contracts.get(&call.tool) else {
            return Some(format!("there is no tool `{}`", call.tool));
        };
        let members = contract.input.value().get("properties").and_then(Value::as_object);
        let unknown = call
            .input
            .keys()
            .find(|name| members.is_some_and(|members| !members.contains_key(*name)));
        if let Some(name) = unknown {
            return Some(format!("`{}` has no member `{name}`", call.tool));
        }
        state_refusal(input, call, contract).filter(|_| contract.risk < Risk::T4)
    })
}

/// The tenant's work goes on.
fn endangers_operation(input: &DirectiveInput<'_>) -> Option<String> {
    let evidence = input.evidence;
    let writes = input.plan.estimated_risk > Risk::T0;
    if evidence.paused && writes {
        return Some("everything is paused, so nothing may be started".to_owned());
    }
    if evidence.queued_messages > QUEUED_MAX && input.plan.estimate.messages > 0 {
        let waiting = evidence.queued_messages;
        return Some(format!("{waiting} messages wait already, more than {QUEUED_MAX}"));
    }
    evidence.quarantined.then(|| {
        "an earlier run of the same plan brought the worker down and is in quarantine".to_owned()
    })
}

/// What is paid or promised is not undone.
fn undoes_revenue(input: &DirectiveInput<'_>) -> Option<String> {
    input.plan.calls.iter().find_map(|call| {
        let contract = input.contracts.get(&call.tool).filter(|it| it.risk >= Risk::T4)?;
        state_refusal(input, call, contract)
    })
}

/// What people read says nothing that the tenant does not want said.
fn harms_brand(input: &DirectiveInput<'_>) -> Option<String> {
    let banned = &input.evidence.banned_words;
    input.plan.calls.iter().find_map(|call| {
        let contract = input.contracts.get(&call.tool).filter(|it| reaches_people(it))?;
        let texts = call.input.values().filter_map(Value::as_str);
        let spoken: Vec<String> = texts.flat_map(abide_agent::text::words).collect();
        let found = banned.iter().find(|word| spoken.contains(word))?;
        Some(format!("`{}` would say \"{found}\", which we do not say", contract.name))
    })
}

/// Says why the record that a call changes is not in a state that the contract allows; `None` if it is, or if the
/// contract asks for none.
fn state_refusal(
    input: &DirectiveInput<'_>,
    call: &PlannedToolCall,
    contract: &Contract,
) -> Option<String> {
    let Handler::Data(data) = &contract.handler else { return None };
    let record = input.evidence.records.get(&call.step_id)?;
    if input
        .plan
        .calls
        .iter()
        .take_while(|it| it.step_id != call.step_id)
        .any(|it| changes_too(it, call))
    {
        return None; // the earlier call may bring the record into the state that this one needs
    }
    data.only_if.iter().find_map(|(column, allowed)| {
        let value = record.get(column)?;
        let fits = allowed.0.iter().any(|one| same(one, value));
        (!fits).then(|| {
            let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let what = record_name(contract);
            let has = match column.as_str() {
                "status" => format!("is {shown}"),
                column => format!("has {} {shown}", column.replace('_', " ")),
            };
            format!("this {what} {has}, so {} is not possible", call.tool)
        })
    })
}

/// Whether a value of a contract is the value of a record, whose numbers may be written as text.
fn same(allowed: &Value, value: &Value) -> bool {
    let number = |value: &Value| value.as_f64().or_else(|| value.as_str()?.parse().ok());
    allowed == value || number(allowed).is_some_and(|one| number(value) == Some(one))
}

/// Returns what the records of a tool are called, such as `invoice`.
fn record_name(contract: &Contract) -> &str {
    contract.domain().map_or("record", |domain| domain.trim_end_matches('s'))
}

/// Whether an earlier call works on a record that `call` works on.
fn changes_too(earlier: &PlannedToolCall, call: &PlannedToolCall) -> bool {
    let is_id = |name: &&String| name.ends_with("_id");
    let mut ids = call.input.keys().filter(is_id);
    ids.any(|name| earlier.input.get(name) == call.input.get(name))
}
