//! Decides what to do with a text: execute its calls, refuse them, or ask back.

use abide_language::contract::{Contracts, Risk};

use super::command::{Command, Commands};
use super::intents::{REFUSE, SMALLTALK, ScoredIntent, is_idle};
use super::reading::{Conflict, IntentClassification, WantedCall};
use super::refusal::{Reach, Refusal};
use super::terms::{Directive, OperatorDomain, OperatorIntent, Urgency};

/// A command with a lower probability is asked about: one that only reads, one that changes our own records, and one that
/// others notice.
const SURE_TO_READ_FROM: f32 = 0.4;
const SURE_FROM: f32 = 0.45;
const SURE_TO_ACT_FROM: f32 = 0.5;
/// A rival with this share of the probability of the best, and with another risk, is asked about.
const RIVAL_SHARE: f32 = 0.6;
/// A command that is to be refused with at least this probability is refused.
const REFUSE_FROM: f32 = 0.5;
/// The same for a command that names a record and what to do with it: the rules know the reasons to refuse that. Below
/// it, such a command is asked about.
const REFUSE_CLEAR_FROM: f32 = 0.85;
/// A command that may be refused with this probability is not executed.
const DOUBT_FROM: f32 = 0.45;
/// A text whose words say with this probability that it must not be done is refused, and from the lower one asked about.
const FORBIDDEN_FROM: f32 = 0.7;
const PERHAPS_FORBIDDEN_FROM: f32 = 0.4;
/// The same for what only reads.
const PERHAPS_FORBIDDEN_TO_READ_FROM: f32 = 0.55;
/// A rival with this share of the probability of the best tool counts for the tier of what is asked about, and of what is
/// refused.
const PLAUSIBLE_FROM: f32 = 0.5;
const PLAUSIBLE_IF_REFUSED: f32 = 0.4;
/// The confidence of what a rule decides.
const BY_RULE: f32 = 0.95;

/// What a text was found to want.
pub(super) struct Findings<'f> {
    pub(super) commands: &'f Commands,
    pub(super) calls: &'f [WantedCall],
    pub(super) refusal: Option<&'f Refusal>,
    /// The probability that the text must not be done, by all its words.
    pub(super) forbidden: f32,
    pub(super) contracts: &'f Contracts,
    pub(super) urgency: Urgency,
    /// The least risk of what the words ask for, for a refusal.
    pub(super) asked: Risk,
    /// A record that the text names and no call takes.
    pub(super) unused: Option<&'f str>,
}

/// What is decided about a text.
pub(super) struct Decision {
    pub(super) classification: IntentClassification,
    pub(super) conflict: Option<Conflict>,
}

/// Decides what to do.
pub(super) fn decide(findings: &Findings<'_>) -> Decision {
    let (required, missing) = fields(findings);
    let tools = tools(findings.calls);
    let risk = highest(findings, &tools);
    let outcome = outcome(findings, &missing);
    let (tools, risk) = match outcome.intent {
        OperatorIntent::Refuse => {
            let single = !missing.is_empty() || outcome.sweeping;
            (if single { Vec::new() } else { tools }, risk.max(outcome.risk))
        }
        OperatorIntent::Clarify => (tools, risk.max(outcome.risk)),
        OperatorIntent::Execute => (tools, risk),
    };
    let domain = tools
        .first()
        .or_else(|| findings.calls.first().map(|it| &it.tool))
        .map_or(OperatorDomain::System, |it| OperatorDomain::of_tool(it));
    let is_refused = outcome.intent == OperatorIntent::Refuse;
    Decision {
        classification: IntentClassification {
            intent: outcome.intent,
            domain,
            urgency: findings.urgency,
            required_fields: required,
            missing_evidence: if is_refused { Vec::new() } else { missing },
            risk_tier: risk,
            risk_reason: reason_of(risk, &tools),
            confidence: outcome.confidence.clamp(0.0, 1.0),
            reasoning: outcome.reasoning,
            tool_candidates: tools,
        },
        conflict: outcome.conflict,
    }
}

struct Outcome {
    intent: OperatorIntent,
    confidence: f32,
    reasoning: String,
    conflict: Option<Conflict>,
    sweeping: bool,
    risk: Risk,
}

fn outcome(findings: &Findings<'_>, missing: &[String]) -> Outcome {
    let asked = Outcome {
        intent: OperatorIntent::Clarify,
        confidence: 0.0,
        reasoning: String::new(),
        conflict: None,
        sweeping: false,
        risk: Risk::T0,
    };
    if let Some(refusal) = findings.refusal {
        return Outcome {
            intent: OperatorIntent::Refuse,
            confidence: BY_RULE,
            reasoning: refusal.conflict.reason.clone(),
            conflict: Some(refusal.conflict.clone()),
            sweeping: refusal.reach == Reach::Many,
            risk: refusal.risk.max(if refusal.reach == Reach::Many || names_nothing(findings) {
                findings.asked
            } else {
                Risk::T0
            }),
        };
    }
    if let Some(probability) = refused(findings) {
        let reason = "no tool does this, or the rules forbid it";
        return Outcome {
            intent: OperatorIntent::Refuse,
            confidence: probability,
            reasoning: reason.to_owned(),
            conflict: Some(Conflict {
                directive: Directive::ContractCorrectness,
                reason: reason.to_owned(),
            }),
            sweeping: names_nothing(findings),
            risk: findings.asked.max(plausible(findings, PLAUSIBLE_IF_REFUSED)),
        };
    }
    let acting: Vec<&Command> =
        findings.commands.all.iter().filter(|it| !it.tools.is_empty()).collect();
    let least = acting.iter().map(|it| it.probability).fold(1.0_f32, f32::min);
    if findings.calls.is_empty() {
        let idle = findings.commands.all.first();
        let chat = idle.is_some_and(|it| it.intent == SMALLTALK);
        let reasoning = if chat { "it asks for nothing" } else { "it does not say what to do" };
        let confidence = idle.map_or(0.5, |it| it.probability);
        let risk = plausible(findings, PLAUSIBLE_FROM);
        return Outcome { confidence, reasoning: reasoning.to_owned(), risk, ..asked };
    }
    let unread = unread(findings);
    if let Some(reasoning) = open_question(findings, missing, unread, &acting) {
        // What is not understood about the record may change it.
        let floor = if unread.is_some() { Risk::T1 } else { Risk::T0 };
        let risk = plausible(findings, PLAUSIBLE_FROM).max(floor);
        return Outcome { confidence: least, reasoning, risk, ..asked };
    }
    let reasoning = "it says what to do and names all that it takes".to_owned();
    Outcome { intent: OperatorIntent::Execute, confidence: least, reasoning, ..asked }
}

/// Returns what must be asked before anything is done, if anything must.
fn open_question(
    findings: &Findings<'_>,
    missing: &[String],
    unread: Option<&str>,
    acting: &[&Command],
) -> Option<String> {
    if !missing.is_empty() {
        return Some(format!("missing: {}", missing.join(", ")));
    }
    if let Some(fault) = fault(findings) {
        return Some(fault);
    }
    if findings.commands.taken_back {
        return Some("it takes back what it said".to_owned());
    }
    if let Some(record) = unread {
        return Some(format!("it names `{record}`, which no call takes"));
    }
    doubt(findings, acting)
}

/// Returns a record that no call takes although the calls only read: what the text says about it was not understood.
fn unread<'f>(findings: &Findings<'f>) -> Option<&'f str> {
    let reads = |call: &WantedCall| risk_of(findings.contracts, &call.tool) == Risk::T0;
    findings.unused.filter(|_| findings.calls.iter().all(reads))
}

/// Returns the probability of a refusal, if it is high enough.
fn refused(findings: &Findings<'_>) -> Option<f32> {
    let commands = &findings.commands.all;
    let highest = commands.iter().map(|it| it.refused).fold(0.0_f32, f32::max);
    let clear = commands.iter().any(|it| is_clear(it, findings));
    let from = if clear { REFUSE_CLEAR_FROM } else { REFUSE_FROM };
    let probability = highest.max(findings.forbidden);
    let is_refused = highest >= from || findings.forbidden >= FORBIDDEN_FROM;
    is_refused.then_some(probability)
}

/// Whether no call has any input.
fn names_nothing(findings: &Findings<'_>) -> bool {
    findings.calls.iter().all(|it| it.input.is_empty())
}

/// Returns the highest risk of the tools that the commands may want: those with at least this share of the probability
/// of the best.
fn plausible(findings: &Findings<'_>, share: f32) -> Risk {
    let of_command = |command: &Command| {
        let own = command.tools.iter().map(|it| risk_of(findings.contracts, it));
        let tools = command.rivals.iter().filter(|it| !is_idle(&it.name)).map(|it| it.probability);
        let best = match command.intent.as_str() {
            REFUSE => tools.fold(0.0, f32::max),
            _ => command.probability,
        };
        let near = command.rivals.iter().filter(move |it| it.probability >= share * best);
        let rivals = near.filter_map(|it| Some(findings.contracts.get(&it.name)?.risk_unplanned()));
        own.chain(rivals).max()
    };
    findings.commands.all.iter().filter_map(of_command).max().unwrap_or(Risk::T0)
}

/// Whether a command names a record and a tool that has a place for it.
fn is_clear(command: &Command, findings: &Findings<'_>) -> bool {
    let call = |tool: &String| findings.calls.iter().find(|it| it.tool == *tool);
    command
        .tools
        .iter()
        .filter_map(call)
        .any(|it| it.input.keys().any(|it| it.ends_with("_id") || it == "to" || it == "phone"))
}

/// Returns why a command is asked about, if it is not clear enough.
fn doubt(findings: &Findings<'_>, acting: &[&Command]) -> Option<String> {
    let risk = |tools: &[String]| tools.iter().map(|it| risk_of(findings.contracts, it)).max();
    let rival_risk =
        |rival: &ScoredIntent| findings.contracts.get(&rival.name).map(|it| it.risk_unplanned());
    let reads = acting.iter().all(|it| risk(&it.tools) == Some(Risk::T0));
    let from = if reads { PERHAPS_FORBIDDEN_TO_READ_FROM } else { PERHAPS_FORBIDDEN_FROM };
    if findings.forbidden >= from {
        return Some("it may be against the rules".to_owned());
    }
    for command in acting {
        if command.refused >= DOUBT_FROM {
            return Some("it may be against the rules".to_owned());
        }
        let sure_from = match risk(&command.tools) {
            None | Some(Risk::T0) => SURE_TO_READ_FROM,
            Some(Risk::T1) => SURE_FROM,
            _ => SURE_TO_ACT_FROM,
        };
        if command.probability < sure_from {
            return Some(format!("it may want `{}`, which is not sure", command.intent));
        }
        let own = risk(&command.tools);
        let near = command.rivals.iter().find(|it| {
            it.probability >= RIVAL_SHARE * command.probability && rival_risk(it) != own
        });
        if let Some(rival) = near {
            return Some(format!("it may want `{}` or `{}`", command.intent, rival.name));
        }
    }
    None
}

/// Returns what is wrong with the input of a call, apart from what is missing: an update that changes nothing, for
/// example.
fn fault(findings: &Findings<'_>) -> Option<String> {
    findings.calls.iter().find_map(|call| {
        let contract = findings.contracts.get(&call.tool)?;
        // The values of references are known only when the calls before have run.
        let known = call.refs.is_empty();
        let input = serde_json::Value::Object(call.input.clone());
        let faults = known.then(|| contract.input.check(&input).err()).flatten()?;
        Some(format!("`{}` cannot be called so: {faults}", call.tool))
    })
}

/// Returns the required members of the calls, and those that nothing provides.
fn fields(findings: &Findings<'_>) -> (Vec<String>, Vec<String>) {
    let (mut required, mut missing) = (Vec::new(), Vec::new());
    for call in findings.calls {
        let Some(contract) = findings.contracts.get(&call.tool) else { continue };
        let all = contract.input.value().get("required").and_then(serde_json::Value::as_array);
        for member in all.into_iter().flatten().filter_map(serde_json::Value::as_str) {
            if !required.iter().any(|it| it == member) {
                required.push(member.to_owned());
            }
            if !call.provides(member) && !missing.iter().any(|it| it == member) {
                missing.push(member.to_owned());
            }
        }
    }
    (required, missing)
}

fn tools(calls: &[WantedCall]) -> Vec<String> {
    let mut tools: Vec<String> = Vec::new();
    for call in calls {
        if !tools.contains(&call.tool) {
            tools.push(call.tool.clone());
        }
    }
    tools
}

fn risk_of(contracts: &Contracts, tool: &str) -> Risk {
    contracts.get(tool).map_or_else(
        || OperatorDomain::of_tool(tool).default_risk(),
        abide_language::contract::Contract::risk_unplanned,
    )
}

fn highest(findings: &Findings<'_>, tools: &[String]) -> Risk {
    tools.iter().map(|it| risk_of(findings.contracts, it)).max().unwrap_or(Risk::T0)
}

fn reason_of(risk: Risk, tools: &[String]) -> String {
    let what = match risk {
        Risk::T0 => "it only reads",
        Risk::T1 => "it changes our own records",
        Risk::T2 => "it changes what others notice",
        Risk::T3 => "it reaches people outside, or money",
        Risk::T4 => "it cannot be undone",
    };
    if tools.is_empty() { what.to_owned() } else { format!("{what}: {}", tools.join(", ")) }
}
