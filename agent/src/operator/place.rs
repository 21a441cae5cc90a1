//! Addresses and suburbs in a text.

use std::ops::Range;

use super::gazetteer::is_suburb;
use super::tag::{Said, Tag, Tagged};
use super::token::Stop;

/// Words that end the name of a street.
const STREETS: &[&str] = &[
    "st",
    "street",
    "rd",
    "road",
    "ave",
    "avenue",
    "ct",
    "court",
    "dr",
    "drive",
    "grove",
    "gr",
    "gve",
    "cres",
    "crescent",
    "pl",
    "place",
    "lane",
    "ln",
    "pde",
    "parade",
    "hwy",
    "highway",
    "way",
    "tce",
    "terrace",
    "cl",
    "close",
    "blvd",
    "boulevard",
];
/// Words before a suburb.
const BEFORE: &[&str] = &["in", "from", "at", "of", "out", "suburb"];
/// Maximum number of words of the name of a street, and of a suburb.
const WORDS_MAX: usize = 3;

/// Finds addresses: a number and a street, with the suburb after it.
pub(super) fn addresses(text: &Tagged<'_>) -> Vec<Said> {
    let mut found: Vec<Said> = Vec::new();
    for at in 0..text.tokens.len() {
        if found.last().is_some_and(|last| at < last.tokens.end) {
            continue;
        }
        if let Some(end) = street(text, at) {
            found.push(Said { tokens: at..end, value: text.said(at..end).to_owned() });
        }
    }
    found
}

/// Returns the token after an address that begins here.
fn street(text: &Tagged<'_>, at: usize) -> Option<usize> {
    let word = text.word(at);
    let starts = word.starts_with(|c: char| c.is_ascii_digit()) && word.len() <= 6;
    let house = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    if !starts || word.len() > house.len() + 1 || text.tokens[at].stop != Stop::None {
        return None;
    }
    let named = (1..=WORDS_MAX).find(|&words| {
        let last = at + words + 1;
        let inner = at + 1..last;
        STREETS.contains(&text.word(last))
            && inner.clone().all(|ix| {
                text.tokens.get(ix).is_some_and(|it| it.stop == Stop::None && !it.is_number())
            })
            && !inner.clone().any(|ix| matches!(text.word(ix), "at" | "for" | "to" | "on" | "the"))
    })?;
    Some(at + named + 2)
}

/// Finds suburbs: a known one, or a name with a capital letter after "in".
pub(super) fn find(text: &Tagged<'_>) -> Vec<Said> {
    let mut found: Vec<Said> = Vec::new();
    let mut at = 0;
    while at < text.tokens.len() {
        match suburb(text, at) {
            Some(tokens) => {
                at = tokens.end;
                found.push(Said { value: text.said(tokens.clone()).to_owned(), tokens });
            }
            None => at += 1,
        }
    }
    found
}

/// Returns the tokens of the suburb that begins here.
fn suburb(text: &Tagged<'_>, at: usize) -> Option<Range<usize>> {
    let free = |end: usize| {
        let tags = text.tags.get(at..end)?;
        let plain = tags.iter().all(|tag| matches!(tag, Tag::Word | Tag::Name));
        let joined = (at..end - 1).all(|ix| text.tokens[ix].stop == Stop::None);
        (plain && joined).then_some(at..end)
    };
    let known = (1..=WORDS_MAX).rev().filter_map(|words| free(at + words)).find(|tokens| {
        let words: Vec<&str> = tokens.clone().map(|ix| text.word(ix)).collect();
        is_suburb(&words.join(" "))
    });
    if let Some(tokens) = known {
        let capital = text.tokens[at].capital;
        let placed = BEFORE.contains(&text.before(at))
            || at.checked_sub(1).is_some_and(|ix| {
                matches!(text.tags[ix], Tag::Phone | Tag::Name)
                    || text.tokens[ix].stop >= Stop::Comma
            });
        return (capital || placed).then_some(tokens);
    }
    let placed = matches!(text.before(at), "in" | "from" | "suburb" | "of");
    let capital =
        |ix: usize| text.tokens.get(ix).is_some_and(|it| it.capital && text.tags[ix] == Tag::Word);
    if !placed || !capital(at) {
        return None;
    }
    let mut end = at + 1;
    while end < at + WORDS_MAX && text.tokens[end - 1].stop == Stop::None && capital(end) {
        end += 1;
    }
    Some(at..end)
}
