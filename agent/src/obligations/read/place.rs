//! Finds the city that a text has named before: "I'm heading to Seattle, who do I know there?"

use super::clause::Clause;
use super::context::DirectoryWords;
use super::token::tokens;
use crate::obligations::clock::zone_of_city;
use crate::obligations::people::folded;

/// Words before a city.
const BEFORE: &str = "to|in|for|at|near|around|from|visiting|call|calling|with|via|through|into|of";
/// Maximum number of words of a city: "Ho Chi Minh City".
const WORDS_MAX: usize = 4;

/// Returns the city that the text names last before a clause.
pub(super) fn before(clause: Clause<'_>, directory: &DirectoryWords) -> Option<String> {
    let text = clause.text_before();
    let tokens = tokens(text);
    last(Clause::new(text, &tokens), directory)
}

/// Returns the last city that a clause names.
pub(super) fn last(clause: Clause<'_>, directory: &DirectoryWords) -> Option<String> {
    (0..clause.len()).rev().find_map(|at| {
        let place = clause.from(at).after(BEFORE)?;
        let longest = (1..=WORDS_MAX.min(place.len())).rev().map(|end| place.until(end));
        let mut known = longest.filter(|place| place.is_capital(0) && is_city(*place, directory));
        known.next().map(|place| place.trimmed().raw().to_owned())
    })
}

fn is_city(place: Clause<'_>, directory: &DirectoryWords) -> bool {
    let said = place.plain();
    directory.cities.iter().any(|city| folded(city) == said) || zone_of_city(place.raw()).is_some()
}
