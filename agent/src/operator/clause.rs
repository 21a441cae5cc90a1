//! What a part of a text does, by its words: whether it asks, denies, lists or names something.

use std::ops::Range;

use super::lexicon::cues;
use super::segment::JOINTS;
use super::tag::{Tag, Tagged};
use super::token::Stop;
use super::wordlist::{is_in, words};

/// Words that deny the verb after them.
const DENIALS: &[&str] = &["dont", "not", "never"];
/// Words of a text that says no to something, whatever it is.
const NEGATIONS: &[&str] = &["no", "nope", "nothing", "without", "stop", "hold", "skip", "cancel"];

/// Whether a text says no to something.
pub(super) fn is_negative(text: &Tagged<'_>) -> bool {
    let mut words = (0..text.tokens.len()).map(|at| text.word(at));
    words.any(|word| DENIALS.contains(&word) || NEGATIONS.contains(&word))
}

/// Whether a part asks for something not to be done: "don't send it yet", "no need to text her".
pub(super) fn denies(text: &Tagged<'_>, verb: usize, end: usize) -> bool {
    let forgets = (verb..end).any(|at| matches!(text.word(at), "forget" | "let" | "forgetting"));
    let before = |at: usize| text.before(at);
    let no_need = text.word(verb) == "need" && before(verb) == "no"
        || (verb >= 2
            && before(verb) == "to"
            && text.word(verb - 2) == "need"
            && verb >= 3
            && text.word(verb - 3) == "no");
    let denial = DENIALS.contains(&text.word(verb));
    let does = text.word(verb + 1);
    let acts = is_in(&words().openers, does)
        || is_in(&words().more_openers, does)
        || does == "actually"
        || does == "bother";
    (denial && acts && !forgets) || no_need
}

/// Whether a part asks in the passive voice: "inv_44 needs sending", "customer needs adding".
pub(super) fn passive(text: &Tagged<'_>, tokens: &Range<usize>) -> bool {
    tokens.clone().any(|at| text.word(at) == "needs" && is_in(&words().passives, text.word(at + 1)))
}

/// Whether a part is a question.
pub(super) fn asks(text: &Tagged<'_>, tokens: &Range<usize>) -> bool {
    let begins = tokens.start == 0 || text.tokens[tokens.start - 1].stop == Stop::Sentence;
    begins && tokens.clone().any(|at| text.tokens[at].asks)
}

/// Most words of a part that only names a report.
const LISTED_MAX: usize = 6;

/// Whether a part names a report or a list.
pub(super) fn listed(text: &Tagged<'_>, tokens: &Range<usize>) -> bool {
    let words: Vec<&str> = tokens.clone().map(|at| text.word(at)).collect();
    let reports = ["pipeline", "revenue", "due", "chase", "overdue", "snapshot", "report"];
    tokens.start > 0
        && words.len() <= LISTED_MAX
        && cues(&words).iter().any(|it| reports.contains(&it.class))
}

/// Whether a part gives a record of the part before it a name: "call it Roof void check".
pub(super) fn names_it(text: &Tagged<'_>, verb: usize) -> bool {
    matches!(text.word(verb), "call" | "name" | "title" | "label")
        && matches!(text.word(verb + 1), "it" | "this" | "that")
}

/// Whether a part only gives an address or a number: ", email maria@example.net".
pub(super) fn is_data(text: &Tagged<'_>, tokens: &Range<usize>, verb: usize) -> bool {
    let after_comma = tokens.start > 0 && text.tokens[tokens.start - 1].stop == Stop::Comma;
    let given =
        matches!(text.tags.get(verb + 1), Some(Tag::Email | Tag::Phone)) && verb + 2 >= tokens.end;
    after_comma && given && verb == tokens.start
}

/// Whether a part begins with a record, for which the verb before it is meant again: "lead_4 to Jess", "a vehicle
/// called Hilux 4".
pub(super) fn again(text: &Tagged<'_>, tokens: &Range<usize>) -> bool {
    let Some(before) = tokens.start.checked_sub(1) else { return false };
    let joined = JOINTS.contains(&text.word(before));
    if text.tags[tokens.start] == Tag::Id {
        let plain = |at: usize| {
            text.tags[at] != Tag::Word
                || matches!(text.word(at), "to" | "for" | "with" | "as" | "both" | "too")
        };
        return joined || tokens.clone().all(plain);
    }
    let another = matches!(text.word(tokens.start), "a" | "an" | "another" | "one");
    joined
        && another
        && (tokens.start + 1..tokens.end)
            .take(3)
            .any(|at| super::id::noun_of(text.word(at)).is_some() && text.tags[at] == Tag::Word)
}
