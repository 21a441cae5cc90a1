//! Where, when, how much and how many a message says.

use std::ops::Range;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::token::{CURRENCY, Token, take};
use crate::number::number;
use crate::times::{Cue, SaidClock, SaidDay, find};

/// Words for an amount of money.
const MONEY: &[&str] = &[
    "dollar", "dollars", "bucks", "euro", "euros", "pound", "pounds", "rupee", "rupees", "rs",
    "usd", "eur", "gbp", "inr", "aud",
];
/// Words before the most that something may cost.
const LIMIT: &[&str] = &["under", "below", "within", "max", "maximum", "budget"];
/// Two words before the most that something may cost.
const LIMIT_TOGETHER: &[[&str; 2]] =
    &[["up", "to"], ["less", "than"], ["at", "most"], ["budget", "of"], ["budget", "is"]];
/// What is counted, but is no amount of money and no number of people or things.
const MEASURES: &[&str] = &[
    "minute", "minutes", "min", "mins", "hour", "hours", "km", "kms", "miles", "mile", "meters",
    "metres", "kg", "percent", "stars", "star", "places",
];
/// How long something lasts.
const SPANS: &[&str] =
    &["day", "days", "night", "nights", "week", "weeks", "weekend", "weekends", "month", "months"];
/// Spans that need no number.
const WEEKEND: &[&str] = &["weekend"];
/// People who are counted.
const PEOPLE: &[&str] = &["people", "persons", "adults", "kids", "guests", "pax", "us"];
/// Words before a place.
const TO_PLACE: &[&str] = &["in", "near", "around", "at", "to", "visit", "visiting", "explore"];
/// Words before a place that need no capital letter to be one.
const TO_ANY_PLACE: &[&str] = &["in", "near", "around", "visit", "visiting", "explore"];
/// Words that make a phrase with "in" and are no places.
const NO_PLACE: &[&str] =
    &["order", "general", "total", "case", "advance", "stock", "cash", "time", "mind", "fact"];
/// Words of a journey, after which "to" names its end.
const JOURNEY: &[&str] =
    &["trip", "go", "going", "travel", "fly", "flight", "flights", "drive", "train", "journey"];
/// What a place is called that is only said to be near.
const NEARBY: &str = "nearby";
/// Most words of a place.
const PLACE_WORDS_MAX: usize = 3;

/// Takes the words that say when, or for how long. Words that are taken already say nothing about it.
pub(super) fn when(text: &str, tokens: &mut [Token<'_>], at: Timestamp) -> Option<String> {
    let found = find(&without_taken(text, tokens), &at.to_zoned(TimeZone::UTC));
    // A number that only its place makes a clock time is rather a number of people or things.
    let said = found.into_iter().filter(|time| {
        let is_count = matches!(time.clock, SaidClock::At(clock) if clock.cue == Cue::Place);
        !(is_count && time.day == SaidDay::Unsaid)
    });
    let mut first = None;
    for time in said {
        let words = take(tokens, covered(tokens, &time.bytes));
        first = first.or(words);
    }
    first.or_else(|| span(tokens))
}

/// Returns a text with blanks in the place of the words that are taken.
fn without_taken(text: &str, tokens: &[Token<'_>]) -> String {
    let mut masked = text.to_owned();
    for token in tokens.iter().filter(|token| token.is_taken) {
        masked.replace_range(token.bytes.clone(), &" ".repeat(token.bytes.len()));
    }
    masked
}

/// Returns the words that these bytes cover, without a preposition that only connects them.
fn covered(tokens: &[Token<'_>], bytes: &Range<usize>) -> Range<usize> {
    let start = tokens.partition_point(|token| token.bytes.end <= bytes.start);
    let end = tokens.partition_point(|token| token.bytes.start < bytes.end);
    let connects = tokens.get(start).is_some_and(|token| token.is_any(&["on", "for"]));
    start + usize::from(connects && start + 1 < end)..end
}

/// Takes how long it lasts: "three days", "a week", "my weekend" without "my".
fn span(tokens: &mut [Token<'_>]) -> Option<String> {
    let counts = |token: &Token<'_>| {
        number(&token.word).is_some() || token.is_any(&["a", "an", "few", "couple"])
    };
    let at = (1..tokens.len()).find(|at| {
        let before = &tokens[at - 1];
        let is_said =
            counts(before) || (before.is_any(&["my", "the"]) && tokens[*at].is_any(WEEKEND));
        tokens[*at].is_any(SPANS) && !before.ends && is_said
    })?;
    let start = at - usize::from(counts(&tokens[at - 1]));
    take(tokens, start..at + 1)
}

/// Takes how much it may cost: "under 300 rupees", "$20".
pub(super) fn budget(tokens: &mut [Token<'_>]) -> Option<String> {
    let (at, end) = (0..tokens.len()).find_map(|at| Some((at, amount(tokens, at)?)))?;
    let before = |back: usize| at.checked_sub(back).map(|ix| &tokens[ix]);
    let limited = before(1).is_some_and(|token| token.is_any(LIMIT));
    let twice = before(2).zip(before(1)).is_some_and(|(first, second)| {
        LIMIT_TOGETHER.contains(&[first.word.as_str(), second.word.as_str()])
    });
    let start = at - if twice { 2 } else { usize::from(limited) };
    take(tokens, start..end)
}

/// Returns where the amount of money that begins at a word ends.
fn amount(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    let token = &tokens[at];
    let digits = token.word.starts_with(|c: char| c.is_ascii_digit());
    if !digits || token.is_taken {
        return None;
    }
    let next = next(tokens, at);
    if next.is_some_and(|next| next.is_any(MONEY)) {
        return Some(at + 2);
    }
    let [first, second] = [at.checked_sub(1), at.checked_sub(2)]
        .map(|ix| ix.map_or("", |ix| tokens[ix].word.as_str()));
    let limited = LIMIT.contains(&first) || LIMIT_TOGETHER.contains(&[second, first]);
    let counts = next.is_some_and(|next| next.is_any(MEASURES) || next.is_any(PEOPLE));
    let signed = token.shown.contains(CURRENCY);
    (signed || (limited && !counts)).then_some(at + 1)
}

/// Takes for how many people, if nothing else follows "for": "a table for two on Friday".
pub(super) fn party(tokens: &mut [Token<'_>]) -> Option<String> {
    let at = (1..tokens.len()).find(|at| {
        let next = next(tokens, *at);
        let is_whole = next.is_none_or(|next| {
            next.is_any(PEOPLE)
                || !(next.is_content() || next.is_any(MEASURES) || next.is_any(SPANS))
        });
        tokens[at - 1].is_any(&["for"]) && is_count(&tokens[*at]) && is_whole
    })?;
    take(tokens, at..at + 1)
}

/// Takes how many people or things: "two tickets", "4 people".
pub(super) fn quantity(tokens: &mut [Token<'_>]) -> Option<String> {
    let at = (0..tokens.len()).find(|at| {
        let next = next(tokens, *at);
        let has_thing = next.is_some_and(|next| {
            next.is_any(PEOPLE) || (next.is_content() && !next.is_any(MEASURES))
        });
        is_count(&tokens[*at]) && has_thing
    })?;
    take(tokens, at..at + 1)
}

fn is_count(token: &Token<'_>) -> bool {
    let is_number = number(&token.word).is_some() || token.is_any(&["couple"]);
    is_number && !token.is_taken && !token.shown.contains(CURRENCY)
}

/// Returns the next word of the same clause.
fn next<'t, 'w>(tokens: &'t [Token<'w>], at: usize) -> Option<&'t Token<'w>> {
    tokens.get(at + 1).filter(|_| !tokens[at].ends)
}

/// Takes the words that say where.
pub(super) fn place(tokens: &mut [Token<'_>]) -> Option<String> {
    let shouted = tokens.iter().all(|token| !token.shown.contains(char::is_lowercase));
    for at in 0..tokens.len() {
        if let Some(found) = named(tokens, at, shouted) {
            return take(tokens, found);
        }
    }
    let near = |at: usize| {
        let next = tokens.get(at + 1);
        tokens[at].is_any(&[NEARBY])
            || (tokens[at].is_any(&["near", "around"])
                && next.is_some_and(|it| it.is_any(&["me", "here"])))
    };
    let is_near = (0..tokens.len()).any(near);
    is_near.then(|| NEARBY.to_owned())
}

/// Returns the words of the place that the preposition `at` introduces.
fn named(tokens: &[Token<'_>], at: usize, shouted: bool) -> Option<Range<usize>> {
    let before = at.checked_sub(1).map(|ix| &tokens[ix]);
    let travels = tokens[at].is_any(&["to"]) && before.is_some_and(|it| it.is_any(JOURNEY));
    if tokens[at].is_taken || tokens[at].ends || !tokens[at].is_any(TO_PLACE) {
        return None;
    }
    let has_article = tokens.get(at + 1).is_some_and(|it| it.is_any(&["the"]));
    let start = at + 1 + usize::from(has_article);
    let first = tokens.get(start).filter(|it| it.is_content() && !it.is_any(NO_PLACE))?;
    let is_name = first.is_capital() && !shouted;
    let any = tokens[at].is_any(TO_ANY_PLACE) || travels;
    if !is_name && (!any || (has_article && tokens[at].is_any(&["in"]))) {
        return None;
    }
    let mut end = start + 1;
    while end < tokens.len() && end - start < PLACE_WORDS_MAX {
        let goes_on = tokens[end].is_content() && (!is_name || tokens[end].is_capital());
        if tokens[end - 1].ends || !goes_on {
            break;
        }
        end += 1;
    }
    Some(start..end)
}
