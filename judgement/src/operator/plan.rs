//! The plan of layer 2: which calls do what a message asks for, in which order, and what is still missing.
//!
//! A plan follows from the reading of the message, the contracts and the evidence alone, so that the same message
//! gives the same plan everywhere. It names only tools and members that the contracts have.

use std::collections::{BTreeMap, BTreeSet};

use abide_agent::operator::{OperatorDomain, OperatorIntent, OperatorReading, ValueOf, WantedCall};
use abide_engine::base::{ClassificationId, PlanId, Problem, Value};
use abide_engine::contract::{Contract, Contracts, Risk};
use abide_engine::words;
use serde::{Deserialize, Serialize};
use serde_json::Map;
use utoipa::ToSchema;

/// Maximum number of calls of a plan: an inspection with its photos fits, and a person can still read it.
pub(super) const CALLS_MAX: usize = 60;

words! {
    /// What can be done with a plan.
    pub enum PlanStatus {
        /// It can run.
        Ready = "ready",
        /// It must not run: the message was refused, or lacks something.
        Rejected = "rejected",
        /// It runs once a person has approved it.
        AwaitingApproval = "awaiting_approval",
        /// A check of the quality gate other than the approval failed.
        QualityGateFailed = "quality_gate_failed",
    }
}

/// A plan of calls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RunPlan {
    /// Id of the plan.
    pub plan_id: PlanId,
    /// Id of the classification that it follows from.
    pub classification_id: ClassificationId,
    /// What can be done with it.
    pub status: PlanStatus,
    /// The part of the business that it is about.
    #[schema(value_type = String)]
    pub domain: OperatorDomain,
    /// The tools, in the order of their calls.
    pub tool_sequence: Vec<String>,
    /// The calls, with their inputs.
    pub calls: Vec<PlannedToolCall>,
    /// Which call needs which other call before it.
    pub dependencies: Vec<Dependency>,
    /// The highest risk among the calls.
    #[schema(value_type = String)]
    pub estimated_risk: Risk,
    /// Whether a person must approve the plan.
    pub requires_approval: bool,
    /// The members that the calls must have.
    pub required_fields: Vec<String>,
    /// Those that nothing provides.
    pub missing_evidence: Vec<String>,
    /// What the calls name and the database does not have, such as `quote_id abc123`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown_evidence: Vec<String>,
    /// How sure the classification is, from 0 to 1.
    pub confidence: f32,
    /// What the plan costs and sends at most.
    pub estimate: PlanEstimate,
}

/// A call of a plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PlannedToolCall {
    /// Id of the step that makes the call: `c1`, `c2`, …
    pub step_id: String,
    /// Name of the tool.
    pub tool: String,
    /// The input that is known.
    #[schema(value_type = Object)]
    pub input: Map<String, Value>,
    /// The members of the input that results of earlier calls provide: member of the input → step and member, such
    /// as `c1.lead_id`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub from_results: BTreeMap<String, String>,
}

/// A call that needs another call before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Dependency {
    /// The tool that needs the other.
    pub tool: String,
    /// The tool that comes first.
    pub depends_on: String,
    /// Why.
    pub reason: String,
}

/// What a plan costs and sends at most, and the answers that are likely.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PlanEstimate {
    /// Messages to people.
    pub messages: u64,
    /// Money, in the currency of the tenant.
    pub cost: f64,
    /// The answers that are likely; absent if it sends no text, or nobody was asked before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<ExpectedAnswers>,
}

/// The answers that are likely, by how those who were asked have answered before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExpectedAnswers {
    /// Calls of the plan that send a text.
    pub texts: u64,
    /// How many of them are likely to be answered.
    pub answered: u64,
    /// Half of the answers come within this time; absent if nobody has answered yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub half_within: Option<String>,
}

/// The ids of a new plan.
#[derive(Debug, Clone, Copy)]
pub struct PlanIds {
    /// Id of the plan.
    pub plan: PlanId,
    /// Id of the classification that it follows from.
    pub classification: ClassificationId,
}

impl RunPlan {
    /// Plans what a reading asks for. `reading` has the evidence that the database gave. The plan is `ready`,
    /// `awaiting_approval` or `rejected`; the quality gate may still stop it.
    ///
    /// # Errors
    /// `plan_too_long`.
    pub fn of(
        ids: PlanIds,
        reading: &OperatorReading,
        contracts: &Contracts,
    ) -> Result<Self, Problem> {
        if reading.calls.len() > CALLS_MAX {
            let why = format!("a plan has at most {CALLS_MAX} calls, not {}", reading.calls.len());
            return Err(Problem::caller("plan_too_long", why).with_hint("ask for less at a time"));
        }
        let calls = linked(&reading.calls, contracts);
        let known: Vec<&Contract> =
            calls.iter().filter_map(|call| contracts.get(&call.tool)).collect();
        let risk = known.iter().map(|contract| contract.risk_unplanned()).max();
        let risk = risk.unwrap_or(Risk::T0).max(reading.classification.risk_tier);
        let missing = missing(&calls, contracts, &reading.classification.missing_evidence);
        let requires_approval = risk >= Risk::T2;
        let status = match reading.classification.intent {
            OperatorIntent::Execute if missing.is_empty() && !calls.is_empty() => {
                if requires_approval {
                    PlanStatus::AwaitingApproval
                } else {
                    PlanStatus::Ready
                }
            }
            _ => PlanStatus::Rejected,
        };
        let messages = known.iter().filter(|contract| reaches_people(contract)).count();
        Ok(Self {
            plan_id: ids.plan,
            classification_id: ids.classification,
            status,
            domain: reading.classification.domain,
            tool_sequence: calls.iter().map(|call| call.tool.clone()).collect(),
            dependencies: dependencies(&calls),
            estimated_risk: risk,
            requires_approval,
            required_fields: required(&calls, contracts),
            missing_evidence: missing,
            unknown_evidence: Vec::new(),
            confidence: reading.classification.confidence,
            estimate: PlanEstimate { messages: messages as u64, ..PlanEstimate::default() },
            calls,
        })
    }

    /// Returns the goal of the run that carries the plan out.
    #[must_use]
    pub fn goal(&self) -> Value {
        let inputs =
            self.calls.iter().map(|call| (call.step_id.clone(), call.input.clone().into()));
        let id = [("plan_id".to_owned(), Value::String(self.plan_id.to_string()))];
        Value::Object(id.into_iter().chain(inputs).collect())
    }

    /// Whether the plan is one that may run, now or after an approval.
    #[must_use]
    pub const fn is_runnable(&self) -> bool {
        matches!(self.status, PlanStatus::Ready | PlanStatus::AwaitingApproval)
    }
}

impl PlannedToolCall {
    /// Returns the input with a placeholder for each value that an earlier call provides, so that the rest can be
    /// checked against the contract.
    #[must_use]
    pub fn sample(&self) -> Value {
        let provided =
            self.from_results.iter().map(|(member, from)| (member.clone(), from.clone().into()));
        Value::Object(self.input.clone().into_iter().chain(provided).collect())
    }

    fn provides(&self, member: &str) -> bool {
        self.input.contains_key(member) || self.from_results.contains_key(member)
    }
}

/// Numbers the calls, and lets each take from the results of earlier ones what it needs and nothing else provides.
fn linked(wanted: &[WantedCall], contracts: &Contracts) -> Vec<PlannedToolCall> {
    let mut calls: Vec<PlannedToolCall> = Vec::new();
    for (nth, call) in wanted.iter().enumerate() {
        let reference = |from: &ValueOf| format!("{}.{}", step_id(from.call), from.member);
        let refs = call.refs.iter().filter(|(_, from)| from.call < nth);
        let mut planned = PlannedToolCall {
            step_id: step_id(nth),
            tool: call.tool.clone(),
            input: call.input.clone(),
            from_results: refs.map(|(member, from)| (member.clone(), reference(from))).collect(),
        };
        if let Some(contract) = contracts.get(&call.tool) {
            for member in linkable(contract) {
                let earlier = calls.iter().rev().find(|earlier| {
                    contracts.get(&earlier.tool).is_some_and(|it| it.produces.contains(&member))
                });
                let from = earlier.map(|earlier| format!("{}.{member}", earlier.step_id));
                if let Some(from) = from.filter(|_| !planned.provides(&member)) {
                    planned.from_results.insert(member, from);
                }
            }
        }
        calls.push(planned);
    }
    calls
}

/// Returns the members of an input that the result of another call can provide: those that the contract consumes, and
/// other ids.
fn linkable(contract: &Contract) -> BTreeSet<String> {
    let members = contract.input.value().get("properties").and_then(Value::as_object);
    let known = members.into_iter().flatten().map(|(name, _)| name);
    let is_id = |name: &&String| name.ends_with("_id") || contract.consumes.contains(name);
    known.filter(is_id).cloned().collect()
}

fn step_id(nth: usize) -> String {
    format!("c{}", nth + 1)
}

/// Whether a call of a tool reaches people outside.
pub(super) fn reaches_people(contract: &Contract) -> bool {
    contract.sends.is_some() || contract.permissions.iter().any(|it| it.starts_with("send:"))
}

/// Returns the members that a contract requires.
pub(super) fn required_of(contract: &Contract) -> impl Iterator<Item = &str> {
    let required = contract.input.value().get("required").and_then(Value::as_array);
    required.into_iter().flatten().filter_map(Value::as_str)
}

fn required(calls: &[PlannedToolCall], contracts: &Contracts) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let known = calls.iter().filter_map(|call| contracts.get(&call.tool));
    for member in known.flat_map(required_of) {
        if !all.iter().any(|known| known == member) {
            all.push(member.to_owned());
        }
    }
    all
}

/// Returns the required members that nothing provides, in the order of the calls, and what the reader misses besides.
fn missing(calls: &[PlannedToolCall], contracts: &Contracts, read: &[String]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for call in calls {
        let Some(contract) = contracts.get(&call.tool) else { continue };
        for member in required_of(contract) {
            known.insert(member);
            if !call.provides(member) && !all.iter().any(|it| it == member) {
                all.push(member.to_owned());
            }
        }
    }
    all.extend(read.iter().filter(|member| !known.contains(member.as_str())).cloned());
    all
}

/// Says which calls need others before them: those whose results they take, and those that the message names
/// earlier for the same record.
fn dependencies(calls: &[PlannedToolCall]) -> Vec<Dependency> {
    let mut all: Vec<Dependency> = Vec::new();
    for (nth, call) in calls.iter().enumerate() {
        let before = &calls[..nth];
        let tool_of = |step: &str| before.iter().find(|it| it.step_id == step).map(|it| &it.tool);
        let taken = call.from_results.values().filter_map(|from| tool_of(from.split_once('.')?.0));
        let mut found: Vec<Dependency> = taken
            .map(|depends_on| Dependency {
                tool: call.tool.clone(),
                depends_on: depends_on.clone(),
                reason: "Required predecessor".to_owned(),
            })
            .collect();
        let same = before.iter().rev().find_map(|earlier| {
            let shared = call.input.iter().find(|(name, value)| {
                name.ends_with("_id") && earlier.input.get(*name) == Some(value)
            });
            shared.map(|(name, _)| (earlier, name))
        });
        if let Some((earlier, member)) = same.filter(|_| found.is_empty()) {
            found.push(Dependency {
                tool: call.tool.clone(),
                depends_on: earlier.tool.clone(),
                reason: format!("Asked for earlier, for the same {member}"),
            });
        }
        for dependency in found {
            if !all.contains(&dependency) {
                all.push(dependency);
            }
        }
    }
    all
}
