//! Reads what takes up the question before: "and in Boise?", "what about Tokyo", and answers to what was asked.

use super::clause::Clause;
use super::context::ReadContext;
use super::courtesy::bare;
use super::people::{Slot, slot_of};
use super::when::timed;
use super::{fact, time};
use crate::obligations::clock::TimeQuestion;
use crate::obligations::letters::CountQuestion;
use crate::obligations::people::{PeopleFilter, PeopleQuestion};
use crate::obligations::{Obligation, ObligationType};

/// Words that take up a question.
const AGAIN: &str = "what about|how about|and|and what about|and how about|same for|same question for|also|\
    or|now|the same for|and for|what if its|and the same for|now do|do|then|and now|try|ok what about|\
    how bout|what abt";
/// Words before a place that answers a question.
const PLACED: &str = "in|its in|he lives in|she lives in|they live in|thats in|its|at";
/// Questions for the number of those who were listed.
const HOW_MANY: &str = "how many|how many is that|how many are there|how many are they|how many are that|\
    how many is it|how many in total|how many of them are there|count them|how many people is that|\
    how many total|how many names is that";

/// Reads a short text as a change of the question before.
pub(super) fn read(clause: Clause<'_>, context: &ReadContext) -> Option<Vec<Obligation>> {
    let last = context.dialogue.last_question.as_ref()?;
    let trimmed = clause.trimmed();
    if trimmed.past("and|so").is(HOW_MANY) {
        let question =
            PeopleQuestion { count: true, field: None, ..last.read::<PeopleQuestion>()? };
        return Some(vec![Obligation::report(&question)]);
    }
    let rest = bare(trimmed.after(AGAIN)?);
    if rest.is_empty() {
        return None;
    }
    if last.read::<TimeQuestion>().is_some() {
        let place = bare(rest.past("in|at|over in|for|time in"));
        return Some(vec![Obligation::report(&time::at(place.raw(), TimeQuestion::default()))]);
    }
    if let Some(question) = last.read::<CountQuestion>() {
        let word = rest.past("in|the word|in the word|for|of");
        if word.len() == rest.len()
            && let Some(letter) = super::letters::letter_alone(rest)
        {
            return Some(vec![Obligation::report(&CountQuestion {
                letter: Some(letter),
                ..question
            })]);
        }
        return Some(vec![Obligation::report(&CountQuestion {
            text: word.unquoted().to_owned(),
            ..question
        })]);
    }
    let question = last.read::<PeopleQuestion>()?;
    let slot = slot_of(rest, &context.directory)?;
    Some(vec![Obligation::report(&replaced(question, slot))])
}

/// Puts a condition into a question in place of those of its kind.
fn replaced(mut question: PeopleQuestion, slot: Slot) -> PeopleQuestion {
    let same_kind = |filter: &PeopleFilter| match (inner(filter), inner(&slot.filter)) {
        (Some(a), Some(b)) => std::mem::discriminant(a) == std::mem::discriminant(b),
        _ => false,
    };
    match question.filters.iter().position(same_kind) {
        Some(at) => question.filters[at] = slot.filter,
        None => question.filters.push(slot.filter),
    }
    question
}

/// Returns a condition without what negates or widens it.
fn inner(filter: &PeopleFilter) -> Option<&PeopleFilter> {
    match filter {
        PeopleFilter::Not(filter) => inner(filter),
        PeopleFilter::Any(filters) => filters.first().and_then(inner),
        other => Some(other),
    }
}

/// Reads a text as the answer to what was asked for.
pub(super) fn answer(clause: Clause<'_>, context: &ReadContext) -> Option<Vec<Obligation>> {
    let open = context.dialogue.open.as_ref()?;
    match open.of.obligation_type {
        ObligationType::Report if open.of.kind() == "status" => fact::answer(clause, &open.slot),
        ObligationType::Report if open.of.kind() == "time" => {
            let place = bare(clause).past(PLACED);
            let is_short = !place.is_empty() && place.len() <= 4;
            is_short
                .then(|| vec![Obligation::report(&time::at(place.raw(), TimeQuestion::default()))])
        }
        ObligationType::Schedule if open.slot == "time" => {
            let timed = timed(clause.raw(), context.now.as_ref());
            let event = open.of.text("event").unwrap_or_default();
            Some(vec![Obligation::schedule(event, Some(&timed.instant()?))])
        }
        _ => None,
    }
}
