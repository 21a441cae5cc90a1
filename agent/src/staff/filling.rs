//! The slots of a reading: the role and the numbers of a request, what it says beside them, and what
//! is missing.

use super::amount::{Amount, Sense};
use super::intent::{Clause, asks, targets};
use super::moves::{has_some_of, moves_service};
use super::people::People;
use super::request::Draft;
use super::said::Said;
use super::token::{Token, joined};
use super::when::When;
use super::{StaffIntent, StaffText, day};
use crate::text::{has, padded};

/// Words that show a request for people without a number.
pub(super) const NEEDS: &[&str] =
    &["need", "needs", "find", "get", "fill", "want", "recruit", "necesito"];
/// Most people that are asked without an approval.
const ASKED_MAX: i64 = 25;
/// Wordings that ask all people there are.
const EVERYBODY: &[&str] = &[
    "everyone",
    "everybody",
    "whole church",
    "entire church",
    "whole congregation",
    "all members",
    "whole list",
    "entire list",
    "entire congregation",
    "every member",
    "full list",
    "toda la iglesia",
    "a todos",
    "mass text",
    "blast",
];
/// Words that send a text to people.
const SENDS: &[&str] = &[
    "text", "ask", "blast", "message", "email", "invite", "send", "contact", "reach", "ping",
    "tell", "mass",
];
/// Words that stand for one person, without a number.
const ONE: &[&str] = &["someone", "somebody", "alguien", "sub", "replacement", "substitute"];
/// Words after a role that stand for one person.
const PERSON: &[&str] = &["person", "guy", "gal", "lady", "tech", "sub", "operator"];
/// The ends of roles that stand for one person.
const PLAYERS: &[&str] = &["ist", "player", "drummer", " guy", " tech", "baterista"];
/// Verbs of which "an usher" is one who goes.
const GOES: &[&str] = &["drop", "lose", "cut", "remove", "spare", "release"];
/// Verbs before the number of people who move.
const MOVED: &[&str] = &[
    "move", "shift", "trade", "swap", "send", "take", "pull", "steal", "borrow", "transfer", "pasa",
];
/// Words that stand for some people, without a number.
const SOME: &[&str] =
    &["few", "some", "handful", "several", "usual", "bunch", "lot", "ton", "unos", "unas"];

/// Sets the role and the numbers of a reading.
pub(super) fn fill(reading: &mut StaffText, clause: &Clause<'_>, draft: &Draft) {
    if reading.intent == StaffIntent::Rebalance {
        if moves_service(clause.tokens) {
            reading.role.clone_from(&draft.role);
            let services =
                clause.tokens.iter().filter(|it| it.time().is_some_and(Said::is_service));
            reading.time = reading.time.take().filter(|_| services.count() < 2);
            return;
        }
        let totals = targets(clause.drafts);
        if totals.len() >= 2 && !is_move(clause.tokens) {
            reading.targets = totals;
        }
        return;
    }
    reading.role.clone_from(&draft.role);
    if !asks(reading.intent) {
        return;
    }
    let least = draft.amounts.iter().find(|it| it.sense == Sense::Least).map(|it| it.n);
    match draft.number() {
        Some(amount) => {
            let part = reading.intent == StaffIntent::ReduceTarget && has_some_of(clause.tokens);
            number(reading, amount, part);
        }
        None if reading.intent == StaffIntent::ReduceTarget => {
            reading.count = least;
            reading.delta = one(reading, clause.tokens).map(|n| -n);
        }
        None => reading.count = least.or_else(|| one(reading, clause.tokens)),
    }
    if reading.intent == StaffIntent::FillRole {
        reading.minimum = least;
    }
    let padded = padded(&joined(clause.tokens));
    let many = reading.count.or(reading.delta).is_some_and(|n| n > ASKED_MAX);
    let sends = clause.tokens.iter().any(|it| it.is_any(SENDS));
    reading.requires_approval = many || (sends && EVERYBODY.iter().any(|it| has(&padded, it)));
}

/// Whether a clause says how many people move, and not how many a role is to have.
fn is_move(tokens: &[Token]) -> bool {
    tokens.windows(2).any(|pair| pair[0].is_any(MOVED) && pair[1].amount().is_some())
        && tokens.iter().any(|it| it.is_any(&["to", "over", "from", "for", "into"]))
}

/// Sets the count or the delta.
fn number(reading: &mut StaffText, amount: &Amount, part: bool) {
    let sign = if reading.intent == StaffIntent::ReduceTarget { -1 } else { 1 };
    match amount.sense {
        Sense::More | Sense::Fewer | Sense::By => reading.delta = Some(sign * amount.n),
        Sense::Total if part => reading.delta = Some(sign * amount.n),
        _ => reading.count = Some(amount.n),
    }
}

/// Returns the number of a request for one person: "a drummer", "someone for sound".
fn one(reading: &StaffText, tokens: &[Token]) -> Option<i64> {
    let some = tokens.iter().any(|it| it.is_any(SOME));
    let role = tokens.iter().enumerate().any(|(at, it)| {
        let before = at.checked_sub(1).map(|at| &tokens[at]);
        let single = before.is_some_and(|it| it.is_any(&["a", "an", "un", "una"]));
        it.role().is_some() && single && !it.word.ends_with('s')
    });
    let someone = tokens.iter().any(|it| it.is_any(ONE)) || is_single(tokens);
    let goes = tokens.iter().any(|it| it.is_any(GOES));
    let drops = reading.intent == StaffIntent::ReduceTarget && role && goes;
    let wanted = drops || reading.intent == StaffIntent::FillRole;
    (wanted && reading.role.is_some() && !some && (role || someone)).then_some(1)
}

/// Whether a role is that of one person, without an article: "slides person for wednesday",
/// "need drummer for sunday".
fn is_single(tokens: &[Token]) -> bool {
    let asked = tokens.iter().any(|it| it.is_any(NEEDS) || it.is_any(&["please", "pls", "for"]));
    asked
        && tokens.iter().enumerate().filter(|(_, it)| it.role().is_some()).any(|(at, it)| {
            let person = tokens.get(at + 1).is_some_and(|it| it.is_any(PERSON));
            let before = at.checked_sub(1).map(|at| &tokens[at]);
            let more = before.is_some_and(|it| it.is_any(&["more", "any", "extra", "no"]));
            let player = PLAYERS.iter().any(|end| it.word.ends_with(end));
            (person || player) && !more
        })
}

/// Sets what a request says beside its main slots.
pub(super) fn beside(reading: &mut StaffText, people: &People, deadline: Option<String>) {
    let wanted = reading.of.unwrap_or(reading.intent);
    if matches!(wanted, StaffIntent::FillRole | StaffIntent::IncreaseTarget) {
        reading.prefer.clone_from(&people.prefer);
        reading.exclude.clone_from(&people.exclude);
        reading.skill.clone_from(&people.skill);
        reading.deadline = deadline;
    }
}

/// Whether a clause leaves it open which of two roles it means: "3 ushers or greeters".
fn is_either(tokens: &[Token]) -> bool {
    tokens.windows(3).any(|it| match (it[0].role(), it[2].role()) {
        (Some(one), Some(other)) => one != other && it[1].is_any(&["or"]),
        _ => false,
    })
}

/// Makes a reading a clarification if it lacks something.
pub(super) fn missing(reading: &mut StaffText, clause: &Clause<'_>, when: &When) {
    if reading.minimum > reading.count {
        // "10-12 ushers, no, 5" leaves it open which is meant.
        reading.count = None;
    }
    let no_number = reading.count.is_none() && reading.delta.is_none();
    let needs_time = reading.intent == StaffIntent::FillRole && reading.time.is_none();
    let unknown = when.unknown || day::is_unread(clause.tokens);
    let mut missing = Vec::new();
    if asks(reading.intent) {
        if is_either(clause.tokens) {
            reading.role = None;
        }
        if reading.role.is_none() {
            missing.push("role".to_owned());
        }
        if no_number {
            missing.push("count".to_owned());
        }
        if needs_time || unknown {
            reading.time = None;
            missing.push("time".to_owned());
        }
    }
    let named = reading.role.is_some() || reading.time.is_some() || reading.date.is_some();
    if reading.intent == StaffIntent::CancelEvent && (!named || unknown) {
        missing.push("time".to_owned());
    }
    let mut roles: Vec<&str> = clause.tokens.iter().filter_map(Token::role).collect();
    roles.sort_unstable();
    roles.dedup();
    let single = clause.tokens.windows(2).any(|it| {
        (it[0].is_any(&["a", "an"]) && it[1].role().is_some())
            || (it[0].is_any(MOVED) && it[1].is_any(ONE))
    });
    let counted = single || clause.drafts.iter().any(|it| it.number().is_some());
    let moves = roles.len() >= 2 || moves_service(clause.tokens);
    if reading.intent == StaffIntent::Rebalance && (!moves || !counted) {
        missing.push("targets".to_owned());
    }
    if !missing.is_empty() {
        reading.of = Some(reading.intent);
        reading.intent = StaffIntent::Clarify;
        reading.missing = missing;
    }
}
