//! The requests of one kind in a text: which number belongs to which role and which service.

use super::amount::{Amount, Sense};
use super::said::Said;
use super::token::{Kind, Token};
use super::when;
use crate::times::SaidDay;

/// A request as far as a text names it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Draft {
    /// The stored name of the role.
    pub(super) role: Option<String>,
    /// The numbers of people.
    pub(super) amounts: Vec<Amount>,
    /// The times.
    pub(super) times: Vec<Said>,
}

/// Words between the parts of a list.
const JOINS: &[&str] = &["and", "y", "plus", "|", "also", "then", "e", "or", "n"];
/// Words that give each part of a list the same number.
const EACH: &[&str] = &["each", "apiece", "both", "cada"];
/// Words between a number and the role that it counts.
const BETWEEN: &[&str] = &[
    "more",
    "extra",
    "of",
    "in",
    "for",
    "people",
    "ppl",
    "on",
    "the",
    "to",
    "additional",
    "folks",
    "volunteers",
    "en",
    "para",
    "new",
    "at",
    "persons",
    "helpers",
    "good",
    "x",
    "personas",
    "fewer",
    "less",
    "mas",
];

/// Words between "and" and what it adds.
const LITTLE: &[&str] = &[
    "for", "at", "the", "on", "in", "para", "las", "a", "to", "of", "los", "el", "la", "en",
    "again",
];

impl Draft {
    /// Returns the number that is wanted.
    pub(super) fn number(&self) -> Option<&Amount> {
        self.amounts.iter().find(|it| !it.is_aside())
    }

    /// Whether it says which service of a day.
    pub(super) fn is_service(&self) -> bool {
        self.times.iter().any(|it| it.is_service() && !it.past && !it.is_limit)
    }

    fn day(&self) -> SaidDay {
        when::together(&self.times).day
    }
}

/// Returns the requests of a text, each with what it shares with the others.
pub(super) fn drafts(tokens: &[Token]) -> Vec<Draft> {
    let first = tokens.iter().find(|it| it.role().is_some() || it.amount().is_some());
    let number_first = first.is_some_and(|it| it.amount().is_some());
    let mut list = List { number_first, ..List::default() };
    for at in 0..tokens.len() {
        match &tokens[at].kind {
            Kind::Number(amount) if amount.is_aside() => list.last.amounts.push(*amount),
            Kind::Number(amount) => list.number(amount, tokens, at),
            Kind::Role(role) => list.role(role, is_listed(tokens, at)),
            Kind::Time(said) if said.past => {}
            Kind::Time(said) => list.time(said, is_listed(tokens, at)),
            Kind::Word | Kind::Mark => {}
        }
    }
    list.next();
    let each = tokens.iter().any(|it| it.is_any(EACH) || it.time().is_some_and(|it| it.all));
    shared(list.done, each)
}

/// The requests that are read so far.
#[derive(Debug, Default)]
struct List {
    done: Vec<Draft>,
    last: Draft,
    /// Whether a number stands before the first role: "3 ushers, 2 greeters".
    number_first: bool,
}

impl List {
    /// Begins another request.
    fn next(&mut self) {
        self.done.push(std::mem::take(&mut self.last));
    }

    fn number(&mut self, amount: &Amount, tokens: &[Token], at: usize) {
        let listed = is_listed(tokens, at);
        let counted = counted_role(tokens, at);
        let other =
            counted.is_some() && self.last.role.is_some() && self.last.role.as_deref() != counted;
        let known = self.last.number();
        let same = known.is_some_and(|it| it.n == amount.n && it.sense == amount.sense);
        if same && !other && !(listed && self.last.is_service()) {
            return;
        }
        if known.is_some() || (other && (listed || self.number_first)) {
            self.next();
        }
        self.last.amounts.push(*amount);
    }

    fn role(&mut self, role: &str, listed: bool) {
        let known = self.last.role.as_deref();
        if known.is_some_and(|it| it != role) {
            if !listed && self.last.number().is_none() {
                return;
            }
            self.next();
        }
        self.last.role = Some(role.to_owned());
    }

    fn time(&mut self, said: &Said, listed: bool) {
        let known = when::together(&self.last.times);
        let service = said.is_service() && known.is_service();
        let day = when::both(known.day, said.day).is_none();
        if listed && !said.is_limit && (service || day) {
            self.next();
        }
        self.last.times.push(said.clone());
    }
}

/// Whether a token follows a comma or "and", perhaps with little words between.
fn is_listed(tokens: &[Token], at: usize) -> bool {
    let before = tokens[..at].iter().rev().find(|it| !it.is_any(LITTLE));
    before.is_some_and(|it| it.is_any(JOINS))
}

/// Returns the role that a number counts: the one after it, with little words between.
fn counted_role(tokens: &[Token], at: usize) -> Option<&str> {
    tokens[at + 1..].iter().find(|it| !it.is_any(BETWEEN)).and_then(Token::role)
}

/// Gives each request what it shares with the others.
fn shared(mut all: Vec<Draft>, each: bool) -> Vec<Draft> {
    let whole = all.clone();
    let roles = |from: &[Draft]| from.iter().find_map(|it| it.role.clone());
    for (ix, draft) in all.iter_mut().enumerate() {
        let (before, after) = whole.split_at(ix);
        let only_time = draft.role.is_none() && draft.number().is_none();
        if draft.role.is_none() {
            let earlier = before.iter().rev().find_map(|it| it.role.clone());
            draft.role = earlier.or_else(|| roles(after));
        }
        // "ushers and greeters by one"
        let next = after.get(1).and_then(Draft::number);
        let by = next.is_some_and(|it| it.sense == Sense::By);
        if draft.number().is_none() && (each || only_time || by) {
            let number = before.iter().rev().chain(after).find_map(|it| it.number().copied());
            draft.amounts.extend(number);
        }
        if draft.times.iter().all(|it| it.is_limit) {
            let told = |it: &&Draft| it.times.iter().any(|it| !it.is_limit);
            let other = before.iter().rev().find(told).or_else(|| after.iter().find(told));
            draft.times.extend(other.into_iter().flat_map(|it| it.times.iter().cloned()));
        } else if draft.day() == SaidDay::Unsaid {
            let day = |it: &Draft| Some(it.day()).filter(|day| *day != SaidDay::Unsaid);
            let other = before.iter().rev().find_map(day).or_else(|| after.iter().find_map(day));
            draft.times.extend(other.map(|day| Said { day, ..Said::UNSAID }));
        }
    }
    all
}
