//! Which words of a clause are passed on, such as the title of a task or the words of a text message. They say nothing
//! about what the clause asks for.

use std::ops::Range;

use super::tag::{Tag, Tagged};
use super::token::Stop;

/// Words for records that consist of words, each with what may stand between it and them.
const RECORDS: &[&str] = &[
    "task", "to-do", "todo", "reminder", "note", "memo", "notes", "tasks", "list", "remember",
    "do", "log",
];
/// Words between a record and its words.
const JOINTS: &[&str] =
    &["to", "that", "saying", "says", "about", "reading", "re", "called", "titled", "said"];
/// How many words after its start a clause that notes something may begin to pass words on after a mark.
const NOTED_WITHIN: usize = 7;
/// Words that pass words on, wherever they stand.
const SAYING: &[&str] = &[
    "saying", "says", "say", "subject", "message", "body", "titled", "reading", "reckons", "asking",
];
/// Verbs after which "him" or a name, and then words, are passed on: "tell him his roof is done".
const TELLING: &[&str] = &["tell", "remind", "ask", "let", "asking"];

/// Returns the first token of the words that a clause passes on.
pub(super) fn start(text: &Tagged<'_>, clause: Range<usize>) -> Option<usize> {
    clause.clone().find(|&at| at > clause.start && begins(text, at, clause.clone()))
}

fn begins(text: &Tagged<'_>, at: usize, clause: Range<usize>) -> bool {
    let token = &text.tokens[at];
    let before = &text.tokens[at - 1];
    if token.quoted && !before.quoted {
        return true;
    }
    if before.stop == Stop::Colon {
        return true;
    }
    // "note for lead_9, the ceiling leaks"
    let opening = clause.start..(clause.start + 4).min(at);
    let noted = opening.clone().any(|it| {
        matches!(text.word(it), "note" | "task" | "reminder" | "memo" | "todo" | "to-do")
    });
    if before.stop >= Stop::Comma && noted && at <= clause.start + NOTED_WITHIN {
        return true;
    }
    let record = |at: usize| RECORDS.contains(&text.word(at));
    let two_before = at.checked_sub(2).filter(|it| *it >= clause.start);
    let to_record = |at: usize| {
        text.tags.get(at) == Some(&Tag::Id) || super::id::noun_of(text.word(at)).is_some()
    };
    let linked = before.is(&["to", "of", "about"]) && (to_record(at) || to_record(at + 1));
    if before.is(JOINTS) && two_before.is_some_and(record) && !linked {
        return true;
    }
    // "a task for Mel to call John"
    if before.is(&["to"])
        && (clause.start..at)
            .any(|it| matches!(text.word(it), "task" | "reminder" | "to-do" | "todo"))
    {
        return true;
    }
    if before.is(SAYING) && at - 1 > clause.start {
        return true;
    }
    if before.is(&["to", "that", "about"]) && (clause.start..at).any(|it| text.word(it) == "remind")
    {
        return true;
    }
    let of_record = super::id::noun_of(text.word(at)).is_some();
    if before.is(&["that"])
        && !of_record
        && (clause.start..at).any(|it| {
            matches!(
                text.word(it),
                "note"
                    | "log"
                    | "record"
                    | "know"
                    | "put"
                    | "jot"
                    | "write"
                    | "add"
                    | "mention"
                    | "tack"
                    | "text"
                    | "sms"
                    | "message"
                    | "email"
                    | "tell"
            )
        })
    {
        return true;
    }
    let told = two_before.is_some_and(|it| TELLING.contains(&text.word(it)));
    told && !before.is(&["me", "us"]) && at - 2 > clause.start
}
