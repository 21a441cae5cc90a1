//! The words of a text, an email or a note.

use std::ops::Range;

use super::super::id::noun_of;
use super::super::tag::{Tag, Tagged};
use super::super::token::Stop;
use super::span::{after, quoted, says_something, trimmed};
use super::title::POLITE;
use super::words::labelled;
use super::{Filling, period};

/// Returns the words of a text, an email or a note. What a text is to be about is not yet its words.
pub(super) fn body(filling: &Filling<'_>) -> Option<String> {
    let body = body_words(filling)?;
    let first = body.split_whitespace().next().unwrap_or_default().to_lowercase();
    let topic = matches!(first.as_str(), "about" | "re" | "regarding");
    let subject = first == "subject" || labelled(filling, "subject").as_ref() == Some(&body);
    (!((topic || subject) && is_message(filling))).then_some(body)
}

/// Whether the words are to be read by somebody else.
pub(super) fn is_message(filling: &Filling<'_>) -> bool {
    matches!(filling.contract.domain(), Some("sms" | "email"))
        || filling.contract.name == "comms.draft"
}

/// Returns a range without words of politeness at its end.
fn polite(text: &Tagged<'_>, mut range: Range<usize>) -> Range<usize> {
    while range.end > range.start && POLITE.contains(&text.word(range.end - 1)) {
        range.end -= 1;
    }
    range
}

pub(super) fn body_words(filling: &Filling<'_>) -> Option<String> {
    let text = filling.text;
    if let Some(body) = labelled(filling, "body") {
        return Some(body);
    }
    if let Some(quoted) = quoted(text, filling.tokens.clone()) {
        return filling.said(quoted);
    }
    if !filling.content.is_empty() {
        let range = skip_recipient(filling, filling.content.clone());
        if !range.is_empty() {
            return filling.spoken(polite(text, range));
        }
    }
    // After a comma or a sentence: "note for lead_9, the ceiling leaks".
    let clause = filling.clause.clone();
    let sent = is_message(filling);
    let stop = clause.clone().find(|&at| text.tokens[at].stop >= Stop::Comma).map(|at| at + 1);
    if let Some(start) = stop.filter(|at| *at < filling.tokens.end) {
        let range = polite(text, start..filling.tokens.end);
        let again = range.len() <= 3 && !says_something(text, range.clone());
        if says_something(text, range.clone()) && !again && !(sent && range.len() < 2) {
            return filling.spoken(range);
        }
    }
    if sent {
        return about(filling);
    }
    let told = trimmed(text, filling.tokens.start..filling.clause.start, true);
    if says_something(text, told.clone()) {
        return filling.said(told);
    }
    let whole = trimmed(text, about_tokens(filling)?, true);
    (says_something(text, whole.clone())).then(|| filling.said(whole)).flatten()
}

/// Skips the one who is told something at the start of words: "tell him his roof is done".
pub(super) fn skip_recipient(filling: &Filling<'_>, range: Range<usize>) -> Range<usize> {
    let text = filling.text;
    let mut start = range.start;
    while start < range.end
        && matches!(text.word(start), "that" | "know" | "to" | "say")
        && start < range.start + 2
    {
        start += 1;
    }
    start..range.end
}

/// Words for people who are written to, and within how many words after the verb they stand.
const RECIPIENTS: &[&str] = &[
    "customer",
    "client",
    "owner",
    "him",
    "her",
    "them",
    "builder",
    "strata",
    "crew",
    "supplier",
    "tenant",
    "neighbour",
    "boys",
    "office",
    "mum",
    "boss",
    "council",
    "insurer",
    "agent",
];
const RECIPIENT_WITHIN: usize = 5;

/// Returns the words after the recipient: "text 0400 123 456 we're running late".
pub(super) fn about(filling: &Filling<'_>) -> Option<String> {
    let text = filling.text;
    let recipient = filling.clause.clone().rfind(|&at| {
        let near = at < filling.clause.start + RECIPIENT_WITHIN;
        let person =
            matches!(text.tags[at], Tag::Name | Tag::Id) || RECIPIENTS.contains(&text.word(at));
        matches!(text.tags[at], Tag::Phone | Tag::Email) || (near && person)
    })?;
    let mut start = recipient + 1;
    while start < filling.clause.end
        && matches!(
            text.word(start),
            "to" | "that" | "saying" | "and" | "tell" | "him" | "her" | "them"
        )
    {
        start += 1;
    }
    let range = polite(text, start..filling.tokens.end);
    let scheduled = range.clone().all(|at| period::is_time(filling, at));
    (says_something(text, range.clone()) && range.len() >= 2 && !scheduled)
        .then(|| filling.spoken(range))
        .flatten()
}

/// Returns the tokens after the verb and its record.
pub(super) fn about_tokens(filling: &Filling<'_>) -> Option<Range<usize>> {
    let text = filling.text;
    let clause = filling.clause.clone();
    let noun = clause.clone().find(|&at| {
        noun_of(text.word(at)).is_some()
            || matches!(text.word(at), "down" | "that" | "call" | "log")
    })?;
    Some(noun + 1..filling.tokens.end)
}

/// Returns the words that go above the figures of an email: "with a message thanks", "saying thanks".
pub(super) fn message(filling: &Filling<'_>) -> Option<String> {
    let text = filling.text;
    let at = after(text, filling.tokens.clone(), &["message", "saying", "says", "note"])?;
    let at = if matches!(text.word(at), "saying" | "that" | "to" | "says") { at + 1 } else { at };
    (at < filling.tokens.end && filling.clause.start + 1 < at)
        .then(|| filling.said(at..filling.tokens.end))
        .flatten()
}
