//! Names of people and companies in a text.

use std::ops::Range;

use super::gazetteer::{is_first_name, is_ordinary, is_suburb};
use super::lexicon::is_known;
use super::tag::{Tag, Tagged};
use super::token::Stop;

/// Maximum number of words of a name.
const WORDS_MAX: usize = 4;
/// Titles before a name.
const TITLES: &[&str] = &["mr", "mrs", "ms", "miss", "dr", "mister", "prof", "aunty"];
/// Words after which an unknown word may be somebody.
const PERSON_AFTER: &[&str] = &[
    "call", "ring", "text", "email", "sms", "message", "tell", "ask", "remind", "named", "called",
    "name", "contact", "customer", "client", "lead", "assign", "give", "to", "for", "with", "is",
];
/// Words with a capital letter that name nobody.
const NOBODY: &[&str] = &[
    "i",
    "im",
    "ill",
    "ive",
    "id",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "jan",
    "feb",
    "mar",
    "apr",
    "jun",
    "jul",
    "aug",
    "sep",
    "sept",
    "oct",
    "nov",
    "dec",
    "sms",
    "gst",
    "pdf",
    "ok",
    "asap",
    "bas",
    "swms",
    "xero",
    "google",
    "drive",
    "calendar",
    "facebook",
    "australia",
    "easter",
    "christmas",
    "colorbond",
    "monument",
    "vcat",
    "hi",
    "hey",
    "system",
    "approve",
];

/// A name in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SaidName {
    pub(super) tokens: Range<usize>,
    /// The name as it was written.
    pub(super) name: String,
    /// Whether something belongs to the person: "Sarah's quote".
    pub(super) owns: bool,
}

/// Finds the names.
pub(super) fn find(text: &Tagged<'_>) -> Vec<SaidName> {
    let capitals = text.tokens.iter().filter(|it| it.capital).count();
    let shouted = capitals * 2 > text.tokens.len() && text.tokens.len() > 3;
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.tokens.len() {
        match starting(text, at, shouted) {
            Some(name) => {
                at = name.tokens.end;
                found.push(name);
            }
            None => at += 1,
        }
    }
    found
}

/// Returns the name that begins at a token.
fn starting(text: &Tagged<'_>, at: usize, shouted: bool) -> Option<SaidName> {
    let first = text.tokens.get(at).filter(|_| text.tags[at] == Tag::Word)?;
    if first.quoted || first.is(NOBODY) || !first.word.starts_with(char::is_alphabetic) {
        return None;
    }
    let titled = first.is(TITLES);
    let begins = at == 0 || text.tokens[at - 1].stop >= Stop::Colon;
    let cased = first.capital && !shouted;
    let known = is_first_name(&first.word) && (!is_ordinary(&first.word) || acts(text, at));
    let capital = cased && !begins && !is_known(&first.word);
    let opens = cased && begins && !is_known(&first.word) && !is_function(&first.word);
    let owned = first.possessive && (cased || known);
    let named = titled
        || known
        || capital
        || owned
        || (opens && first.word.len() > 2)
        || cased && is_first_name(&first.word);
    if !named || (is_place(text, at) && !known) {
        return None;
    }
    let mut end = at + 1;
    while end < at + WORDS_MAX && continues(text, end, titled && end == at + 1, shouted) {
        end += 1;
    }
    let owns = text.tokens[end - 1].possessive;
    Some(SaidName { tokens: at..end, name: text.said(at..end).to_owned(), owns })
}

/// Whether a first name that is an ordinary word too is somebody here: "mark is", "to mark".
fn acts(text: &Tagged<'_>, at: usize) -> bool {
    let after = matches!(
        text.word(at + 1),
        "is" | "has" | "said" | "will" | "wants" | "rang" | "called" | "can"
    );
    let inner = at > 0 && text.tokens[at].capital && text.tokens[at - 1].stop < Stop::Colon;
    after
        || inner
        || text.tokens[at].possessive
        || PERSON_AFTER.contains(&text.before(at)) && text.word(at) != "will"
}

/// Whether a name goes on with this token.
fn continues(text: &Tagged<'_>, at: usize, after_title: bool, shouted: bool) -> bool {
    let Some(token) = text.tokens.get(at).filter(|_| text.tags[at] == Tag::Word) else {
        return false;
    };
    let before = &text.tokens[at - 1];
    let initial = before.capital && before.word.len() == 1; // "S. Kelly"
    if before.stop != Stop::None && !initial || before.possessive || token.is(NOBODY) {
        return false;
    }
    let cased = token.capital && !shouted && token.word != "and";
    // The reader of names knows no surname in lower case except after a title, or before a number.
    let surname = !is_known(&token.word)
        && !is_function(&token.word)
        && is_first_name(&before.word)
        && matches!(text.tags.get(at + 1), Some(Tag::Phone));
    after_title || surname || (cased && !is_suburb(&token.word))
}

/// Whether the words here are a suburb after "in".
fn is_place(text: &Tagged<'_>, at: usize) -> bool {
    let two = format!("{} {}", text.word(at), text.word(at + 1));
    let placed = matches!(text.before(at), "in" | "from" | "at" | "of" | "near");
    is_suburb(&two)
        || (is_suburb(text.word(at)) && !text.tokens[at].possessive)
        || placed
            && text.tokens[at].capital
            && !text.tokens[at].possessive
            && matches!(text.before(at), "in")
}

/// Whether a word has a grammatical function, and so begins no name.
pub(super) fn is_function(word: &str) -> bool {
    const FUNCTION: &[&str] = &[
        "the", "a", "an", "and", "or", "but", "if", "then", "so", "to", "for", "of", "in", "on",
        "at", "by", "with", "from", "is", "are", "was", "were", "be", "been", "has", "have", "had",
        "do", "does", "did", "can", "could", "would", "will", "should", "may", "might", "must",
        "not", "no", "yes", "it", "its", "he", "she", "they", "we", "you", "his", "her", "their",
        "our", "your", "my", "me", "him", "them", "us", "this", "that", "these", "those", "there",
        "here", "what", "which", "who", "when", "where", "why", "how", "all", "any", "some",
        "each", "every", "both", "please", "pls", "thanks", "hello", "hi", "hey", "morning",
        "gday", "mate", "just", "also", "now", "today", "tomorrow", "need", "needs", "want",
        "wants", "got", "get", "let", "lets", "heres", "whats", "wheres", "dont",
    ];
    FUNCTION.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::super::testing::tagged;

    #[test]
    fn people_are_found_by_their_names() {
        let cases: &[(&str, &[&str])] = &[
            ("finalise Sarah's quote", &["Sarah"]),
            ("finalise sarah's quote", &["sarah"]),
            ("add customer Helen Papas, 0491 570 156", &["Helen Papas"]),
            ("create a task to call John", &["John"]),
            ("mark is looking after lead_40", &["mark"]),
            ("mark job_7 as done", &[]),
            ("show the leads in Clayton", &[]),
            ("log a call with Mrs Papas", &["Mrs Papas"]),
            ("new lead S. Kelly +61400123456 Clayton", &["S. Kelly"]),
            ("Create a quote for Tom Nguyen", &["Tom Nguyen"]),
        ];
        for (text, expected) in cases {
            let found = tagged(text).names;
            let found: Vec<&str> = found.iter().map(|it| it.name.as_str()).collect();
            assert_eq!(found, *expected, "{text}");
        }
    }
}
