//! Answers obligations from known facts, and checks each answer before it leaves.

use jiff::Zoned;

use super::calendar::CalendarQuestion;
use super::clock::{TimeQuestion, read_clock};
use super::letters::{CountQuestion, count};
use super::math::{MathQuestion, evaluate};
use super::memory::{Memory, StatusQuestion};
use super::people::{KnownPerson, PeopleQuestion, answer as answer_people};
use super::wire::{LAST_ANSWER, Obligation, ObligationType};

/// What stands between the answers to several questions of one text.
const BETWEEN_ANSWERS: &str = "; ";

/// The facts from which obligations are answered.
#[derive(Debug, Clone, Default)]
pub struct KnownFacts {
    /// The time; `None` if nobody knows it.
    pub now: Option<Zoned>,
    /// The people whom the user may ask about.
    pub people: Vec<KnownPerson>,
    /// What the user has told before.
    pub memory: Memory,
}

/// What became of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReportResult {
    /// It has an answer.
    Answer(String),
    /// The value of a slot is not known, so that it must be asked for.
    Missing {
        /// The slot.
        slot: String,
    },
    /// It has no answer, for a reason.
    Failed {
        /// The reason.
        claim: String,
    },
    /// The known facts do not contain the answer; another tool looks it up.
    Elsewhere,
}

/// The obligations of a text after they were answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnsweredObligations {
    /// The obligations, with those that arose from them: a `CLARIFY` of what is missing, a `JUSTIFY` of what
    /// cannot be answered, a `VERIFY` of the answer.
    pub obligations: Vec<Obligation>,
    /// The answer, which was verified; `None` if no question was answered.
    pub answer: Option<String>,
}

/// Answers obligations in their order, and verifies every answer. A fact that one of them saves is known to
/// those after it.
#[must_use]
pub fn answer(obligations: &[Obligation], mut facts: KnownFacts) -> AnsweredObligations {
    let mut executed = Vec::new();
    let mut answers = Vec::new();
    let mut leaves = false;
    for obligation in obligations {
        executed.push(obligation.clone());
        if facts.memory.apply(obligation) || !obligation.is(ObligationType::Report) {
            continue;
        }
        match report(obligation, &facts) {
            ReportResult::Answer(text) if verify(obligation, &text, &facts) => answers.push(text),
            ReportResult::Answer(_) => executed.push(Obligation::justify(LAST_ANSWER)),
            ReportResult::Missing { slot } => executed.push(Obligation::clarify(&slot)),
            ReportResult::Failed { claim } => executed.push(Obligation::justify(&claim)),
            ReportResult::Elsewhere => leaves = true,
        }
    }
    let is_verified = executed.iter().any(|obligation| obligation.is(ObligationType::Verify));
    if (leaves || !answers.is_empty()) && !is_verified {
        executed.push(Obligation::verify());
    }
    let answer = (!answers.is_empty()).then(|| answers.join(BETWEEN_ANSWERS));
    AnsweredObligations { obligations: executed, answer }
}

/// Answers one question. An obligation that is no question has no answer.
#[must_use]
pub fn report(obligation: &Obligation, facts: &KnownFacts) -> ReportResult {
    if !obligation.is(ObligationType::Report) {
        return ReportResult::Elsewhere;
    }
    if let Some(question) = obligation.read::<MathQuestion>() {
        return computed(evaluate(&question.expr));
    }
    if let Some(question) = obligation.read::<CountQuestion>() {
        return computed(count(&question));
    }
    if let Some(question) = obligation.read::<StatusQuestion>() {
        return known(facts.memory.recall(&question.field).map(str::to_owned), &question.field);
    }
    if let Some(question) = obligation.read::<TimeQuestion>() {
        let Some(now) = &facts.now else { return known(None, "now") };
        return known(read_clock(&question, now), "city");
    }
    if let Some(question) = obligation.read::<PeopleQuestion>() {
        let slot = question.field.map_or("name", |field| field.as_str());
        return known(answer_people(&question, &facts.people), slot);
    }
    if obligation.read::<CalendarQuestion>().is_some() {
        return ReportResult::Elsewhere;
    }
    let claim = format!("no tool reports `{}`", obligation.kind());
    ReportResult::Failed { claim }
}

/// Checks an answer: reads the obligation again from its JSON, computes the answer again, and compares.
#[must_use]
pub fn verify(obligation: &Obligation, answer: &str, facts: &KnownFacts) -> bool {
    let written = serde_json::to_string(obligation).ok();
    let read = written.and_then(|json| serde_json::from_str::<Obligation>(&json).ok());
    read.is_some_and(|again| report(&again, facts) == ReportResult::Answer(answer.to_owned()))
}

fn computed<V: ToString, F: ToString>(result: Result<V, F>) -> ReportResult {
    match result {
        Ok(value) => ReportResult::Answer(value.to_string()),
        Err(fault) => ReportResult::Failed { claim: fault.to_string() },
    }
}

fn known(value: Option<String>, slot: &str) -> ReportResult {
    match value {
        Some(value) => ReportResult::Answer(value),
        None => ReportResult::Missing { slot: slot.to_owned() },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn facts() -> KnownFacts {
        let mut facts = KnownFacts {
            now: "2025-09-30T14:20:00-05:00[America/Chicago]".parse().ok(),
            people: serde_json::from_value(json!([
                { "name": "Ana", "city": "Seattle", "is_friend": true },
                { "name": "Ben", "city": "Boise", "is_friend": true },
            ]))
            .expect("people"),
            memory: Memory::default(),
        };
        facts.memory.save("name", "Sam");
        facts
    }

    /// Returns the answer, then the types of the obligations as they were executed.
    fn executed(payloads: &[Value]) -> String {
        let report = |payload: &Value| {
            Obligation::new(
                ObligationType::Report,
                payload["kind"].as_str().unwrap_or(""),
                payload.clone(),
            )
        };
        let found = answer(&payloads.iter().map(report).collect::<Vec<_>>(), facts());
        let mut words = vec![found.answer.unwrap_or_else(|| "-".to_owned())];
        words.extend(found.obligations.iter().map(|o| o.obligation_type.to_string()));
        words.join(" ")
    }

    #[test]
    fn an_answer_leaves_verified_and_what_is_missing_is_asked_for() {
        let math = |expr| json!({ "kind": "math", "expr": expr });
        let status = |field| json!({ "kind": "status", "field": field });
        let friends = json!({ "kind": "query.people", "filters": [{ "city": "Seattle" }] });
        let tokyo = json!({ "kind": "time", "city": "Tokyo" });
        let cases = [
            (vec![math("2+2")], "4 REPORT VERIFY"),
            (vec![math("2+2"), friends], "4; Ana REPORT REPORT VERIFY"),
            (vec![math("5/0")], "- REPORT JUSTIFY"),
            (vec![status("name")], "Sam REPORT VERIFY"),
            (vec![status("city")], "- REPORT CLARIFY"),
            (vec![status("city"), math("1+1")], "2 REPORT CLARIFY REPORT VERIFY"),
            (vec![tokyo], "04:20 REPORT VERIFY"),
            (vec![json!({ "kind": "time", "city": "Atlantis" })], "- REPORT CLARIFY"),
            (vec![json!({ "kind": "count", "text": "pear", "letter": "7" })], "- REPORT JUSTIFY"),
            (vec![json!({ "kind": "schedule", "date": "2025-10-01" })], "- REPORT VERIFY"),
            (vec![json!({ "kind": "weather" })], "- REPORT JUSTIFY"),
        ];
        for (payloads, expected) in cases {
            assert_eq!(executed(&payloads), expected, "{payloads:?}");
        }
    }

    #[test]
    fn what_one_obligation_saves_the_next_one_knows() {
        let status = Obligation::report(&StatusQuestion { field: "city".to_owned() });
        let found = answer(&[Obligation::save("city", "Reno"), status], KnownFacts::default());
        assert_eq!(found.answer.as_deref(), Some("Reno"));
    }

    #[test]
    fn an_answer_that_cannot_be_reproduced_does_not_pass() {
        let question = Obligation::report(&MathQuestion { expr: "2+2".to_owned() });
        assert!(verify(&question, "4", &facts()));
        assert!(!verify(&question, "5", &facts()));
        assert!(!verify(&Obligation::verify(), "4", &facts()));
    }
}
