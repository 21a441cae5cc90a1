//! The tokens of a command that say what something is: what remains without verbs, ids and small words at its ends.

use std::ops::Range;

use super::super::lexicon::{Sense, cues};
use super::super::name::is_function;
use super::super::tag::{Tag, Tagged};
use super::super::token::Stop;

/// Small words that end no title and begin none.
const EDGES: &[&str] = &[
    "and", "or", "to", "for", "of", "in", "on", "at", "by", "with", "from", "as", "please", "pls",
    "thanks", "mate", "then", "also", "it", "its", "that", "this", "them", "so", "but", "new",
    "one", "called", "named", "titled", "title", "is", "now", "just", "heaps", "cheers", "against",
    "under", "onto", "into", "ta", "up",
];

/// Returns a range without small words, ids and marks of politeness at its ends.
pub(super) fn trimmed(
    text: &Tagged<'_>,
    mut range: Range<usize>,
    keep_start: bool,
) -> Range<usize> {
    let edge = |at: usize| {
        EDGES.contains(&text.word(at)) && text.tags[at] == Tag::Word || text.tags[at] == Tag::Id
    };
    while range.start < range.end && !keep_start && edge(range.start) {
        range.start += 1;
    }
    while range.start < range.end && edge(range.end - 1) {
        range.end -= 1;
    }
    range
}

/// Returns the part of a range before the first mark of this strength.
pub(super) fn until_stop(text: &Tagged<'_>, range: Range<usize>, stop: Stop) -> Range<usize> {
    let end = range
        .clone()
        .find(|&at| text.tokens[at].stop >= stop && text.tokens[at].stop != Stop::Colon);
    range.start..end.map_or(range.end, |at| at + 1)
}

/// Whether a range says something: a word that has a meaning of its own, and is no class of what staff do.
pub(super) fn says_something(text: &Tagged<'_>, range: Range<usize>) -> bool {
    let words: Vec<&str> = range.clone().map(|at| text.word(at)).collect();
    let known = cues(&words);
    range.clone().enumerate().any(|(ix, at)| {
        let classed = known
            .iter()
            .any(|it| (it.at..it.at + it.length).contains(&ix) && it.sense == Sense::Noun);
        let tag = text.tags[at];
        (tag == Tag::Word || tag == Tag::Place)
            && !classed
            && !is_function(text.word(at))
            && !EDGES.contains(&text.word(at))
            && !text.tokens[at].is_number()
    })
}

/// Returns the first run of quoted tokens in a range.
pub(super) fn quoted(text: &Tagged<'_>, range: Range<usize>) -> Option<Range<usize>> {
    let start = range.clone().find(|&at| text.tokens[at].quoted)?;
    let end = (start..range.end).take_while(|&at| text.tokens[at].quoted).last()? + 1;
    Some(start..end)
}

/// Returns the token after the first of these words in a range.
pub(super) fn after(text: &Tagged<'_>, range: Range<usize>, words: &[&str]) -> Option<usize> {
    let at =
        range.clone().find(|&at| words.contains(&text.word(at)) && text.tags[at] == Tag::Word)?;
    (at + 1 < range.end).then_some(at + 1)
}
