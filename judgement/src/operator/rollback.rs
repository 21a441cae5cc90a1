//! Plans how to make up for what a plan has done: for each call that succeeded, the last first, the call that its
//! contract names.

use abide_agent::operator::{
    IntentClassification, OperatorDomain, OperatorIntent, OperatorReading, Urgency, WantedCall,
};
use abide_engine::base::Value;
use abide_engine::contract::{Contract, Contracts, Risk};
use serde_json::Map;

use super::plan::{RunPlan, required_of};

/// Reads an order to make up for a plan as the calls that do it. A call that nothing makes up for is missing evidence.
#[must_use]
pub fn rollback(plan: &RunPlan, receipts: &[Value], contracts: &Contracts) -> OperatorReading {
    let mut calls: Vec<WantedCall> = Vec::new();
    let mut missing: Vec<String> = Vec::new();
    for receipt in receipts.iter().rev().filter(|receipt| receipt["status"] == "succeeded") {
        let tool = receipt["tool"].as_str().unwrap_or_default();
        let Some(contract) = contracts.get(tool).filter(|contract| contract.risk > Risk::T0) else {
            continue; // it has only read
        };
        let named = contract.compensated_by.as_deref().and_then(|name| contracts.get(name));
        match named.and_then(|undoing| call(undoing, receipt)) {
            Some(call) => calls.push(call),
            None => missing.push(format!("a tool that makes up for {tool}")),
        }
    }
    let risk = calls.iter().filter_map(|call| contracts.get(&call.tool));
    let risk = risk.map(Contract::risk_unplanned).max().unwrap_or(Risk::T0);
    let is_clear = missing.is_empty() && !calls.is_empty();
    OperatorReading {
        classification: IntentClassification {
            intent: if is_clear { OperatorIntent::Execute } else { OperatorIntent::Clarify },
            domain: calls.first().map_or(plan.domain, |call| OperatorDomain::of_tool(&call.tool)),
            urgency: Urgency::High,
            tool_candidates: calls.iter().map(|call| call.tool.clone()).collect(),
            required_fields: Vec::new(),
            missing_evidence: missing,
            risk_tier: risk,
            risk_reason: "it makes up for what a plan has done".to_owned(),
            confidence: 1.0,
            reasoning: format!("makes up for {}", plan.plan_id),
        },
        calls,
        conflict: None,
        slots: Map::new(),
        is_proposed: false,
    }
}

/// Returns the call that makes up for the call of a receipt; `None` if its input cannot be found there.
fn call(undoing: &Contract, receipt: &Value) -> Option<WantedCall> {
    let found = |name: &str| {
        let result = receipt["result"].get(name).or_else(|| receipt["input"].get(name));
        result.filter(|value| !value.is_null()).cloned()
    };
    let members = required_of(undoing).map(|name| Some((name.to_owned(), found(name)?)));
    let input = members.collect::<Option<Map<String, Value>>>()?;
    Some(WantedCall { tool: undoing.name.clone(), input, ..WantedCall::default() })
}
