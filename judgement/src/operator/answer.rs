//! The structured answer: the five headings, in which every answer of the operator is written.

use std::fmt::Write as _;

use abide_agent::operator::{Conflict, IntentClassification, OperatorIntent};
use abide_engine::base::{ApprovalId, Value};
use abide_engine::contract::{Contract, Contracts, Effect};
use abide_engine::quality::{QualityCheck, QualityVerdict};

use super::plan::{ExpectedAnswers, PlanStatus, PlannedToolCall, RunPlan};
use super::verification::Verification;

/// What an empty section says.
const NONE: &str = "none";
/// Maximum number of characters of a value in a line of an answer; the plan itself has the whole value.
const VALUE_CHARS_MAX: usize = 80;

/// What an answer is written from.
pub struct AnswerParts<'a> {
    /// The classification.
    pub classification: &'a IntentClassification,
    /// The plan.
    pub plan: &'a RunPlan,
    /// What the quality gate says.
    pub quality: &'a QualityVerdict,
    /// The directive that refuses the plan.
    pub conflict: Option<&'a Conflict>,
    /// The contracts of the tools.
    pub contracts: &'a Contracts,
    /// The queries that show what a run has changed; only in the mode that plans.
    pub verification: &'a [Verification],
    /// What has run.
    pub progress: &'a RunProgress,
}

/// How far the run of a plan has got.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunProgress {
    /// The id and the status of the run, if there is one.
    pub run: Option<StartedRun>,
    /// The approval that the run waits for.
    pub approval: Option<ApprovalId>,
    /// The receipts, in the order of the calls.
    pub receipts: Vec<Value>,
}

/// A run that carries a plan out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartedRun {
    /// Id of the run.
    pub id: String,
    /// Its status.
    pub status: String,
}

/// Writes an answer.
#[must_use]
pub fn answer(parts: &AnswerParts<'_>) -> String {
    let (heading, result) = plan_or_result(parts);
    let sections = [
        ("INTENT", intent(parts)),
        (heading, result),
        ("TOOL IMPACT", impact(parts)),
        ("RISKS / GATES", risks(parts)),
        ("NEXT ACTIONS", next_actions(parts)),
    ];
    let section = |(heading, body): (&str, String)| {
        let body = body.trim_end();
        format!("[{heading}]\n{}\n", if body.is_empty() { NONE } else { body })
    };
    sections.map(section).join("\n")
}

fn intent(parts: &AnswerParts<'_>) -> String {
    let of = parts.classification;
    let reasoning = match (parts.conflict, of.intent) {
        (Some(conflict), _) => format!("Directive conflict - {}", conflict.reason),
        (None, OperatorIntent::Clarify) if !parts.plan.missing_evidence.is_empty() => {
            "Insufficient evidence to proceed".to_owned()
        }
        _ => of.reasoning.clone(),
    };
    let intent = if parts.conflict.is_some() { OperatorIntent::Refuse } else { of.intent };
    format!(
        "Domain: {}\nIntent: {}\nConfidence: {:.0}%\nReasoning: {reasoning}",
        of.domain.as_str(),
        intent.as_str(),
        of.confidence * 100.0,
    )
}

/// Returns the plan if nothing has run, and otherwise the result.
fn plan_or_result(parts: &AnswerParts<'_>) -> (&'static str, String) {
    let receipts = &parts.progress.receipts;
    match &parts.progress.run {
        Some(run) if parts.progress.approval.is_none() => {
            let mut text =
                format!("Plan: {}\nRun: {}\nStatus: {}\n", parts.plan.plan_id, run.id, run.status);
            for (nth, receipt) in receipts.iter().enumerate() {
                let _ = writeln!(text, "  {}. {}", nth + 1, receipt_line(receipt));
            }
            let left = parts.plan.calls.len().saturating_sub(receipts.len());
            if left > 0 {
                let _ = writeln!(text, "Calls without a receipt: {left}");
            }
            ("RESULT", text)
        }
        _ => ("PLAN", plan(parts)),
    }
}

fn plan(parts: &AnswerParts<'_>) -> String {
    let plan = parts.plan;
    if plan.status == PlanStatus::QualityGateFailed {
        return format!("Status: {}\nReason: {}", plan.status.as_str(), gate_reason(parts.quality));
    }
    if plan.calls.is_empty() {
        return format!("Status: {}", plan.status.as_str());
    }
    let mut text = format!("Plan: {}\nStatus: {}\n", plan.plan_id, plan.status.as_str());
    for (nth, call) in plan.calls.iter().enumerate() {
        let _ = writeln!(text, "  {}. {}{}", nth + 1, call.tool, inputs(call));
    }
    for dependency in &plan.dependencies {
        let _ = writeln!(
            text,
            "{} depends on {}: {}",
            dependency.tool, dependency.depends_on, dependency.reason
        );
    }
    let _ = writeln!(
        text,
        "At most: {} messages, cost {:.2}",
        plan.estimate.messages, plan.estimate.cost
    );
    if let Some(expected) = &plan.estimate.answers {
        let _ = writeln!(text, "{}", expected_line(expected));
    }
    for verification in parts.verification {
        let _ = writeln!(text, "Verify {}: {}", verification.tool, verification.sql);
    }
    text
}

/// Says how many texts are likely to be answered: `Likely: 2 of 3 texts answered, half of the answers within 50m`.
fn expected_line(expected: &ExpectedAnswers) -> String {
    let ExpectedAnswers { texts, answered, half_within } = expected;
    let texts = if *texts == 1 { "1 text".to_owned() } else { format!("{texts} texts") };
    let half = half_within.as_ref().map(|half| format!(", half of the answers within {half}"));
    format!("Likely: {answered} of {texts} answered{}", half.unwrap_or_default())
}

fn inputs(call: &PlannedToolCall) -> String {
    let known = call.input.iter().map(|(name, value)| format!("{name} {}", shown(value)));
    let taken = call.from_results.iter().map(|(name, from)| format!("{name} from {from}"));
    let all: Vec<String> = known.chain(taken).collect();
    if all.is_empty() { String::new() } else { format!(" ({})", all.join(", ")) }
}

fn shown(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    abide_engine::base::text::shortened(&text.replace('\n', " "), VALUE_CHARS_MAX)
}

fn receipt_line(receipt: &Value) -> String {
    let text = |name: &str| receipt.get(name).and_then(Value::as_str).unwrap_or_default();
    let mut line = format!("{}: {}", text("tool"), text("status"));
    let ids = receipt.get("result").and_then(Value::as_object).into_iter().flatten();
    for (name, value) in ids.filter(|(name, value)| name.ends_with("_id") && value.is_string()) {
        let _ = write!(line, ", {name} {}", shown(value));
    }
    if let Some(error) = receipt.get("error").filter(|error| error.is_object()) {
        let part = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
        let _ = write!(line, ", {}: {}", part("code"), part("message"));
    }
    let _ = write!(line, " (receipt {})", text("id"));
    line
}

fn impact(parts: &AnswerParts<'_>) -> String {
    let tools = match parts.plan.tool_sequence.is_empty() {
        true => &parts.classification.tool_candidates,
        false => &parts.plan.tool_sequence,
    };
    let mut seen: Vec<&String> = Vec::new();
    let mut text = String::new();
    for tool in tools {
        if seen.contains(&tool) {
            continue;
        }
        seen.push(tool);
        let times = tools.iter().filter(|other| *other == tool).count();
        let times = if times > 1 { format!(", {times} times") } else { String::new() };
        let _ = match parts.contracts.get(tool) {
            Some(it) => writeln!(text, "{tool}: {}, {}{times}", it.risk_unplanned(), acts(it)),
            None => writeln!(text, "{tool}: unknown"),
        };
    }
    text
}

fn acts(contract: &Contract) -> &'static str {
    match contract.effect {
        Effect::Pure => "computes only",
        Effect::Read => "reads only",
        Effect::Write => "changes records",
        Effect::Wait => "waits for people",
        Effect::External => "acts outside",
    }
}

fn risks(parts: &AnswerParts<'_>) -> String {
    let plan = parts.plan;
    let mut text = String::new();
    if let Some(conflict) = parts.conflict {
        let _ = writeln!(
            text,
            "Conflicting directive: {}\nSeverity: blocking",
            conflict.directive.as_str()
        );
    }
    if plan.status == PlanStatus::QualityGateFailed {
        let mut failed: Vec<QualityCheck> = Vec::new();
        for failure in &parts.quality.failures {
            if failure.check != QualityCheck::ApprovalObtained && !failed.contains(&failure.check) {
                failed.push(failure.check);
                let _ = writeln!(text, "{}: false", failure.check.label());
            }
        }
    }
    let _ = writeln!(text, "Risk tier: {}", plan.estimated_risk);
    let approval = match (plan.requires_approval, parts.progress.approval) {
        (false, _) => "no",
        (true, Some(_)) => "yes, not given yet",
        (true, None) if parts.progress.run.is_some() => "yes, given",
        (true, None) => "yes",
    };
    let _ = writeln!(text, "Approval required: {approval}");
    let _ = writeln!(text, "Risk reason: {}", parts.classification.risk_reason);
    if !plan.unknown_evidence.is_empty() {
        let _ = writeln!(text, "Not found: {}", plan.unknown_evidence.join(", "));
    }
    if let Some(safer) = &parts.quality.safer_alternative {
        let _ = writeln!(
            text,
            "Safer alternative: {} instead of {}: {}",
            safer.tool, safer.instead_of, safer.reason
        );
    }
    text
}

fn next_actions(parts: &AnswerParts<'_>) -> String {
    let actions = actions(parts);
    let mut text = String::new();
    for (nth, action) in actions.iter().enumerate() {
        let _ = writeln!(text, "  {}. {action}", nth + 1);
    }
    text
}

fn actions(parts: &AnswerParts<'_>) -> Vec<String> {
    let plan = parts.plan;
    if parts.conflict.is_some() || parts.classification.intent == OperatorIntent::Refuse {
        return vec!["Ask for something that the directive allows".to_owned()];
    }
    if !plan.missing_evidence.is_empty() {
        return vec![format!("Provide missing: {}", plan.missing_evidence.join(", "))];
    }
    if parts.classification.intent == OperatorIntent::Clarify {
        return vec!["Say which record and what to do with it".to_owned()];
    }
    if let Some(id) = parts.progress.approval {
        return vec![format!("APPROVE: {id}")];
    }
    match plan.status {
        PlanStatus::QualityGateFailed => {
            vec!["Correct the contract or the call: `abide tools show NAME`".to_owned()]
        }
        _ if parts.progress.run.is_none() => {
            let how =
                if plan.requires_approval { "--mode execute --approve" } else { "--mode execute" };
            vec![format!("Run it with {how}")]
        }
        _ => result_actions(parts),
    }
}

fn result_actions(parts: &AnswerParts<'_>) -> Vec<String> {
    let run = parts.progress.run.as_ref();
    let (id, status) = run.map(|run| (&*run.id, &*run.status)).unwrap_or_default();
    let failed = |receipt: &&Value| receipt.get("status").is_some_and(|it| it != "succeeded");
    match status {
        "completed" => Vec::new(),
        "failed" => {
            let receipt = parts.progress.receipts.iter().find(failed);
            let hint = receipt.and_then(|it| it.get("error")?.get("hint")?.as_str());
            let hint = hint.map(|hint| format!("Remedy: {hint}"));
            vec![hint.unwrap_or_else(|| format!("See why: abide run show {id}"))]
        }
        _ => vec![format!("Watch it: abide logs --follow --run {id}")],
    }
}

/// Says in the words of the operator why the quality gate stops a plan.
fn gate_reason(quality: &QualityVerdict) -> String {
    let failure = quality.failures.iter().find(|it| it.check != QualityCheck::ApprovalObtained);
    let Some(failure) = failure else { return NONE.to_owned() };
    match failure.check {
        QualityCheck::SchemaCorrect => {
            format!("Schema validation failed for tool {}\n{}", failure.tool, failure.reason)
        }
        _ => format!("Tool {}: {}", failure.tool, failure.reason),
    }
}
