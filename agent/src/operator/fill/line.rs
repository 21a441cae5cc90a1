//! The description of a line of a quote or of an invoice.

use std::ops::Range;

use super::super::lexicon::is_unit;
use super::super::tag::Tag;
use super::super::token::Stop;
use super::super::wordlist::{is_in, words};
use super::Filling;
use super::span::{quoted, says_something, trimmed, until_stop};

/// Whether a word may describe what is sold.
fn is_plain(filling: &Filling<'_>, at: usize) -> bool {
    let text = filling.text;
    let word = text.word(at);
    text.tags[at] == Tag::Word
        && !text.tokens[at].is_number()
        && !is_in(&words().undescribing, word)
        && !is_unit(word)
}

/// Returns the description of a line: the words without its price, its quantity and its record.
pub(super) fn described(filling: &Filling<'_>) -> Option<String> {
    let text = filling.text;
    if let Some(quoted) = quoted(text, filling.tokens.clone()) {
        return filling.said(quoted);
    }
    if let Some(announced) = announced(filling) {
        return filling.said(announced);
    }
    let plain = |at: usize| is_plain(filling, at);
    // The longest run of plain words.
    let mut best: Option<Range<usize>> = None;
    let mut start: Option<usize> = None;
    for at in filling.tokens.clone().chain([filling.tokens.end]) {
        let inside = at < filling.tokens.end
            && (plain(at)
                || start.is_some()
                    && matches!(text.word(at), "of" | "and" | "to" | "with" | "the")
                    && at + 1 < filling.tokens.end
                    && plain(at + 1));
        let breaks = at > 0 && start.is_some() && text.tokens[at - 1].stop >= Stop::Comma;
        if inside && !breaks {
            start.get_or_insert(at);
        } else if let Some(from) = start.take() {
            if best.as_ref().is_none_or(|it| at - from > it.len()) {
                best = Some(from..at);
            }
            if inside {
                start = Some(at);
            }
        }
    }
    filling.said(best?)
}

/// Returns the words after a colon, up to a price, a quantity or a mark: "add a line: repoint the ridge, 1 at $1250".
fn announced(filling: &Filling<'_>) -> Option<Range<usize>> {
    let text = filling.text;
    let start = filling.content.start;
    let after_colon = start > 0 && text.tokens[start - 1].stop == Stop::Colon;
    let words = until_stop(text, filling.content.clone(), Stop::Comma);
    let end = words.clone().find(|&at| text.tags[at] == Tag::Money || text.tokens[at].is_number());
    let mut range = trimmed(text, start..end.unwrap_or(words.end), false);
    while range.end > range.start && matches!(text.word(range.end - 1), "x" | "price" | "is") {
        range.end -= 1;
    }
    (after_colon && says_something(text, range.clone())).then_some(range)
}
