//! Titles of what is new: announced, quoted, passed on, or what remains of the command.

use std::ops::Range;

use super::super::tag::Tag;
use super::super::token::Stop;
use super::super::wordlist::{is_in, words};
use super::span::{after, quoted, says_something, trimmed, until_stop};
use super::{Filling, period};

/// Words that announce a title or a name.
const CALLED: &[&str] = &["called", "titled", "named", "title", "entitled"];
/// Words between a record and what it is about.
const ABOUT: &[&str] = &["for", "to", "about", "re", "of", "on", "that", "saying"];

/// Returns a title: one that is announced or quoted, else the words that are passed on, else what remains.
pub(super) fn title(filling: &Filling<'_>) -> Option<String> {
    let text = filling.text;
    if let Some(at) = after(text, filling.tokens.clone(), CALLED) {
        let at = if text.word(at) == "it" || text.word(at) == "to" { at + 1 } else { at };
        let range = until_stop(text, at..filling.tokens.end, Stop::Comma);
        let end = range
            .clone()
            .skip(1)
            .find(|&at| matches!(text.word(at), "and" | "for") && range.end - at <= 3);
        return filling.said(trimmed(text, range.start..end.unwrap_or(range.end), false));
    }
    // "open an inspection, call it Roof void check"
    let call_it =
        filling.tokens.clone().find(|&at| text.word(at) == "call" && text.word(at + 1) == "it");
    if let Some(at) = call_it.filter(|at| at + 2 < filling.tokens.end) {
        let range = until_stop(text, at + 2..filling.tokens.end, Stop::Comma);
        return filling.said(trimmed(text, range, false));
    }
    if let Some(quoted) = quoted(text, filling.tokens.clone()) {
        return filling.said(quoted);
    }
    let noted = filling.contract.input.members().any(|it| it == "body");
    if noted || filling.contract.name.contains("update") {
        return None;
    }
    let task = filling.contract.name.ends_with("_task");
    content_title(filling)
        .or_else(|| remaining_title(filling))
        .or_else(|| if task { told_title(filling) } else { None })
        .or_else(|| event_title(filling))
}

/// Words at the end of what is passed on that do not belong to it.
pub(super) const POLITE: &[&str] =
    &["please", "pls", "thanks", "ta", "cheers", "mate", "and", "then", "heaps"];

/// Returns the words that are passed on, without the time and the priority at their end.
pub(super) fn content_title(filling: &Filling<'_>) -> Option<String> {
    let text = filling.text;
    let mut range = until_stop(text, filling.content.clone(), Stop::Sentence);
    let priority = |at: &usize| {
        text.word(*at) == "priority" || text.word(*at) == "due" && period::is_time(filling, at + 1)
    };
    if let Some(at) = range.clone().find(priority) {
        let before = (range.start..at).rev().find(|it| text.tokens[*it].stop >= Stop::Comma);
        range.end = before.map_or(at, |it| it + 1);
    }
    let mut range = without_time(filling, range);
    while range.end > range.start && POLITE.contains(&text.word(range.end - 1)) {
        range.end -= 1;
    }
    (!range.is_empty()).then(|| filling.said(range)).flatten()
}

/// Returns a range without a time at its end, and without "by" before it.
pub(super) fn without_time(filling: &Filling<'_>, mut range: Range<usize>) -> Range<usize> {
    let text = filling.text;
    let full = range.clone();
    while range.end > range.start
        && (period::is_time(filling, range.end - 1)
            || range.end < full.end
                && matches!(
                    text.word(range.end - 1),
                    "by" | "on" | "due" | "before" | "for" | "from" | "at"
                ))
    {
        range.end -= 1;
    }
    if range.is_empty() { full } else { range }
}

/// Returns what remains of the part that says what to do: "a quote for gutter guard".
pub(super) fn remaining_title(filling: &Filling<'_>) -> Option<String> {
    let text = filling.text;
    let clause = filling.clause.clone();
    let nouns = title_nouns(filling);
    let noun = clause.clone().find(|&at| nouns.contains(&text.word(at)));
    let head = |range: Range<usize>| {
        let range = without_time(filling, range);
        let range = trimmed(text, range, false);
        says_something(text, range.clone()).then_some(range)
    };
    if let Some(noun) = noun {
        let mut at = noun + 1;
        while at < clause.end {
            let about = ABOUT.contains(&text.word(at)) || text.tokens[at - 1].stop >= Stop::Comma;
            if about {
                let range = until_stop(text, at..clause.end, Stop::Sentence);
                let range = until_stop(
                    text,
                    range,
                    if text.tokens[at - 1].stop >= Stop::Comma {
                        Stop::Sentence
                    } else {
                        Stop::Comma
                    },
                );
                let starts = trimmed(text, range.clone(), false).start;
                let named = matches!(
                    text.tags.get(starts),
                    Some(Tag::Name | Tag::Place | Tag::Phone | Tag::Time)
                );
                if !named && let Some(range) = head(range).filter(|it| !is_party(filling, it)) {
                    return filling.said(range);
                }
            }
            at += 1;
        }
    }
    // "put a site meeting in the calendar": between the verb and the place for it.
    let end = clause.clone().find(|&at| {
        matches!(text.word(at), "in" | "on" | "into" | "for") || period::is_time(filling, at)
    });
    let start = clause
        .clone()
        .find(|&at| matches!(text.word(at), "a" | "an" | "the" | "in" | "book" | "add"));
    let range = start? + 1..end.unwrap_or(clause.end);
    let event = filling.contract.name == "calendar.create_event"
        || filling.contract.name == "os.create_task";
    let range = trimmed(text, range, false);
    (event
        && range.start < range.end
        && text.tokens.len() > 4
        && !title_nouns(filling).contains(&text.word(range.start)))
    .then(|| filling.said(range))
    .flatten()
}

/// Whether words after "for" say for whom something is, not for what.
pub(super) fn is_party(filling: &Filling<'_>, range: &Range<usize>) -> bool {
    let text = filling.text;
    let party =
        matches!(text.word(range.start), "the" | "our" | "their" | "his" | "her" | "inspector");
    party && !range.clone().any(|at| is_in(&words().work, text.word(at)))
}

/// Returns the kind of an event with the one whom it is with: "appointment with Tom Nguyen".
pub(super) fn event_title(filling: &Filling<'_>) -> Option<String> {
    const EVENTS: &[&str] = &[
        "appointment",
        "meeting",
        "visit",
        "inspection",
        "catchup",
        "lunch",
        "coffee",
        "chat",
        "talk",
    ];
    let text = filling.text;
    if filling.contract.name != "calendar.create_event" {
        return None;
    }
    let at = filling.clause.clone().find(|&at| EVENTS.contains(&text.word(at)))?;
    let with = text.word(at + 1) == "with";
    let name = text.names.iter().find(|it| with && it.tokens.start == at + 2);
    filling.said(at..name.map_or(at + 1, |it| it.tokens.end))
}

/// Returns what was told before the part that says what to do.
pub(super) fn told_title(filling: &Filling<'_>) -> Option<String> {
    let text = filling.text;
    let told = filling.tokens.start..filling.clause.start;
    let told = until_stop(text, told, Stop::Sentence);
    let range = trimmed(text, told, true);
    let told = says_something(text, range.clone()).then(|| filling.said(range)).flatten();
    told.or_else(|| {
        let rest = filling.clause.end..filling.tokens.end;
        let range = trimmed(text, rest, false);
        says_something(text, range.clone()).then(|| filling.said(range)).flatten()
    })
}

/// The words for the record of a tool.
pub(super) fn title_nouns(filling: &Filling<'_>) -> &'static [&'static str] {
    match filling.contract.name.as_str() {
        name if name.starts_with("quote") => &["quote", "estimate", "quotation"],
        name if name.starts_with("job") => &["job"],
        name if name.starts_with("invoice") => &["invoice", "bill", "claim"],
        name if name.starts_with("inspection") => &["inspection"],
        name if name.ends_with("task") => &["task", "reminder", "to-do", "todo"],
        name if name.starts_with("calendar") => &["event", "appointment", "calendar"],
        _ => &["record"],
    }
}
