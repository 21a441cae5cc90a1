//! Collects the conditions of a question about people, with what denies and what joins them.

use super::phrase::{AND, BEFORE_NAME, EVERYBODY, FRAME, HAVE_EMAIL, HAVE_ROLES, NOT, OR, PEOPLE};
use super::slot::{Slot, city, known_city, slot, strange_name};
use crate::obligations::people::{PeopleFilter, PersonField};
use crate::obligations::read::clause::Clause;
use crate::obligations::read::context::DirectoryWords;

/// Maximum number of conditions: a text has a handful.
const FILTERS_MAX: usize = 12;

/// The conditions of a clause, and what else is in it.
#[derive(Debug, Clone, Default)]
pub(super) struct Found {
    pub(super) filters: Vec<PeopleFilter>,
    /// The number of words that are neither a condition nor a part of a question.
    pub(super) unknown: usize,
    /// The number of words that ask for people.
    pub(super) people_words: usize,
    /// The number of roles that were named.
    pub(super) role_words: usize,
    pub(super) everybody: bool,
    /// Whether a name is the first condition.
    pub(super) names_first: bool,
    pub(super) has_city: bool,
    pub(super) has_role: bool,
    pub(super) has_email: bool,
}

/// What joins the next condition to the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joint {
    None,
    And,
    Or,
}

struct Collector<'d> {
    directory: &'d DirectoryWords,
    found: Found,
    is_denied: bool,
    joint: Joint,
    /// Whether the condition before was in the plural, and which place it has.
    last: Option<Last>,
}

/// The condition before.
#[derive(Debug, Clone, Copy)]
struct Last {
    is_plural: bool,
    is_denied: bool,
    /// The token behind it.
    end: usize,
}

/// Collects the conditions of a clause.
pub(super) fn conditions(clause: Clause<'_>, directory: &DirectoryWords) -> Found {
    let everybody = clause.has(EVERYBODY);
    let found = Found { everybody, ..Found::default() };
    let mut collector =
        Collector { directory, found, is_denied: false, joint: Joint::None, last: None };
    let mut at = 0;
    while at < clause.len() && collector.found.filters.len() < FILTERS_MAX {
        at += collector.step(clause, at).max(1);
    }
    collector.found
}

impl Collector<'_> {
    /// Reads what is at a place. Returns the number of its tokens.
    fn step(&mut self, clause: Clause<'_>, at: usize) -> usize {
        let rest = clause.from(at);
        if let Some(tokens) = self.email(rest).or_else(|| self.any_role(rest)) {
            return tokens;
        }
        if let Some(slot) = self.slot(clause, at) {
            let tokens = slot.tokens;
            self.add(slot, at);
            return tokens;
        }
        // "out of my friends, who is in Boise"
        if rest
            .after("out of|of all|among all")
            .is_some_and(|of| of.starts("my friends|all my friends|the|my|our") > 0)
        {
            return rest.starts("out of|of all|among all");
        }
        let denied = rest.starts(NOT);
        if denied > 0 {
            // "neither ushers nor greeters", "not in Salem nor Boise"
            if rest.starts("nor") > 0 {
                self.joint = Joint::Or;
            } else {
                self.is_denied = true;
                self.joint = Joint::None;
            }
            return denied;
        }
        for (words, joint) in [(OR, Joint::Or), (AND, Joint::And)] {
            let joined = rest.starts(words);
            if joined > 0 {
                self.joint = joint;
                return joined;
            }
        }
        let people = rest.starts(PEOPLE);
        let frame = rest.starts(FRAME);
        self.found.people_words += usize::from(people > 0);
        let is_mark = rest.word(0).chars().all(|c| !c.is_alphanumeric());
        if people == 0 && frame == 0 && !is_mark {
            self.found.unknown += 1;
        }
        people.max(frame).max(1)
    }

    /// Reads whether somebody has a role at all: "without a role".
    fn any_role(&mut self, rest: Clause<'_>) -> Option<usize> {
        let had = rest.starts(HAVE_ROLES);
        if had == 0 {
            return None;
        }
        let is_denied = self.is_denied || rest.until(had).has("no|without|not");
        let filter = PeopleFilter::Has(PersonField::Roles);
        self.push(filter, is_denied);
        self.found.people_words += 1;
        self.is_denied = false;
        Some(had)
    }

    /// Reads whether somebody has a mail address: "without an email".
    fn email(&mut self, rest: Clause<'_>) -> Option<usize> {
        let had = rest.starts(HAVE_EMAIL);
        if had == 0 {
            return None;
        }
        let is_denied =
            self.is_denied || rest.until(had).has("no|without|dont|doesnt|lack|lacks|missing");
        let filter = PeopleFilter::Has(PersonField::Email);
        self.found.filters.push(if is_denied {
            PeopleFilter::Not(Box::new(filter))
        } else {
            filter
        });
        self.found.has_email = true;
        self.is_denied = false;
        Some(had)
    }

    fn slot(&self, clause: Clause<'_>, at: usize) -> Option<Slot> {
        let rest = clause.from(at);
        if let Some(found) = slot(rest, self.directory) {
            return Some(found);
        }
        // "in Salem or Reno"
        let follows_city =
            self.joint != Joint::None && self.found.filters.last().is_some_and(is_city);
        if follows_city && (rest.is_capital(0) || known_city(rest, self.directory).is_some()) {
            return city(rest, self.directory);
        }
        let is_outside = self.is_denied
            && clause.until(at).ends("outside|outside of|out of|away from|in|not") > 0;
        if is_outside && (rest.is_capital(0) || known_city(rest, self.directory).is_some()) {
            return city(rest, self.directory);
        }
        let asks_somebody = clause.until(at).ends(BEFORE_NAME) > 0
            || (clause.until(at).ends("for|of") > 0
                && clause.until(at).has("email|address|city|role|roles|contact info"));
        // "what's Bob's email"
        let is_genitive = rest.until(1).raw().ends_with("'s") && rest.is_capital(0) && at > 0;
        let asks_somebody = asks_somebody
            || (is_genitive
                && clause.has("email|address|city|role|roles|team|contact info|hometown"));
        let is_known_word = rest.starts(FRAME) > 0
            || rest.starts(PEOPLE) > 0
            || rest.starts(NOT) > 0
            || rest.starts("I") > 0;
        (asks_somebody && !is_known_word && self.found.filters.is_empty())
            .then(|| strange_name(rest))
            .flatten()
    }

    fn add(&mut self, slot: Slot, at: usize) {
        let Slot { filter, tokens, is_plural } = slot;
        self.found.names_first |=
            self.found.filters.is_empty() && matches!(filter, PeopleFilter::Name(_));
        self.found.has_city |= is_city(&filter);
        self.found.has_role |= matches!(filter, PeopleFilter::Role(_));
        self.found.role_words += usize::from(matches!(filter, PeopleFilter::Role(_)));
        let is_choice = match (self.joint, self.last) {
            (Joint::Or, Some(_)) => true,
            (Joint::And, Some(last)) => {
                let both_plural = last.is_plural
                    && is_plural
                    && self.found.filters.last().is_some_and(|before| same_kind(before, &filter));
                let apart =
                    self.found.filters.last().is_some_and(|before| same_kind(before, &filter))
                        && !matches!(filter, PeopleFilter::Role(_) | PeopleFilter::IsFriend(_));
                !self.is_denied && (both_plural || apart) && at <= last.end + 3
            }
            _ => false,
        };
        let is_denied =
            self.is_denied || (is_choice && self.last.is_some_and(|last| last.is_denied));
        let before = if is_choice { self.found.filters.pop() } else { None };
        match before {
            Some(before) if !self.is_denied || self.last.is_some_and(|last| last.is_denied) => {
                self.found.filters.push(widened(before, filter))
            }
            Some(before) => {
                self.found.filters.push(widened(before, PeopleFilter::Not(Box::new(filter))))
            }
            None => self.push(filter, is_denied),
        }
        self.last = Some(Last { is_plural, is_denied, end: at + tokens });
        self.is_denied = false;
        self.joint = Joint::None;
    }

    fn push(&mut self, filter: PeopleFilter, is_denied: bool) {
        self.found.filters.push(if is_denied {
            PeopleFilter::Not(Box::new(filter))
        } else {
            filter
        });
    }
}

/// Adds a choice to a condition; inside of what denies it.
fn widened(before: PeopleFilter, other: PeopleFilter) -> PeopleFilter {
    match before {
        PeopleFilter::Not(inner) => PeopleFilter::Not(Box::new(widened(*inner, other))),
        PeopleFilter::Any(mut filters) => {
            filters.push(other);
            PeopleFilter::Any(filters)
        }
        single => PeopleFilter::Any(vec![single, other]),
    }
}

/// Whether a condition is about a city.
pub(super) fn is_city(filter: &PeopleFilter) -> bool {
    match filter {
        PeopleFilter::City(_) => true,
        PeopleFilter::Not(inner) => is_city(inner),
        PeopleFilter::Any(filters) => filters.iter().any(is_city),
        _ => false,
    }
}

/// Whether two conditions are about the same member.
fn same_kind(before: &PeopleFilter, other: &PeopleFilter) -> bool {
    match before {
        PeopleFilter::Any(filters) => filters.iter().any(|filter| same_kind(filter, other)),
        PeopleFilter::Not(_) => false,
        single => std::mem::discriminant(single) == std::mem::discriminant(other),
    }
}
