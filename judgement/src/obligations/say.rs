//! Says an answer in words: from the values that tools have returned, never from anything else.

use abide_agent::obligations::{Obligation, ObligationType};

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

/// Says that something was done that has no value.
pub(super) fn done(obligation: &Obligation) -> String {
    match obligation.kind() {
        "memory.forgotten" => "Forgotten".to_owned(),
        _ => "Done".to_owned(),
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
