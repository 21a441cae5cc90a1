//! Decides whether the condition of an expectation holds.
//! If the condition does not hold, describes what was expected and what was found.

use std::collections::BTreeMap;

use abide_agent::agenda::{AgendaGoal, GoalType};
use abide_engine::ledger::ReceiptStatus;
use abide_verbs::assignment::AssignmentState;
use abide_verbs::request::RequestStatus;

use crate::scenario::Directory;
use crate::scenario::{
    AnswerCount, Condition, ExpectedGoals, MessageCount, ReceiptCount, RoleCounts,
};

/// The facts against which an expectation is checked.
/// Fields that the expectation's condition does not need are left empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Facts {
    /// Number of people by role and state in the run's request.
    pub(super) counts: RoleCounts,
    /// The messages that the provider accepted, oldest first; for an expectation of `would_send`, the messages
    /// that shadow runs would have sent.
    pub(super) sent: Vec<SentText>,
    /// How the run ended, or `open`; `None` if there is no run.
    pub(super) outcome: Option<String>,
    /// The status of the run's request.
    pub(super) request_status: Option<RequestStatus>,
    /// The receipts of the run.
    pub(super) receipts: Vec<ReceiptFact>,
    /// The state of each person in each role of the run's request.
    pub(super) assignments: BTreeMap<PersonInRole, AssignmentState>,
    /// The answers to questions.
    pub(super) answers: Vec<AnswerFact>,
    /// The active goals of all conversations.
    pub(super) goals: Vec<GoalFact>,
    /// The method and the id of each stuck run: a run that should have continued by now but did not.
    pub(super) stuck: Vec<String>,
    /// The broken invariants that the audit found.
    pub(super) breaches: Vec<String>,
}

/// A message that the provider accepted, or that a shadow run would have sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SentText {
    pub(super) to: String,
    pub(super) template: String,
    pub(super) body: String,
}

/// A receipt of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReceiptFact {
    pub(super) tool: String,
    pub(super) status: String,
    /// Whether an earlier call with the same key had answered.
    pub(super) idempotency_hit: bool,
}

/// An answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AnswerFact {
    /// The phone number of the person who asked.
    pub(super) to: String,
    pub(super) answer: String,
    pub(super) verified: bool,
}

/// An active goal of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GoalFact {
    /// The phone number of the person.
    pub(super) of: String,
    pub(super) session: String,
    pub(super) goal: AgendaGoal,
}

/// A person, identified by phone number, in one role of a request.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PersonInRole {
    pub(super) phone: String,
    pub(super) role: String,
}

/// The difference between the expected and the found result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mismatch {
    pub(super) expected: String,
    pub(super) found: String,
}

impl Mismatch {
    /// Adds details to the description of the found result.
    fn with_details(mut self, details: &str) -> Self {
        if !details.is_empty() {
            self.found.push_str(": ");
            self.found.push_str(details);
        }
        self
    }
}

/// Checks a condition against the facts. Returns the mismatch if the condition does not hold.
pub(super) fn check_condition(
    condition: &Condition,
    facts: &Facts,
    directory: &Directory,
) -> Result<(), Mismatch> {
    match condition {
        Condition::Counts(expected) => counts(expected, &facts.counts),
        Condition::Messages(condition) | Condition::WouldSend(condition) => {
            messages(condition, &facts.sent, directory)
        }
        Condition::Outcome(expected) => {
            same("the outcome", expected.as_str(), facts.outcome.as_deref().unwrap_or("no run"))
        }
        Condition::RequestStatus(expected) => same(
            "the request's status",
            expected.as_str(),
            facts.request_status.map_or("no request", RequestStatus::as_str),
        ),
        Condition::Receipts(condition) => receipts(condition, &facts.receipts),
        Condition::Holds { person, role, state } => {
            let phone = directory.phone(&person.text).unwrap_or(&person.text).to_owned();
            let found = facts.assignments.get(&PersonInRole { phone, role: role.clone() });
            let found = found.map_or("not asked", |found| found.as_str());
            same(&format!("{person}'s place in {role}"), state.as_str(), found)
        }
        Condition::Answers(condition) => answers(condition, &facts.answers, directory),
        Condition::Goals(condition) => goals(condition, &facts.goals, directory),
        Condition::Stuck(expected) => {
            let found = facts.stuck.len();
            let listed = facts.stuck.join(", ");
            times(*expected, found, "stuck runs").map_err(|mismatch| mismatch.with_details(&listed))
        }
        Condition::AuditClean if facts.breaches.is_empty() => Ok(()),
        Condition::AuditClean => {
            Err(Mismatch { expected: "a clean audit".to_owned(), found: facts.breaches.join("; ") })
        }
    }
}

fn same(what: &str, expected: &str, found: &str) -> Result<(), Mismatch> {
    if expected == found {
        return Ok(());
    }
    Err(Mismatch { expected: format!("{what} to be {expected}"), found: found.to_owned() })
}

fn times(expected: u64, found: usize, what: &str) -> Result<(), Mismatch> {
    if u64::try_from(found) == Ok(expected) {
        return Ok(());
    }
    Err(Mismatch { expected: format!("{expected} {what}"), found: found.to_string() })
}

fn answers(
    condition: &AnswerCount,
    found: &[AnswerFact],
    directory: &Directory,
) -> Result<(), Mismatch> {
    let to = condition.to.as_ref().map(|who| directory.phone(&who.text).unwrap_or(&who.text));
    let is_meant = |fact: &&AnswerFact| {
        to.is_none_or(|to| fact.to == to)
            && condition.contains.as_ref().is_none_or(|part| fact.answer.contains(part))
            && condition.verified.is_none_or(|verified| fact.verified == verified)
    };
    let given: Vec<&str> = found.iter().map(|fact| &*fact.answer).collect();
    let meant = found.iter().filter(is_meant).count();
    times(condition.times, meant, "answers")
        .map_err(|mismatch| mismatch.with_details(&given.join(" / ")))
}

fn goals(
    condition: &ExpectedGoals,
    found: &[GoalFact],
    directory: &Directory,
) -> Result<(), Mismatch> {
    let of = directory.phone(&condition.of.text).unwrap_or(&condition.of.text);
    let is_meant = |fact: &&GoalFact| {
        fact.of == of && condition.session.as_ref().is_none_or(|session| fact.session == *session)
    };
    let mut meant: Vec<&AgendaGoal> =
        found.iter().filter(is_meant).map(|fact| &fact.goal).collect();
    meant.sort_by(|a, b| a.compare(b));
    let words = |types: Vec<GoalType>| {
        types.into_iter().map(|one| one.as_str()).collect::<Vec<_>>().join(", ")
    };
    let found = words(meant.iter().map(|goal| goal.goal_type).collect());
    same(&format!("the goals of {}", condition.of), &words(condition.are.clone()), &found)
}

fn counts(expected: &RoleCounts, found: &RoleCounts) -> Result<(), Mismatch> {
    let found_of = |role: &str, state: AssignmentState| {
        found.get(role).and_then(|states| states.get(&state)).copied().unwrap_or(0)
    };
    let mut wrong: Vec<(&str, AssignmentState, u64)> = expected
        .iter()
        .flat_map(|(role, states)| states.iter().map(|(state, n)| (role.as_str(), *state, *n)))
        .filter(|(role, state, n)| found_of(role, *state) != *n)
        .collect();
    if wrong.is_empty() {
        return Ok(());
    }
    wrong.sort_by_key(|(role, state, _)| (*role, state.as_str()));
    let (expected, found): (Vec<String>, Vec<String>) = wrong
        .into_iter()
        .map(|(role, state, expected)| {
            let of = format!("{role} {state}");
            (format!("{of} {expected}"), format!("{of} {}", found_of(role, state)))
        })
        .unzip();
    Err(Mismatch { expected: expected.join(", "), found: found.join(", ") })
}

fn messages(
    condition: &MessageCount,
    sent: &[SentText],
    directory: &Directory,
) -> Result<(), Mismatch> {
    let phone = condition.to.as_ref().map(|who| directory.phone(&who.text).unwrap_or(&who.text));
    let to_them: Vec<&SentText> =
        sent.iter().filter(|message| phone.is_none_or(|phone| message.to == phone)).collect();
    let counted = to_them.iter().filter(|message| {
        condition.template.as_ref().is_none_or(|template| message.template == *template)
            && condition.contains.as_ref().is_none_or(|words| message.body.contains(words.as_str()))
    });
    let template = condition.template.as_deref().map_or(String::new(), |name| format!(" `{name}`"));
    let to = condition.to.as_ref().map_or(String::new(), |who| format!(" to {who}"));
    let words =
        condition.contains.as_ref().map_or(String::new(), |words| format!(" with `{words}`"));
    times(condition.times, counted.count(), &format!("messages{template}{to}{words}"))
        .map_err(|mismatch| mismatch.with_details(&by_template(&to_them)))
}

/// Lists the number of messages of each template, to explain an unexpected number of messages.
fn by_template(sent: &[&SentText]) -> String {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for message in sent {
        *counts.entry(&message.template).or_default() += 1;
    }
    let told: Vec<String> = counts.iter().map(|(name, n)| format!("{n} `{name}`")).collect();
    if told.is_empty() { String::new() } else { format!("there were {}", told.join(", ")) }
}

fn receipts(condition: &ReceiptCount, receipts: &[ReceiptFact]) -> Result<(), Mismatch> {
    let hit = |receipt: &ReceiptFact| condition.idempotency_hit.unwrap_or(receipt.idempotency_hit);
    let of_tool: Vec<&str> = receipts
        .iter()
        .filter(|receipt| receipt.tool == condition.tool && receipt.idempotency_hit == hit(receipt))
        .map(|receipt| receipt.status.as_str())
        .collect();
    let counted = of_tool
        .iter()
        .filter(|status| condition.status.is_none_or(|expected| expected.as_str() == **status))
        .count();
    let status = condition.status.map_or("finished", ReceiptStatus::as_str);
    times(condition.times, counted, &format!("{status} receipts of `{}`", condition.tool))
        .map_err(|mismatch| mismatch.with_details(&of_tool.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{DemoDirectory, People};

    fn facts() -> Facts {
        let sent = |to: &str, template: &str, body: &str| SentText {
            to: to.to_owned(),
            template: template.to_owned(),
            body: body.to_owned(),
        };
        Facts {
            counts: BTreeMap::from([(
                "nursery".to_owned(),
                BTreeMap::from([(AssignmentState::Accepted, 4)]),
            )]),
            sent: vec![
                sent("+15125550101", "invite", "Hi Ana"),
                sent("+15125550101", "confirmed", "Thanks, Ana"),
                sent("+15125550102", "invite", "Hi Ben"),
            ],
            outcome: Some("fell_short".to_owned()),
            request_status: Some(RequestStatus::PartiallyFilled),
            receipts: vec![ReceiptFact {
                tool: "assign".to_owned(),
                status: "failed".to_owned(),
                idempotency_hit: true,
            }],
            assignments: BTreeMap::from([(
                PersonInRole { phone: "+15125550101".to_owned(), role: "nursery".to_owned() },
                AssignmentState::Accepted,
            )]),
            answers: Vec::new(),
            goals: Vec::new(),
            stuck: Vec::new(),
            breaches: vec!["two receipts of one call".to_owned()],
        }
    }

    /// Checks an expectation against [`facts`]. The expectation is written as in a scenario file.
    /// Returns `true`, or what was expected and what was found.
    fn verdict(expectation: &str) -> String {
        let text = format!(
            "scenario: s\nstart: 2025-09-30T10:00:00-05:00\npeople: {{ demo: church }}\nsteps: \
             []\nexpect:\n  - {expectation}\n"
        );
        let (scenario, found) = crate::scenario::read("s", &text);
        assert!(found.is_empty(), "{expectation}: {found:?}");
        let directory =
            Directory::of(&People { demo: Some(DemoDirectory::Church), own: Vec::new() });
        let condition = &scenario.expect("a scenario").expect[0].condition;
        match check_condition(condition, &facts(), &directory) {
            Ok(()) => "true".to_owned(),
            Err(Mismatch { expected, found }) => format!("{expected} / {found}"),
        }
    }

    #[test]
    fn claims_are_true_or_say_what_was_found() {
        for (expectation, expected) in [
            ("counts: { nursery: { accepted: 4, declined: 0 } }", "true"),
            (
                "counts: { nursery: { accepted: 5, declined: 0 }, ushers: { invited: 2 } }",
                "nursery accepted 5, ushers invited 2 / nursery accepted 4, ushers invited 0",
            ),
            ("messages: { to: A, times: 2 }", "true"),
            ("messages: { to: A, template: invite, contains: Ana, times: 1 }", "true"),
            (
                "messages: { to: A, template: last_call, times: 1 }",
                "1 messages `last_call` to A / 0: there were 1 `confirmed`, 1 `invite`",
            ),
            (
                "messages: { contains: Bye, times: 1 }",
                "1 messages with `Bye` / 0: there were 1 `confirmed`, 2 `invite`",
            ),
            ("messages: { to: C, times: 0 }", "true"),
            ("outcome: fell_short", "true"),
            ("outcome: succeeded", "the outcome to be succeeded / fell_short"),
            ("request_status: filled", "the request's status to be filled / partially_filled"),
            ("receipts: { tool: assign, times: 1 }", "true"),
            ("receipts: { tool: assign, idempotency_hit: true, times: 1 }", "true"),
            (
                "receipts: { tool: assign, idempotency_hit: false, times: 1 }",
                "1 finished receipts of `assign` / 0",
            ),
            (
                "receipts: { tool: assign, status: succeeded, times: 1 }",
                "1 succeeded receipts of `assign` / 0: failed",
            ),
            ("holds: { person: Ana, role: nursery }", "true"),
            (
                "holds: { person: B, role: nursery, state: waitlisted }",
                "B's place in nursery to be waitlisted / not asked",
            ),
            ("stuck: none", "true"),
            ("stuck: 1", "1 stuck runs / 0"),
            ("audit: clean", "a clean audit / two receipts of one call"),
        ] {
            assert_eq!(verdict(expectation), expected, "{expectation}");
        }
    }
}
