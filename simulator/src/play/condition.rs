//! Decides whether a claim holds; if not, says what was expected and what was found.

use std::collections::BTreeMap;

use crate::cast::Cast;
use crate::scenario::{Claim, MessageClaim, ReceiptClaim};

/// What was found when an expectation was checked; only the fields that its claim needs are filled in.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Facts {
    /// Number of people by role and state, in the run's request.
    pub(super) counts: BTreeMap<String, BTreeMap<String, u64>>,
    /// The messages that the provider accepted, in order.
    pub(super) sent: Vec<Sent>,
    /// The run's outcome, or `open`.
    pub(super) outcome: Option<String>,
    /// The status of the run's request.
    pub(super) request_status: Option<String>,
    /// Tool and status of each receipt of the run.
    pub(super) receipts: Vec<(String, String)>,
    /// The state of each phone and role, in the run's request.
    pub(super) assignments: BTreeMap<(String, String), String>,
    /// The stuck runs.
    pub(super) stuck: Vec<String>,
    /// The breaches that the audit found.
    pub(super) breaches: Vec<String>,
}

/// A message that the provider accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sent {
    pub(super) to: String,
    pub(super) template: String,
    pub(super) body: String,
}

/// A claim that does not hold: what was expected, and what was found.
pub(super) type Contradiction = (String, String);

/// Checks a claim against the facts.
pub(super) fn judge(claim: &Claim, facts: &Facts, cast: &Cast) -> Result<(), Contradiction> {
    match claim {
        Claim::Counts(expected) => counts(expected, &facts.counts),
        Claim::Messages(claim) => messages(claim, &facts.sent, cast),
        Claim::Outcome(expected) => {
            same("the outcome", expected, facts.outcome.as_deref().unwrap_or("no run"))
        }
        Claim::RequestStatus(expected) => same(
            "the request's status",
            expected,
            facts.request_status.as_deref().unwrap_or("no request"),
        ),
        Claim::Receipts(claim) => receipts(claim, &facts.receipts),
        Claim::Holds { person, role, state } => {
            let phone = cast.phone(&person.text).unwrap_or(&person.text).to_owned();
            let found = facts.assignments.get(&(phone, role.clone()));
            let found = found.map_or("not asked", String::as_str);
            same(&format!("{person}'s place in {role}"), state, found)
        }
        Claim::Stuck(expected) => {
            let found = facts.stuck.len();
            let listed = facts.stuck.join(", ");
            times(*expected, found, "stuck runs").map_err(|(e, f)| (e, join(&f, &listed)))
        }
        Claim::AuditClean if facts.breaches.is_empty() => Ok(()),
        Claim::AuditClean => Err(("a clean audit".to_owned(), facts.breaches.join("; "))),
    }
}

fn same(what: &str, expected: &str, found: &str) -> Result<(), Contradiction> {
    if expected == found {
        return Ok(());
    }
    Err((format!("{what} to be {expected}"), found.to_owned()))
}

fn times(expected: u64, found: usize, what: &str) -> Result<(), Contradiction> {
    if u64::try_from(found) == Ok(expected) {
        return Ok(());
    }
    Err((format!("{expected} {what}"), found.to_string()))
}

fn join(found: &str, details: &str) -> String {
    if details.is_empty() { found.to_owned() } else { format!("{found}: {details}") }
}

type Counts = BTreeMap<String, BTreeMap<String, u64>>;

fn counts(expected: &Counts, found: &Counts) -> Result<(), Contradiction> {
    let found_of = |role: &str, state: &str| {
        found.get(role).and_then(|states| states.get(state)).copied().unwrap_or(0)
    };
    let wrong: Vec<(&str, &str, u64)> = expected
        .iter()
        .flat_map(|(role, states)| {
            states.iter().map(|(state, n)| (role.as_str(), state.as_str(), *n))
        })
        .filter(|(role, state, n)| found_of(role, state) != *n)
        .collect();
    if wrong.is_empty() {
        return Ok(());
    }
    let told = |n: &dyn Fn(&str, &str, u64) -> u64| {
        let all =
            wrong.iter().map(|(role, state, e)| format!("{role} {state} {}", n(role, state, *e)));
        all.collect::<Vec<_>>().join(", ")
    };
    Err((told(&|_, _, expected| expected), told(&|role, state, _| found_of(role, state))))
}

fn messages(claim: &MessageClaim, sent: &[Sent], cast: &Cast) -> Result<(), Contradiction> {
    let phone = claim.to.as_ref().map(|who| cast.phone(&who.text).unwrap_or(&who.text));
    let to_them: Vec<&Sent> =
        sent.iter().filter(|message| phone.is_none_or(|phone| message.to == phone)).collect();
    let counted = to_them.iter().filter(|message| {
        claim.template.as_ref().is_none_or(|template| message.template == *template)
            && claim.contains.as_ref().is_none_or(|words| message.body.contains(words.as_str()))
    });
    let template = claim.template.as_deref().map_or(String::new(), |name| format!(" `{name}`"));
    let to = claim.to.as_ref().map_or(String::new(), |who| format!(" to {who}"));
    let words = claim.contains.as_ref().map_or(String::new(), |words| format!(" with `{words}`"));
    times(claim.times, counted.count(), &format!("messages{template}{to}{words}"))
        .map_err(|(expected, found)| (expected, join(&found, &by_template(&to_them))))
}

/// Counts the messages by template, to explain an unexpected number.
fn by_template(sent: &[&Sent]) -> String {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for message in sent {
        *counts.entry(&message.template).or_default() += 1;
    }
    let told: Vec<String> = counts.iter().map(|(name, n)| format!("{n} `{name}`")).collect();
    if told.is_empty() { String::new() } else { format!("there were {}", told.join(", ")) }
}

fn receipts(claim: &ReceiptClaim, receipts: &[(String, String)]) -> Result<(), Contradiction> {
    let of_tool: Vec<&str> = receipts
        .iter()
        .filter(|(tool, _)| *tool == claim.tool)
        .map(|(_, status)| status.as_str())
        .collect();
    let counted = of_tool
        .iter()
        .filter(|status| claim.status.as_ref().is_none_or(|expected| expected == *status))
        .count();
    let status = claim.status.as_deref().unwrap_or("finished");
    times(claim.times, counted, &format!("{status} receipts of `{}`", claim.tool))
        .map_err(|(expected, found)| (expected, join(&found, &of_tool.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{Demo, People};

    fn facts() -> Facts {
        let sent = |to: &str, template: &str, body: &str| Sent {
            to: to.to_owned(),
            template: template.to_owned(),
            body: body.to_owned(),
        };
        Facts {
            counts: BTreeMap::from([(
                "nursery".to_owned(),
                BTreeMap::from([("accepted".to_owned(), 4)]),
            )]),
            sent: vec![
                sent("+15125550101", "invite", "Hi Ana"),
                sent("+15125550101", "confirmed", "Thanks, Ana"),
                sent("+15125550102", "invite", "Hi Ben"),
            ],
            outcome: Some("fell_short".to_owned()),
            request_status: Some("partially_filled".to_owned()),
            receipts: vec![("assign".to_owned(), "failed".to_owned())],
            assignments: BTreeMap::from([(
                ("+15125550101".to_owned(), "nursery".to_owned()),
                "accepted".to_owned(),
            )]),
            stuck: Vec::new(),
            breaches: vec!["two receipts of one call".to_owned()],
        }
    }

    /// Judges an expectation as it is written in a file.
    fn verdict(expectation: &str) -> String {
        let text = format!(
            "scenario: s\nstart: 2025-09-30T10:00:00-05:00\npeople: {{ demo: church }}\nsteps: \
             []\nexpect:\n  - {expectation}\n"
        );
        let (scenario, found) = crate::scenario::read("s", &text);
        assert!(found.is_empty(), "{expectation}: {found:?}");
        let cast = Cast::of(&People { demo: Some(Demo::Church), own: Vec::new() });
        let claim = &scenario.expect("a scenario").expect[0].claim;
        match judge(claim, &facts(), &cast) {
            Ok(()) => "true".to_owned(),
            Err((expected, found)) => format!("{expected} / {found}"),
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
