//! Puts the reading of a text together: its requests, the slots that belong to each, then what is
//! missing.

use std::collections::BTreeMap;

use jiff::Zoned;

use super::amount::{Amount, Sense};
use super::fragment::is_bare;
use super::intent::{Clause, Scores, asks, intent, people_cancel, targets};
use super::own::{Classified, OwnRequest};
use super::people::{People, people};
use super::request::{Draft, drafts};
use super::said::Said;
use super::token::{Token, joined, tokens};
use super::when::{self, When};
use super::{Intents, StaffIntent, StaffText, clause, correction, mask};
use crate::church::ChurchWords;
use crate::text::{has, padded};
use crate::times::SaidDay;

/// The probability from which each of two clauses is a request of its own.
const CLAUSE_FROM: f32 = 0.55;
/// The probability from which a clause before a request says nothing about it.
const CHATTER_FROM: f32 = 0.7;
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
/// Words of an answer that stands beside another request.
const ANSWERED: &[&str] = &["approve", "approved", "send", "reject", "decline", "deny"];
/// Words that show a request for people without a number.
const NEEDS: &[&str] = &["need", "needs", "find", "get", "fill", "want", "recruit", "necesito"];
/// Words that stand for one person, without a number.
const ONE: &[&str] = &["someone", "somebody", "alguien", "sub", "replacement", "substitute"];
/// Verbs of which "an usher" is one who goes.
const GOES: &[&str] = &["drop", "lose", "cut", "remove", "spare", "release"];
/// Verbs before the number of people who move.
const MOVED: &[&str] =
    &["move", "trade", "swap", "send", "take", "pull", "steal", "borrow", "transfer", "pasa"];
/// Words that stand for some people, without a number.
const SOME: &[&str] =
    &["few", "some", "handful", "several", "usual", "bunch", "lot", "ton", "unos", "unas"];

/// What the readings of a text share.
struct Surroundings<'c> {
    text: &'c str,
    now: &'c Zoned,
    church: &'c ChurchWords,
    intents: &'c Intents,
    people: People,
}

impl Surroundings<'_> {
    fn classified(&self, tokens: &[Token]) -> Classified {
        self.intents.classify(&mask::masked(tokens))
    }
}

pub(super) fn read(text: &str, now: &Zoned, church: &ChurchWords, intents: &Intents) -> StaffText {
    let mut all = tokens(text, now, church);
    if all.iter().all(|token| token.word == "|") {
        return StaffText::of(StaffIntent::Clarify, 1.0);
    }
    correction::apply(&mut all, church);
    super::amount::qualify(&mut all);
    let around = Surroundings { text, now, church, intents, people: people(text, church) };
    let mut readings: Vec<StaffText> = Vec::new();
    for part in clauses(&all, &around) {
        for reading in readings_of(part, &all, &around) {
            let same = |it: &StaffText| {
                StaffText { confidence: reading.confidence, ..it.clone() } == reading
            };
            if !readings.iter().any(same) {
                readings.push(reading);
            }
        }
    }
    let mut readings = readings.into_iter();
    let first = readings.next().unwrap_or_else(|| StaffText::of(StaffIntent::Unrelated, 0.0));
    StaffText { also: readings.filter(is_request).collect(), ..first }
}

/// Whether a further reading of a text asks for something.
fn is_request(reading: &StaffText) -> bool {
    !matches!(reading.intent, StaffIntent::Unrelated)
}

/// Returns a text as the classifier sees it.
pub(super) fn as_classified(text: &str, now: &Zoned, church: &ChurchWords) -> String {
    let mut all = tokens(text, now, church);
    correction::apply(&mut all, church);
    super::amount::qualify(&mut all);
    mask::masked(&all)
}

/// Returns the clauses of a text that ask for different things.
fn clauses<'t>(all: &'t [Token], around: &Surroundings<'_>) -> Vec<&'t [Token]> {
    let mut parts = Vec::new();
    let mut start = 0;
    for next in clause::boundaries(all) {
        let at = next.joint.start;
        if at <= start {
            continue;
        }
        let one = ReadClause::of(&all[start..at], around);
        let other = ReadClause::of(&all[at + 1..], around);
        if is_chatter(&one, &other) {
            start = at + 1;
        } else if next.has_start && differ(&one, &other) {
            parts.push(one.tokens);
            start = at + 1;
        }
    }
    parts.push(&all[start..]);
    parts
}

/// What a clause asks for, as far as the classifier sees.
struct ReadClause<'t> {
    tokens: &'t [Token],
    /// The most probable intent, and its probability.
    best: (StaffIntent, f32),
}

impl<'t> ReadClause<'t> {
    fn of(tokens: &'t [Token], around: &Surroundings<'_>) -> Self {
        let found = around.classified(tokens);
        let best = match found.own {
            Some((_, p)) => (StaffIntent::Own, p),
            None => Scores(found.scores).best(),
        };
        Self { tokens, best }
    }
}

/// Whether a clause is sure to ask for nothing, and the next for something: "thanks for the
/// greeters! now find 2 ushers".
fn is_chatter(one: &ReadClause<'_>, other: &ReadClause<'_>) -> bool {
    let ((first, p), (second, q)) = (one.best, other.best);
    let (one, other) = (one.tokens, other.tokens);
    let timed = is_bare(one) && one.iter().any(|it| it.time().is_some());
    let counted = timed || one.iter().any(|it| it.amount().is_some());
    let asks_for = asks(second) && other.iter().any(|it| it.role().is_some());
    first == StaffIntent::Unrelated
        && p >= CHATTER_FROM
        && !counted
        && asks_for
        && q >= CHATTER_FROM
}

/// Whether two clauses are sure to ask for different things.
fn differ(one: &ReadClause<'_>, other: &ReadClause<'_>) -> bool {
    let ((first, p), (second, q)) = (one.best, other.best);
    let (one, other) = (one.tokens, other.tokens);
    if people_cancel(one) {
        return false;
    }
    let stands = |tokens: &[Token], intent: StaffIntent| match intent {
        StaffIntent::Unrelated => false,
        // "go ahead and bump the nursery" approves nothing.
        StaffIntent::Approve | StaffIntent::Reject => {
            let named = tokens.iter().any(|it| it.role().is_some() || it.is_any(ANSWERED));
            named && other.iter().any(|it| it.role().is_some())
        }
        StaffIntent::FillRole => tokens.iter().any(|it| it.amount().is_some() || it.is_any(NEEDS)),
        StaffIntent::CancelEvent | StaffIntent::Rebalance => {
            tokens.iter().any(|it| it.role().is_some() || it.time().is_some())
        }
        StaffIntent::IncreaseTarget | StaffIntent::ReduceTarget => {
            tokens.iter().any(|it| it.role().is_some())
        }
        _ => true,
    };
    // "4 isn't enough in nursery, need 6" is one request.
    let counts = asks(first) && asks(second);
    if counts && !other.iter().any(|it| it.role().is_some()) {
        return false;
    }
    let sure = p >= CLAUSE_FROM && q >= CLAUSE_FROM;
    sure && first != second && stands(one, first) && stands(other, second)
}

/// Returns the readings of a clause.
fn readings_of(part: &[Token], all: &[Token], around: &Surroundings<'_>) -> Vec<StaffText> {
    let found = around.classified(part);
    if let Some(reading) = found.own.and_then(|(name, p)| of_home(&name, p, around)) {
        return vec![reading];
    }
    let drafts = drafts(part);
    let clause = Clause { tokens: part, drafts: &drafts, scores: Scores(found.scores) };
    let (intent, confidence) = intent(&clause);
    let bare = StaffText::of(intent, confidence);
    if matches!(intent, StaffIntent::Unrelated | StaffIntent::Pause | StaffIntent::Resume) {
        return vec![bare];
    }
    let several = asks(intent)
        || matches!(intent, StaffIntent::CancelEvent | StaffIntent::Status | StaffIntent::List);
    let listed = if several { &drafts[..] } else { &drafts[..1] };
    let day = all
        .iter()
        .filter_map(Token::time)
        .find(|it| it.day != SaidDay::Unsaid && !it.past && !it.is_limit);
    let mut readings: Vec<StaffText> = Vec::new();
    for draft in listed {
        let mut said = when::together(&draft.times);
        if asks(intent) && said == Said::UNSAID {
            said = when::together(&all.iter().filter_map(Token::time).cloned().collect::<Vec<_>>());
        }
        if matches!(said.day, SaidDay::Period { .. }) && !said.is_service() {
            said.named = own_service(draft.role.as_deref(), around.church);
        }
        if let (SaidDay::Unsaid, true, Some(other)) = (said.day, said.is_service(), day) {
            let dated = Said { day: other.day, ..said.clone() };
            let fits = when::resolve(&dated, around.now, around.church);
            if fits.iter().any(|when| when.time.is_some()) {
                said = dated;
            }
        }
        for when in when::resolve(&said, around.now, around.church) {
            let mut reading = bare.clone();
            reading.time.clone_from(&when.time);
            reading.date.clone_from(&when.date);
            // "not today" and "don't send it tonight" speak of no service.
            if matches!(intent, StaffIntent::Approve | StaffIntent::Reject) {
                reading.date = None;
                reading.time = reading.time.filter(|_| draft.role.is_some());
            }
            fill(&mut reading, &clause, draft);
            missing(&mut reading, &clause, &when);
            beside(&mut reading, draft, around);
            let again = |it: &StaffText| {
                it.role == reading.role && it.time == reading.time && it.date == reading.date
            };
            if !readings.iter().any(again) {
                readings.push(reading);
            }
        }
    }
    readings
}

/// Returns the reading of a text that asks for an intent of a home.
fn of_home(name: &str, confidence: f32, around: &Surroundings<'_>) -> Option<StaffText> {
    let intent = around.intents.own(name)?;
    let slots = intent.named(around.text, around.now, around.church);
    let mut reading = StaffText::of(StaffIntent::Own, confidence);
    reading.missing = intent.missing(&slots);
    reading.own = Some(OwnRequest { intent: name.to_owned(), slots });
    if !reading.missing.is_empty() {
        reading.of = Some(StaffIntent::Own);
        reading.intent = StaffIntent::Clarify;
    }
    Some(reading)
}

/// Returns the service that is a role's own: "youth night" is that of the youth.
fn own_service(role: Option<&str>, church: &ChurchWords) -> Option<String> {
    let names = church.services.iter().flat_map(|service| &service.names);
    let mut own = names.filter(|name| name.split(' ').next() == role);
    own.next().cloned()
}

/// Sets the role and the numbers of a reading.
fn fill(reading: &mut StaffText, clause: &Clause<'_>, draft: &Draft) {
    if reading.intent == StaffIntent::Rebalance {
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
        Some(amount) => number(reading, amount),
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
fn number(reading: &mut StaffText, amount: &Amount) {
    let sign = if reading.intent == StaffIntent::ReduceTarget { -1 } else { 1 };
    match amount.sense {
        Sense::More | Sense::Fewer | Sense::By => reading.delta = Some(sign * amount.n),
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
    let someone = tokens.iter().any(|it| it.is_any(ONE));
    let goes = tokens.iter().any(|it| it.is_any(GOES));
    let drops = reading.intent == StaffIntent::ReduceTarget && role && goes;
    let wanted = drops || reading.intent == StaffIntent::FillRole;
    (wanted && reading.role.is_some() && !some && (role || someone)).then_some(1)
}

/// Sets what a request says beside its main slots.
fn beside(reading: &mut StaffText, draft: &Draft, around: &Surroundings<'_>) {
    let wanted = reading.of.unwrap_or(reading.intent);
    if matches!(wanted, StaffIntent::FillRole | StaffIntent::IncreaseTarget) {
        reading.prefer.clone_from(&around.people.prefer);
        reading.exclude.clone_from(&around.people.exclude);
        reading.skill.clone_from(&around.people.skill);
        reading.deadline = when::limit(&draft.times, around.now);
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
fn missing(reading: &mut StaffText, clause: &Clause<'_>, when: &When) {
    let no_number = reading.count.is_none() && reading.delta.is_none();
    let needs_time = reading.intent == StaffIntent::FillRole && reading.time.is_none();
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
        if needs_time || when.unknown {
            missing.push("time".to_owned());
        }
    }
    let named = reading.role.is_some() || reading.time.is_some() || reading.date.is_some();
    if reading.intent == StaffIntent::CancelEvent && (!named || when.unknown) {
        missing.push("time".to_owned());
    }
    let mut roles: Vec<&str> = clause.tokens.iter().filter_map(Token::role).collect();
    roles.sort_unstable();
    roles.dedup();
    let single =
        clause.tokens.windows(2).any(|it| it[0].is_any(&["a", "an"]) && it[1].role().is_some());
    let counted = single || clause.drafts.iter().any(|it| it.number().is_some());
    if reading.intent == StaffIntent::Rebalance && (roles.len() < 2 || !counted) {
        missing.push("targets".to_owned());
    }
    if !missing.is_empty() {
        reading.of = Some(reading.intent);
        reading.intent = StaffIntent::Clarify;
        reading.missing = missing;
    }
}

impl StaffText {
    /// A reading without slots.
    pub(super) fn of(intent: StaffIntent, confidence: f32) -> Self {
        Self {
            intent,
            of: None,
            role: None,
            count: None,
            delta: None,
            time: None,
            date: None,
            targets: BTreeMap::new(),
            missing: Vec::new(),
            own: None,
            prefer: Vec::new(),
            exclude: Vec::new(),
            minimum: None,
            skill: None,
            deadline: None,
            also: Vec::new(),
            requires_approval: false,
            confidence,
        }
    }
}
