//! Cuts a text into commands: the clauses that ask for something, each with what is told around it.

use std::ops::Range;

use super::clause::{again, asks, denies, is_data, listed, names_it, passive};
use super::content;
use super::lexicon::{Sense, corrected, cues};
use super::tag::{Tag, Tagged};
use super::token::Stop;
use super::wordlist::{self, is_in, words};

/// Most commands of one text.
pub(super) const COMMANDS_MAX: usize = 12;

/// A part of a text that asks for something, or denies it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) tokens: Range<usize>,
    /// The first token of its verb, after words of politeness.
    pub(super) verb: usize,
    pub(super) sort: Sort,
    /// Whether it takes back what was said before: "no wait".
    pub(super) corrects: bool,
    /// Whether what it says replaces what was said before.
    pub(super) replaces: bool,
}

/// What a part of a text does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// It asks for something.
    Command,
    /// It asks for something not to be done.
    Denied,
    /// It begins with a record, so that the verb before it is meant again: "and media_41".
    Again,
    /// It names a report or a list, so that the request before it is meant again: "and the revenue".
    Listed,
    /// It tells something.
    Told,
}

/// Words between parts of a text.
pub(super) const JOINTS: &[&str] = &["and", "then", "but", "also", "plus", "n", "afterwards", "so"];
/// Words that take back what was said before.
const CORRECTIONS: &[&[&str]] = &[
    &["no", "wait"],
    &["hang", "on"],
    &["wait"],
    &["scratch", "that"],
    &["actually"],
    &["sorry", "no"],
    &["i", "mean"],
    &["make", "that"],
    &["oops"],
    &["no", "sorry"],
    &["hold", "on"],
];

/// Returns the parts of a text, in their order.
pub(super) fn segments(text: &Tagged<'_>) -> Vec<Segment> {
    let mut found: Vec<Segment> = Vec::new();
    let (mut corrects, mut replaces) = (false, false);
    for tokens in parts(text) {
        let corrected_here = correction(text, &tokens);
        corrects |= corrected_here > 0;
        let waits = ["hang", "wait", "hold"].contains(&text.word(tokens.start));
        replaces |= corrected_here > 0 && !waits;
        let tokens = tokens.start + corrected_here..tokens.end;
        if tokens.is_empty() {
            continue;
        }
        let mut segment = sorted(text, tokens);
        segment.corrects = std::mem::take(&mut corrects);
        segment.replaces = std::mem::take(&mut replaces);
        let full = found.len() >= COMMANDS_MAX;
        match found.last_mut() {
            Some(last) if full || is_part_of(text, last, &segment) => {
                last.tokens.end = segment.tokens.end;
            }
            _ => found.push(segment),
        }
    }
    found
}

/// Returns the token ranges between marks and joints.
fn parts(text: &Tagged<'_>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for at in 0..text.tokens.len() {
        let inner = at > 0 && text.tags[at] != Tag::Word && text.tags[at] == text.tags[at - 1]
            || at > 0 && text.tokens[at].quoted && text.tokens[at - 1].quoted;
        if inner {
            continue;
        }
        let marked = at > 0
            && (matches!(text.tokens[at - 1].stop, Stop::Comma | Stop::Sentence)
                || is_reason(text, &(start..at)));
        let joint = JOINTS.contains(&text.word(at)) && text.tags[at] == Tag::Word;
        if (marked || joint) && at > start {
            found.push(start..at);
            start = at;
        }
        if joint {
            start = start.max(at + 1);
        }
    }
    if start < text.tokens.len() {
        found.push(start..text.tokens.len());
    }
    found
}

/// Whether a part says why the command after its colon is given: "rain: move job_7 to Friday".
pub(super) fn is_reason(text: &Tagged<'_>, tokens: &Range<usize>) -> bool {
    let words: Vec<&str> = tokens.clone().map(|at| text.word(at)).collect();
    let plain = tokens.clone().all(|at| matches!(text.tags[at], Tag::Word | Tag::Time));
    tokens.end > tokens.start
        && words.len() <= REASON_WORDS_MAX
        && text.tokens[tokens.end - 1].stop == Stop::Colon
        && plain
        && cues(&words).is_empty()
        && is_in(&wordlist::words().openers, text.word(tokens.end))
}

/// Most words of a reason before a colon.
const REASON_WORDS_MAX: usize = 3;

/// Returns the number of tokens at the start of a part that take back what was said before.
fn correction(text: &Tagged<'_>, tokens: &Range<usize>) -> usize {
    let is = |words: &&&[&str]| {
        words.iter().enumerate().all(|(ix, word)| {
            tokens.start + ix < tokens.end && text.word(tokens.start + ix) == *word
        })
    };
    // "ring Stratco, make that a task" takes nothing back.
    let makes = |words: &&&[&str]| {
        words.first() == Some(&"make") && matches!(text.word(tokens.start + 2), "a" | "an")
    };
    let said = CORRECTIONS.iter().filter(is).filter(|it| !makes(it));
    said.map(|words| words.len()).max().unwrap_or(0)
}

fn sorted(text: &Tagged<'_>, tokens: Range<usize>) -> Segment {
    let verb = tokens
        .clone()
        .find(|&at| !is_in(&words().fillers, text.word(at)) || text.tags[at] != Tag::Word);
    let mut verb = verb.unwrap_or(tokens.start);
    // "insp_3 add cracked tiles": the verb after the record.
    while verb + 1 < tokens.end
        && text.tags[verb] == Tag::Id
        && text.tokens[verb].stop == Stop::None
    {
        verb += 1;
    }
    let word = corrected(text.word(verb)).unwrap_or_else(|| text.word(verb));
    let after_record = verb > tokens.start && text.tags[verb - 1] == Tag::Id;
    let inner_capital =
        verb > 0 && text.tokens[verb].capital && text.tokens[verb - 1].stop != Stop::Sentence;
    let opens = text.tags[verb] == Tag::Word
        && !inner_capital
        && !is_data(text, &tokens, verb)
        && !names_it(text, verb)
        && (is_in(&words().openers, word) || (!after_record && is_in(&words().more_openers, word)));
    let sort = if denies(text, verb, tokens.end) {
        Sort::Denied
    } else if opens || passive(text, &tokens) || asks(text, &tokens) {
        Sort::Command
    } else if again(text, &tokens) {
        Sort::Again
    } else if listed(text, &tokens) {
        Sort::Listed
    } else {
        Sort::Told
    };
    Segment { tokens, verb, sort, corrects: false, replaces: false }
}

/// Whether a part belongs to what was said before it.
fn is_part_of(text: &Tagged<'_>, last: &Segment, next: &Segment) -> bool {
    if next.corrects {
        return false;
    }
    if announces(text, last) && text.tokens[last.tokens.end - 1].stop == Stop::Comma {
        return true;
    }
    match next.sort {
        Sort::Told => true,
        Sort::Denied => {
            last.sort == Sort::Command && content::start(text, last.tokens.clone()).is_some()
        }
        Sort::Again => !matches!(last.sort, Sort::Command | Sort::Again),
        Sort::Listed => content::start(text, last.tokens.clone()).is_some(),
        Sort::Command if matches!(last.sort, Sort::Command | Sort::Listed) => {
            content::start(text, last.tokens.clone()).is_some() && !breaks_out(text, last, next)
        }
        Sort::Command => false,
    }
}

/// Whether the words that a command passes on come next: "put a to do on the list, ring Reece".
fn announces(text: &Tagged<'_>, last: &Segment) -> bool {
    let end = last.tokens.end - 1;
    let noun = |at: usize| {
        matches!(text.word(at), "task" | "to-do" | "todo" | "reminder" | "note" | "list" | "do")
    };
    let noun_inside = last.tokens.clone().any(noun) && last.sort == Sort::Command;
    let makes = last.tokens.clone().any(|at| {
        matches!(
            text.word(at),
            "add"
                | "put"
                | "stick"
                | "create"
                | "make"
                | "new"
                | "open"
                | "set"
                | "give"
                | "note"
                | "jot"
                | "leave"
                | "pop"
                | "chuck"
        )
    });
    noun_inside
        && makes
        && (noun(end) || matches!(text.tags[end], Tag::Id | Tag::Name | Tag::Time))
        && content::start(text, last.tokens.clone()).is_none()
}

/// Whether a command passes on the title of a document, or what was seen: neither is read by somebody else, so it ends
/// where something else is asked for.
fn is_titled(text: &Tagged<'_>, last: &Segment) -> bool {
    const TITLED: &[&str] = &["quote", "estimate", "quotation", "job", "invoice", "inspection"];
    let opening = || last.tokens.clone().take(OPENING_WORDS);
    let has = |words: &[&str]| opening().any(|at| words.contains(&text.word(at)));
    let makes = has(&["create", "make", "start", "open", "new", "raise", "draft", "prepare"]);
    makes && has(TITLED) || has(&["item", "items", "line", "finding", "defect"])
}

/// How many words of a command say what it makes.
const OPENING_WORDS: usize = 8;

/// Words for a document that was named before, and for what is in one.
const PARTS: &[&str] = &["it", "them", "item", "items", "line", "finding", "defect", "summary"];

/// Whether a command after the title of a document is one of its own: it is a sentence, or it names a record, a part of
/// one, or a price.
fn breaks_title(text: &Tagged<'_>, last: &Segment, next: &Segment) -> bool {
    let before = next.tokens.start - 1;
    let sentence = text.tokens[before].stop == Stop::Sentence;
    let spoken: Vec<&str> = next.tokens.clone().map(|at| text.word(at)).collect();
    let named =
        next.tokens.clone().any(|at| {
            matches!(text.tags[at], Tag::Id | Tag::Money) || PARTS.contains(&text.word(at))
        }) || cues(&spoken).iter().any(|it| it.sense == Sense::Noun);
    is_titled(text, last) && (sentence || named)
}

/// Whether a command ends words that the command before it passes on.
fn breaks_out(text: &Tagged<'_>, last: &Segment, next: &Segment) -> bool {
    if breaks_title(text, last, next) {
        return true;
    }
    let spoken: Vec<&str> = next.tokens.clone().map(|at| text.word(at)).collect();
    let found = cues(&spoken);
    let named = found.iter().any(|it| it.sense == Sense::Noun)
        || next.tokens.clone().any(|at| text.tags[at] == Tag::Id);
    let named = named
        || next.tokens.clone().any(|at| matches!(text.word(at), "it" | "her" | "him" | "them"));
    let quoted = text.tokens[last.tokens.end - 1].quoted;
    let joint = text.before(next.tokens.start);
    let sentence =
        next.tokens.start > 0 && text.tokens[next.tokens.start - 1].stop == Stop::Sentence;
    let adds = is_in(&words().breaking, text.word(next.verb));
    let task = last
        .tokens
        .clone()
        .any(|at| matches!(text.word(at), "task" | "remind" | "reminder" | "to-do" | "todo"));
    quoted
        || (named && adds && !task && matches!(joint, "and" | "then" | "also"))
        || (named && sentence && !task)
        || (task
            && found
                .iter()
                .any(|it| it.class == "note" || it.class == "task" || it.class == "event")
            && adds)
}
