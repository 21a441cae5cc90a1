//! Reads corrections of the fact that was told last.

use super::phrase::{COPULAS, MARKERS, NO_NAME, STRONG_COPULAS};
use super::value;
use crate::obligations::Obligation;
use crate::obligations::read::clause::Clause;
use crate::obligations::read::context::Dialogue;
use crate::obligations::read::field;
use crate::obligations::read::token::tokens;

/// Maximum number of words of a correction that consists of nothing but the value.
const BARE_WORDS_MAX: usize = 3;
/// Words after which the correction says what is wrong, not what is right.
const WRONG: &str = "thats wrong|that is wrong|thats not right|thats not it|thats not my name|\
    that is not my name|thats incorrect|wrong|not quite";
/// Orders to forget what was told last.
const FORGET: &str = "forget that|forget what i said|delete that|erase that|forget i said that";

/// Reads a correction of the fact that was told last: "actually it's Sam with one m". In the same text, the field
/// can also be named without a value: "my number changed, it's 208-555-0199".
pub(in crate::obligations::read) fn correction(
    clause: Clause<'_>,
    dialogue: &Dialogue,
) -> Option<Vec<Obligation>> {
    if clause.ends("?") > 0 {
        return None;
    }
    let named = named_before(clause);
    let field = named.as_deref().or(dialogue.last_field.as_deref())?;
    if clause.trimmed().is(FORGET) {
        return Some(vec![Obligation::forget(field)]);
    }
    let mut rest = clause;
    let mut is_marked = false;
    while let Some(shorter) = rest.after(MARKERS).or_else(|| rest.after(WRONG)) {
        let is_strong = rest.starts(",|-|.|:|!|and|oh|um|hmm|well") == 0;
        is_marked |= is_strong || shorter.len() + 1 < rest.len();
        rest = shorter;
    }
    if let Some(said) = instead_of(clause, dialogue.memory.recall(field)) {
        return Some(vec![Obligation::save(field, said)]);
    }
    let copula = rest.after(COPULAS).or_else(|| rest.after(STRONG_COPULAS));
    let said = copula.unwrap_or(rest).trimmed();
    let is_plain = said.is_capital(0) || said.is_number(0) || said.raw().contains('@');
    let is_told = copula.is_some_and(|_| is_marked || is_plain || rest.starts(STRONG_COPULAS) > 0);
    let is_bare = is_marked && copula.is_none() && is_plain && said.len() <= BARE_WORDS_MAX;
    let is_value = said.starts(NO_NAME) == 0 && said.starts("whats|list|show|tell") == 0;
    if !is_value || !(is_told || is_bare) {
        return None;
    }
    Some(vec![Obligation::save(field, &value(said)?)])
}

/// Returns the field that the text names before a clause: "my number changed".
fn named_before(clause: Clause<'_>) -> Option<String> {
    let text = clause.text_before();
    let tokens = tokens(text);
    let before = Clause::new(text, &tokens);
    let mine = before.split("my")?.after;
    let noun = (1..=mine.len().min(BARE_WORDS_MAX)).rev().map(|end| mine.until(end));
    let known = noun.filter(|noun| field::is_common(*noun)).find_map(field::of);
    // "my name is Sam, it's late" has told the value already.
    known.filter(|_| {
        !mine.has("is now|is|are")
            || mine.has("is wrong|is incorrect|is not right|has changed|is out of date|is old")
    })
}

/// Reads "Sam, not Samm", if the second value is the one that is known.
fn instead_of<'t>(clause: Clause<'t>, known: Option<&str>) -> Option<&'t str> {
    let sides = clause.split("not").filter(|sides| !sides.before.trimmed().is_empty())?;
    let is_known = sides.after.trimmed().raw().eq_ignore_ascii_case(known?);
    let said = sides.before.trimmed().past(COPULAS);
    let is_value = is_known && said.len() <= BARE_WORDS_MAX + 1 && said.starts("my|i|im") == 0;
    is_value.then(|| said.raw())
}
