//! The description of a line of a quote or of an invoice.

use std::ops::Range;

use super::super::lexicon::is_unit;
use super::super::tag::Tag;
use super::super::token::Stop;
use super::super::wordlist::{is_in, words};
use super::Filling;
use super::span::quoted;

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
    let plain = |at: usize| is_plain(filling, at);
    // The longest run of plain words.
    let mut best: Option<Range<usize>> = None;
    let mut start: Option<usize> = None;
    for at in filling.tokens.clone().chain([filling.tokens.end]) {
        let inside = at < filling.tokens.end
            && (plain(at)
                || start.is_some()
                    && matches!(text.word(at), "of" | "and" | "to" | "with")
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
