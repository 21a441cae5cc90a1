//! The quality gate: judges a plan of calls before any of them is carried out.
//!
//! Four checks block a plan. The fifth answer advises: it names a tool that does less harm. The gate decides
//! from the contracts and the arguments alone, so the same plan gets the same verdict everywhere.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::base::{Problem, Value};
use crate::contract::{Contract, Contracts, Effect, Risk};

/// The lowest risk at which a call needs the consent of a person.
const RISK_OF_CONSENT: Risk = Risk::T2;

crate::words! {
    /// A check of the quality gate that blocks a plan.
    pub enum QualityCheck {
        /// Every tool exists, and every input fits the schema of its tool.
        SchemaCorrect = "schema_correct",
        /// Every member by which a contract proves a call can exist in a receipt of that tool.
        ProvableByReceipt = "provable_by_receipt",
        /// A worker can carry out every call by itself: no call waits for people.
        WorkerSafe = "worker_safe",
        /// A person has consented to every call that needs it.
        ApprovalObtained = "approval_obtained",
    }
}

/// A call of a plan.
#[derive(Debug, Clone, Copy)]
pub struct PlannedCall<'a> {
    /// Name of the tool.
    pub tool: &'a str,
    /// Arguments of the call.
    pub input: &'a Value,
    /// Whether a person who may has consented to the call.
    pub consented: bool,
}

/// What the quality gate says about a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[expect(clippy::struct_excessive_bools, reason = "the checks are members of the verdict")]
pub struct QualityVerdict {
    /// Whether every tool exists and every input fits the schema of its tool.
    pub schema_correct: bool,
    /// Whether every member by which a contract proves a call can exist in a receipt of that tool.
    pub provable_by_receipt: bool,
    /// Whether a worker can carry out every call by itself.
    pub worker_safe: bool,
    /// Whether a person has consented to every call that needs it.
    pub approval_obtained: bool,
    /// Advice: a tool that does less harm than one of the plan. It blocks nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub safer_alternative: Option<SaferAlternative>,
    /// Each failed check of each call, with the reason.
    pub failures: Vec<FailedCheck>,
}

/// Why a call fails a check of the quality gate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FailedCheck {
    /// The check.
    pub check: QualityCheck,
    /// Name of the tool.
    pub tool: String,
    /// Why the call fails the check.
    pub reason: String,
}

/// A tool that does less harm than a tool of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SaferAlternative {
    /// Name of the tool to use.
    pub tool: String,
    /// Name of the tool of the plan.
    pub instead_of: String,
    /// Why it is safer.
    pub reason: String,
}

/// Judges a plan.
#[must_use]
pub fn judge(contracts: &Contracts, plan: &[PlannedCall<'_>]) -> QualityVerdict {
    let failures: Vec<_> = plan.iter().flat_map(|call| failures_of(contracts, *call)).collect();
    let passed = |check| failures.iter().all(|failure| failure.check != check);
    QualityVerdict {
        schema_correct: passed(QualityCheck::SchemaCorrect),
        provable_by_receipt: passed(QualityCheck::ProvableByReceipt),
        worker_safe: passed(QualityCheck::WorkerSafe),
        approval_obtained: passed(QualityCheck::ApprovalObtained),
        safer_alternative: plan.iter().find_map(|call| safer_than(contracts, call.tool)),
        failures,
    }
}

impl QualityVerdict {
    /// Notes that a person has approved the plan since it was judged.
    pub fn approve(&mut self) {
        self.approval_obtained = true;
        self.failures.retain(|failure| failure.check != QualityCheck::ApprovalObtained);
    }

    /// Returns the refusal of a plan that must not run, even if somebody approves it: a check other than
    /// [`QualityCheck::ApprovalObtained`] failed.
    ///
    /// # Errors
    /// `quality_gate_failed`, with each failed check.
    pub fn check(&self) -> Result<(), Problem> {
        let blocks = |failure: &&FailedCheck| failure.check != QualityCheck::ApprovalObtained;
        let Some(first) = self.failures.iter().find(blocks) else { return Ok(()) };
        let mut message = format!("Status: quality_gate_failed\nReason: {}", first.reason);
        for FailedCheck { check, tool, reason } in &self.failures {
            let _ = write!(message, "\n{}: false (`{tool}`: {reason})", check.label());
        }
        let hint = match &self.safer_alternative {
            Some(safer) => format!("use `{}` instead of `{}`", safer.tool, safer.instead_of),
            None => "correct the contract or the call; `abide tools show NAME` shows the contract"
                .into(),
        };
        Err(Problem::author("quality_gate_failed", message).with_hint(hint))
    }
}

impl QualityCheck {
    /// Returns the name of a check as a line of an answer shows it, such as `Schema correct`.
    #[must_use]
    pub fn label(self) -> String {
        let words = self.as_str().replace('_', " ");
        let (first, rest) = words.split_at(1);
        format!("{}{rest}", first.to_uppercase())
    }
}

fn failures_of(contracts: &Contracts, call: PlannedCall<'_>) -> Vec<FailedCheck> {
    let failed = |check, reason| FailedCheck { check, tool: call.tool.to_owned(), reason };
    let Some(contract) = contracts.get(call.tool) else {
        return vec![failed(QualityCheck::SchemaCorrect, "there is no such tool".to_owned())];
    };
    let mut failures = Vec::new();
    if let Err(problem) = contract.check_args(call.input) {
        failures.push(failed(QualityCheck::SchemaCorrect, problem.message));
    }
    for path in &contract.receipt_fields {
        if !can_exist(contract, path) {
            let reason =
                format!("no receipt can have `{path}`, which the contract names as a proof");
            failures.push(failed(QualityCheck::ProvableByReceipt, reason));
        }
    }
    if contract.waits() {
        let reason = "it waits for people, so only a method can call it".to_owned();
        failures.push(failed(QualityCheck::WorkerSafe, reason));
    }
    let risk = contract.risk_unplanned();
    if risk >= RISK_OF_CONSENT && !call.consented {
        let reason = format!("it has risk {risk}, so a person must approve the call");
        failures.push(failed(QualityCheck::ApprovalObtained, reason));
    }
    failures
}

/// Whether a receipt of a tool can have the member at this path.
fn can_exist(contract: &Contract, path: &str) -> bool {
    let mut parts = path.split('.');
    match parts.next() {
        Some("result") => parts.try_fold(contract.output.value(), member_of).is_some(),
        Some("effects") => parts.next().is_some_and(|effect| has_effect(contract.effect, effect)),
        _ => false,
    }
}

/// Returns the schema of a member; `schema` itself if it says nothing about its members; `None` if a value
/// that fits the schema has no such member by design.
fn member_of<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    let forms =
        ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|key| schema.get(key)?.as_array());
    let mut forms = forms.flatten().peekable();
    match schema.get("properties") {
        Some(members) => {
            let described = members.get(name).filter(|member| **member != Value::Bool(false));
            described.or_else(|| forms.find_map(|form| member_of(form, name)))
        }
        None if forms.peek().is_some() => forms.find_map(|form| member_of(form, name)),
        None => may_be_object(schema).then_some(schema),
    }
}

/// Whether a schema without described members allows an object with members.
fn may_be_object(schema: &Value) -> bool {
    let is_object = match &schema["type"] {
        Value::Null => schema.get("enum").is_none() && *schema != Value::Bool(false),
        Value::Array(kinds) => kinds.iter().any(|kind| kind == "object"),
        kind => kind == "object",
    };
    is_object && schema["additionalProperties"] != Value::Bool(false)
}

/// Whether a receipt of a tool with this effect can list effects of this name.
fn has_effect(effect: Effect, name: &str) -> bool {
    match name {
        "idempotency_hit" => true,
        "db_writes" | "messages_sent" | "files_written" => {
            matches!(effect, Effect::Write | Effect::Wait | Effect::External)
        }
        "external_calls" => effect == Effect::External,
        _ => false,
    }
}

/// Returns the alternative that the contract of a tool names, if it can be called and does less harm.
fn safer_than(contracts: &Contracts, tool: &str) -> Option<SaferAlternative> {
    let contract = contracts.get(tool)?;
    let safer = contracts.get(contract.safer.as_deref()?)?;
    let (risk, less) = (contract.risk_unplanned(), safer.risk_unplanned());
    (safer.is_implemented() && less < risk).then(|| SaferAlternative {
        tool: safer.name.clone(),
        instead_of: tool.to_owned(),
        reason: format!("it has risk {less} instead of {risk}"),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::contract::Contracts;

    /// Tools, each with what its contract says besides the rest.
    const TOOLS: [(&str, &str); 6] = [
        ("look", "effect: read, risk: T0, receipt_fields: [result.dog.name]"),
        (
            "draft",
            "effect: write, risk: T1, receipt_fields: [result.notes.anything, effects.db_writes]",
        ),
        ("sell", "effect: write, risk: T4, irreversible: true, safer: kennel.draft"),
        ("ask", "effect: wait, risk: T1"),
        ("lend", "effect: write, risk: T2, safer: kennel.sell"),
        (
            "wrong",
            "effect: read, risk: T0, receipt_fields: [result.dog.age, result.count.unit, \
             effects.db_writes, effects.miracles]",
        ),
    ];

    fn contracts() -> Contracts {
        let tools = TOOLS.map(|(name, own)| {
            format!(
                "  kennel.{name}: {{ description: Does something with a dog., idempotency: none, \
                 timeout_ms: 1000, {own}, input_schema: {{ type: object, required: [dog], \
                 properties: {{ dog: {{ type: string }} }} }}, output_schema: {{ type: object, \
                 properties: {{ dog: {{ type: object, properties: {{ name: {{ type: string }} }} }}, \
                 notes: {{ anyOf: [{{ type: string }}, {{ type: object }}] }}, \
                 count: {{ type: integer }} }} }} }}\n"
            )
        });
        let (contracts, findings) =
            Contracts::load(&format!("tools:\n{}", tools.concat()), "tools.yaml");
        assert!(findings.is_empty(), "{findings:?}");
        contracts
    }

    fn verdict(tool: &str, consented: bool) -> QualityVerdict {
        let input = json!({ "dog": "Rex" });
        judge(&contracts(), &[PlannedCall { tool, input: &input, consented }])
    }

    fn failed(verdict: &QualityVerdict) -> Vec<&str> {
        verdict.failures.iter().map(|failure| failure.check.as_str()).collect()
    }

    #[test]
    fn a_call_that_keeps_its_contract_passes() {
        for tool in ["kennel.look", "kennel.draft"] {
            let verdict = verdict(tool, false);
            assert_eq!(failed(&verdict), [""; 0], "{tool}: {verdict:?}");
            assert!(verdict.schema_correct && verdict.provable_by_receipt && verdict.worker_safe);
            assert!(verdict.approval_obtained && verdict.check().is_ok());
            assert_eq!(verdict.safer_alternative, None);
        }
        assert_eq!(failed(&judge(&contracts(), &[])), [""; 0], "a plan without calls does no harm");
    }

    #[test]
    fn each_check_fails_for_its_reason() {
        assert_eq!(failed(&verdict("kennel.fly", false)), ["schema_correct"]);
        assert_eq!(failed(&verdict("kennel.ask", false)), ["worker_safe"]);
        let wrong = verdict("kennel.wrong", false);
        assert_eq!(failed(&wrong), ["provable_by_receipt"; 4]);
        assert!(!wrong.provable_by_receipt && wrong.schema_correct);
        let input = json!({});
        let call = PlannedCall { tool: "kennel.look", input: &input, consented: true };
        assert_eq!(failed(&judge(&contracts(), &[call])), ["schema_correct"]);
    }

    #[test]
    fn a_missing_approval_fails_the_plan_but_is_no_refusal() {
        let verdict_of = verdict;
        let verdict = verdict_of("kennel.sell", false);
        assert_eq!(failed(&verdict), ["approval_obtained"]);
        assert!(!verdict.approval_obtained && verdict.check().is_ok());
        assert_eq!(failed(&verdict_of("kennel.sell", true)), [""; 0]);
        let safer = verdict.safer_alternative.expect("a draft");
        assert_eq!((&*safer.tool, &*safer.instead_of), ("kennel.draft", "kennel.sell"));
        assert_eq!(safer.reason, "it has risk T1 instead of T4");
        assert_eq!(verdict_of("kennel.lend", true).safer_alternative, None, "T4 is not safer");
    }

    #[test]
    fn a_refusal_says_the_status_the_reason_and_each_failed_check() {
        let problem = verdict("kennel.ask", false).check().expect_err("is refused");
        assert_eq!(problem.code, "quality_gate_failed");
        assert_eq!(
            problem.message,
            "Status: quality_gate_failed\n\
             Reason: it waits for people, so only a method can call it\n\
             Worker safe: false (`kennel.ask`: it waits for people, so only a method can call it)"
        );
    }

    #[test]
    fn a_verdict_has_the_names_of_the_checks() {
        let verdict = serde_json::to_value(verdict("kennel.sell", false)).expect("JSON");
        for check in QualityCheck::ALL {
            assert!(verdict[check.as_str()].is_boolean(), "{check}");
        }
        assert_eq!(verdict["safer_alternative"]["tool"], "kennel.draft");
        assert_eq!(verdict["failures"][0]["check"], "approval_obtained");
    }
}
