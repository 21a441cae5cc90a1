//! A predicate: a thing and what is to be true of it, with arguments.

use serde_json::{Map, Value};

use crate::number::number;
use crate::obligations::read::clause::Clause;

/// Words before a noun that do not belong to it.
const DETERMINERS: &str = "the|a|an|my|our|your|his|her|their|all|all the|all of the|every|any|any of the|\
    some|that|this|these|those|each|of the|please|always|both|both of the|anybody|whole|entire";
/// Words that stand for a thing that was named before.
const PRONOUNS: &str = "it|them|that|this|him|her";
/// Maximum number of words of a noun: a longer one is a sentence.
const NOUN_WORDS_MAX: usize = 5;

/// A predicate with its arguments.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Predicate {
    pub(super) name: String,
    pub(super) args: Map<String, Value>,
}

impl Predicate {
    /// Builds the predicate that a thing is in a state.
    pub(super) fn new(thing: &str, state: &str) -> Option<Self> {
        let is_named = !thing.is_empty() && !state.is_empty();
        is_named.then(|| Self { name: format!("{thing}.{state}"), args: Map::new() })
    }

    pub(super) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.args.insert(name.to_owned(), value.into());
        self
    }
}

/// Returns a noun without the words before it.
pub(super) fn noun(clause: Clause<'_>) -> Clause<'_> {
    let mut clause = clause.trimmed();
    while let Some(shorter) = clause.after(DETERMINERS) {
        clause = shorter.trimmed();
    }
    clause
}

/// Returns the name of a thing: "the hall light" is `hall_light`, and "it" is the subject of the clause before.
pub(super) fn thing(clause: Clause<'_>, subject: Option<&str>) -> Option<String> {
    if clause.trimmed().is(PRONOUNS) {
        return subject.map(str::to_owned);
    }
    name(noun(clause))
}

/// Returns words as a part of a predicate's name; `None` if they are too many or none.
pub(super) fn name(clause: Clause<'_>) -> Option<String> {
    const ARTICLES: [&str; 6] = ["the", "a", "an", "my", "our", "your"];
    let words = clause.plain();
    let words: Vec<&str> = words.split(' ').filter(|word| !ARTICLES.contains(word)).collect();
    let words = words.join(" ");
    let count = words.split_whitespace().count();
    let letters: String =
        words.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    (1..=NOUN_WORDS_MAX).contains(&count).then_some(letters)
}

/// Returns the name of a place of a thing: "in the middle" is `at_center`, "in the box" is `in_box`.
pub(super) fn located(place: &str, what: Clause<'_>) -> Option<String> {
    let what = noun(what);
    if what.is("center|centre|middle|very center|very centre|exact center|exact centre|dead center|dead centre")
        && matches!(place, "at" | "in" | "on")
    {
        return Some("at_center".to_owned());
    }
    Some(format!("{place}_{}", name(what)?))
}

/// A number and the clause behind it.
#[derive(Debug, Clone)]
pub(super) struct Amount<'t> {
    pub(super) value: Value,
    pub(super) rest: Clause<'t>,
}

/// Reads a number at the start of a clause.
pub(super) fn amount(clause: Clause<'_>) -> Option<Amount<'_>> {
    let is_negative = clause.starts("-|minus|negative") > 0;
    let clause = clause.past("-|minus|negative").past("$");
    let said = clause.word(0);
    let value = if clause.is_number(0) { said.parse().ok()? } else { number(said)? as f64 };
    let value = if is_negative { -value } else { value };
    let value = if value.fract() == 0.0 { Value::from(value as i64) } else { Value::from(value) };
    Some(Amount { value, rest: clause.from(1) })
}
