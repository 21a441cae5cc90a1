//! Puts the reading of a text together: its requests, the slots that belong to each, then what is
//! missing.

use std::collections::BTreeMap;

use jiff::Zoned;

use super::filling::{NEEDS, beside, fill, missing};
use super::fragment::{calls_off, is_bare};
use super::intent::{Clause, Scores, asks, intent, people_cancel};
use super::moves::is_sent_on;
use super::numbered::seeks;
use super::own::{Classified, OwnRequest};
use super::people::{People, people};
use super::request::drafts;
use super::said::Said;
use super::token::{Token, tokens};
use super::when::{self, When};
use super::{Intents, StaffIntent, StaffText, aside, clause, correction, day, mask};
use crate::church::ChurchWords;
use crate::times::SaidDay;

/// The probability from which each of two clauses is a request of its own.
const CLAUSE_FROM: f32 = 0.55;
/// The probability from which a clause before a request says nothing about it.
const CHATTER_FROM: f32 = 0.7;
/// Words of an answer that stands beside another request.
const ANSWERED: &[&str] = &["approve", "approved", "send", "reject", "decline", "deny"];

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
    aside::apply(&mut all);
    super::sense::qualify(&mut all);
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
    aside::apply(&mut all);
    super::sense::qualify(&mut all);
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
    let told = timed || day::is_unread(one);
    let counted = told || one.iter().any(|it| it.amount().is_some());
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
        // "Easter is April 5" calls nothing off.
        StaffIntent::CancelEvent if !calls_off(tokens) => false,
        StaffIntent::CancelEvent | StaffIntent::Rebalance => {
            tokens.iter().any(|it| it.role().is_some() || it.time().is_some())
        }
        StaffIntent::IncreaseTarget | StaffIntent::ReduceTarget => {
            tokens.iter().any(|it| it.role().is_some())
        }
        _ => true,
    };
    // "take two off ushers and give them to kids" is one request.
    let pronoun = other.windows(2).any(|it| {
        it[0].is_any(&["give", "add", "put", "send", "move", "make"])
            && it[1].is_any(&["them", "em", "it", "those"])
    });
    if asks(first) && pronoun && other.iter().all(|it| it.amount().is_none()) {
        return false;
    }
    // "who can usher at 9? I need 3" is one request.
    let shares = second == StaffIntent::FillRole && !other.iter().any(|it| it.role().is_some());
    if shares && seeks(one) {
        return false;
    }
    // "nursery only needs 3, send 2 to kids" is one request.
    let sends = other.first().is_some_and(|it| it.is_any(&["send", "give", "move", "put"]));
    if asks(first) && sends && one.iter().any(|it| it.role().is_some()) && is_sent_on(other) {
        return false;
    }
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
    if intent == StaffIntent::Unrelated {
        return vec![bare];
    }
    if matches!(intent, StaffIntent::Pause | StaffIntent::Resume) {
        let mut roles: Vec<&str> = part.iter().filter_map(Token::role).collect();
        roles.dedup();
        if roles.is_empty() {
            return vec![bare];
        }
        let of = |role: &&str| StaffText { role: Some((*role).to_owned()), ..bare.clone() };
        return roles.iter().map(of).collect();
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
            let when = When { unknown: when.unknown || when::contradicts(&draft.times), ..when };
            missing(&mut reading, &clause, &when);
            beside(&mut reading, &around.people, when::limit(&draft.times, around.now));
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
