//! Says an answer in words: from the values that tools have returned, never from anything else.

use abide_agent::obligations::{Obligation, ObligationType};
use abide_engine::base::Value;
use serde_json::Map;

/// What stands between the answers to several questions of one text.
const BETWEEN: &str = "; ";
/// What the answer to a question about people names as its source.
const CONTACTS: &str = "per contacts DB";

/// Says the value that discharges an obligation.
pub(super) fn value(obligation: &Obligation, value: &str) -> String {
    match (obligation.obligation_type, obligation.kind()) {
        (ObligationType::Report, "query.people") => format!("{value} ({CONTACTS})"),
        (ObligationType::Schedule, _) => format!("Noted: {value}"),
        _ => value.to_owned(),
    }
}

/// Says that something was done.
pub(super) const DONE: &str = "Done";

/// What is said about an order that a run keeps up or brings about. All times are in words.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    pub(super) kind: ObligationType,
    /// The state in words.
    pub(super) state: String,
    /// When it begins, if that is later.
    pub(super) starts: Option<String>,
    /// When it no longer binds.
    pub(super) until: String,
    /// How often the state is looked at, if it is.
    pub(super) every: Option<String>,
    /// Whether the same order was given before.
    pub(super) is_known: bool,
    /// Whether somebody must approve it first.
    pub(super) is_asked: bool,
}

/// Says what is being done for an order, and until when.
pub(super) fn kept(kept: &Kept) -> String {
    let Kept { kind, state, starts, until, every, is_known, is_asked } = kept;
    let already = if *is_known { "already " } else { "" };
    let mut said = match (kind, starts) {
        (ObligationType::Achieve, Some(starts)) => {
            format!("I will {already}do it at {starts}: {state}")
        }
        (ObligationType::Achieve, None) => {
            format!("I am {already}working on it until {until}: {state}")
        }
        (ObligationType::Avoid, _) => format!(
            "I {already}avoid it until {until}, and refuse calls that would bring it about: {state}"
        ),
        _ => format!("I {already}keep it so until {until}: {state}"),
    };
    if let Some(starts) = starts.as_ref().filter(|_| *kind != ObligationType::Achieve) {
        said.push_str(&format!("; it begins at {starts}"));
    }
    if let Some(every) = every {
        said.push_str(&format!("; I look every {every}"));
    }
    if *is_asked {
        said.push_str("; somebody must approve it first");
    }
    said
}

/// Says a state in words: `ball within radius (r 0.1)`.
pub(super) fn state(predicate: &str, args: &Map<String, Value>) -> String {
    let words = predicate.replace(['.', '_'], " ");
    let shown = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let args: Vec<String> =
        args.iter().map(|(name, value)| format!("{name} {}", shown(value))).collect();
    if args.is_empty() { words } else { format!("{words} ({})", args.join(", ")) }
}

/// Says that something was done that has no value.
pub(super) fn done(obligation: &Obligation) -> String {
    match obligation.kind() {
        "memory.forgotten" => "Forgotten".to_owned(),
        "obligation.ended" => "I no longer do".to_owned(),
        _ => DONE.to_owned(),
    }
}

/// Asks for the value of a slot.
pub(super) fn question(slot: &str) -> String {
    match slot {
        "request" => "Sorry, I did not understand that. What would you like to know?".to_owned(),
        "name" => "I don't know the name yet. What is it?".to_owned(),
        "city" => "Which city do you mean?".to_owned(),
        "letter" => "Which letter?".to_owned(),
        "text" => "In which text?".to_owned(),
        "time" => "When?".to_owned(),
        "event" => "What is it about?".to_owned(),
        "deadline" => "Until when? Please say a time that is still ahead.".to_owned(),
        "every" => "How often shall I look?".to_owned(),
        other => format!("I don't know the {} yet. What is it?", other.replace('_', " ")),
    }
}

/// Says honestly that there is no answer, and why.
pub(super) fn uncertain(why: &str) -> String {
    format!("I can't say for certain: {why}")
}

/// Says that no tool can do what is wanted.
pub(super) fn no_tool(operation: &str) -> String {
    format!("I have no tool for that yet ({operation}), so I have noted it")
}

/// Joins the answers to several questions.
pub(super) fn joined(answers: &[String]) -> String {
    answers.join(BETWEEN)
}
