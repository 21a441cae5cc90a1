//! What a reply of several clauses does, from what its clauses do: a correction counts more than
//! what it corrects, and a yes stays a yes where a question follows.

use super::ReplyLabel;
use super::spoken::spoken;

/// The most words of a plain yes.
const YES_WORDS_MAX: usize = 4;
/// Clauses that are a yes and nothing else.
const YES: &[&str] = &[
    "yes",
    "yep",
    "yeah",
    "yea",
    "yup",
    "yess",
    "sure",
    "sure thing",
    "absolutely",
    "definitely",
    "of course",
    "gladly",
    "happy to",
    "happy to help",
    "love to",
    "count me in",
    "im in",
    "ill do it",
    "ill be there",
    "yes i will",
    "yes please",
    "will do",
    "can do",
    "i can do it",
    "i can do that",
    "glad to",
    "sounds good",
    "all good",
    "all good here",
    "not a problem",
    "no problem",
    "you got it",
    "you bet",
    "works for me",
    "fine with me",
    "si",
    "claro",
    "claro que si",
    "con gusto",
];
/// Words with which a question begins.
const ASKING: &[&str] = &[
    "what", "whats", "when", "whens", "where", "wheres", "who", "whos", "which", "how", "hows",
    "do", "does", "is", "are", "can", "could", "should", "will", "would", "que", "a", "donde",
    "cuando", "quien", "cual", "and", "y", "just", "also", "quick", "tell",
];
/// Words in the rest of a reply that leave open whether its yes answers us.
const OPEN: &[&str] = &["if", "but", "unless", "si", "pero", "text", "texts", "number", "robot"];
/// The fewest words of a question after a yes.
const QUESTION_WORDS_MIN: usize = 2;
/// Phrases after which a reply says something else than before.
const CORRECTIONS: &[&str] = &[
    "actually no",
    "actually wait",
    "oh wait",
    "wait no",
    "no wait",
    "oh no wait",
    "hold on",
    "hang on",
    "scratch that",
    "strike that",
    "on second thought",
    "oh shoot",
    "oh crap",
    "oh dang",
    "correction",
    "oops",
    "jk",
    "just kidding",
];
/// Words that say nothing that could be corrected.
const EXCLAIMING: &[&str] = &[
    "oh", "no", "wait", "ok", "hey", "ah", "um", "actually", "hold", "hang", "scratch", "strike",
    "on", "second", "|", "!", "?",
];
/// The most words of the phrase of a correction.
const CORRECTION_WORDS_MAX: usize = 3;
/// The fewest words after a correction that can be read by themselves.
const CORRECTED_WORDS_MIN: usize = 2;

/// Returns the question that follows a plain yes: "Sure! What time?"
pub(super) fn question_after_yes(text: &str) -> Option<String> {
    let words = spoken(text);
    let yes = (1..=YES_WORDS_MAX.min(words.len()))
        .rev()
        .find(|count| YES.contains(&words[..*count].join(" ").as_str()))?;
    let rest: Vec<&str> = words[yes..].iter().map(String::as_str).collect();
    let rest = &rest[rest.iter().position(|word| !matches!(*word, "|" | "!"))?..];
    let asks = ASKING.contains(rest.first()?) && spoken_words(rest) >= QUESTION_WORDS_MIN;
    let open = rest.iter().any(|word| OPEN.contains(word));
    (asks && !open).then(|| as_text(rest))
}

/// Returns what follows the last correction: "Yes... oh wait, I'm away" says "I'm away".
pub(super) fn corrected(text: &str) -> Option<String> {
    let words = spoken(text);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ends = |end: &usize| {
        (1..=CORRECTION_WORDS_MAX.min(*end - 1))
            .any(|count| CORRECTIONS.contains(&words[end - count..*end].join(" ").as_str()))
    };
    let end = (2..words.len()).rev().find(ends)?;
    let corrects = words[..end - 1].iter().any(|word| !EXCLAIMING.contains(word));
    let rest = &words[end..];
    (corrects && spoken_words(rest) >= CORRECTED_WORDS_MIN).then(|| as_text(rest))
}

/// Returns how many words are no marks.
fn spoken_words(words: &[&str]) -> usize {
    words.iter().filter(|word| !matches!(**word, "|" | "!" | "?")).count()
}

/// Returns words as a text that has the same words.
fn as_text(words: &[&str]) -> String {
    let shown = words.iter().map(|word| if *word == "|" { "," } else { word });
    shown.collect::<Vec<_>>().join(" ")
}

/// Returns the clauses of a text, as it has them, without questions that want no answer: "Why would
/// I mind?"
pub(super) fn clauses(text: &str) -> Vec<&str> {
    let parts = text.split_inclusive(['.', '!', '?', ',', ';', '\n', '—']);
    let parts = parts.flat_map(|part| part.split(" and ")).flat_map(|part| part.split(" but "));
    let says = |part: &&str| {
        let why = part.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("why"));
        part.chars().any(char::is_alphanumeric) && !why
    };
    parts.map(str::trim).filter(says).collect()
}

/// Whether a reply that does one thing is likely to do another thing as well.
pub(super) const fn go_together(label: ReplyLabel, other: ReplyLabel) -> bool {
    use ReplyLabel::{
        Accept, CancelLater, Conditional, Decline, OptIn, OptOut, Question, Tentative,
    };
    matches!(
        (label, other),
        (Accept | Decline | CancelLater | Conditional | Tentative, Question)
            | (OptOut, Decline | CancelLater)
            | (OptIn, Accept)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_after_a_plain_yes_is_found() {
        let cases = [
            ("Sure! What time?", Some("what time ?")),
            ("yes do I need a key", Some("do i need a key")),
            ("Yes I can do that", None),
            ("Yes", None),
            ("Sure can!", None),
            ("yes if it rains what then", None),
            ("Yes I'll come", None),
        ];
        for (text, expected) in cases {
            assert_eq!(question_after_yes(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn what_follows_a_correction_is_found() {
        let cases = [
            ("Yes... oh wait, I'm away", Some(", im away")),
            ("Can't. No wait, I can do it", Some(", i can do it")),
            ("If nobody else can... jk I'm coming", Some("im coming")),
            ("hold on", None),
            ("Oh wait no I'm away", None),
            ("I can do it", None),
        ];
        for (text, expected) in cases {
            assert_eq!(corrected(text).as_deref(), expected, "{text}");
        }
    }
}
