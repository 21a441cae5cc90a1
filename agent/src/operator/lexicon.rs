//! The words for what staff do and for what they do it to, as classes with the same meaning.

use super::wordlist::{is_in, words};

/// Whether a class is something to do, or something that it is done to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sense {
    Verb,
    Noun,
}

/// Whether a word is the unit of a quantity.
pub(super) fn is_unit(word: &str) -> bool {
    is_in(&words().units, word)
}

/// A word or several of a class, and where they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CueWord {
    pub(super) class: &'static str,
    pub(super) sense: Sense,
    /// The first token, and the number of tokens.
    pub(super) at: usize,
    pub(super) length: usize,
}

/// Most tokens of the words of a class.
const LENGTH_MAX: usize = 4;

/// Finds the words of classes among these words, in their order. A word can belong to several classes.
pub(super) fn cues(words: &[&str]) -> Vec<CueWord> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let longest = (1..=LENGTH_MAX.min(words.len() - at)).rev().find_map(|length| {
            let here: Vec<CueWord> = classes(&words[at..at + length])
                .map(|it| CueWord { class: it.name, sense: it.sense, at, length })
                .collect();
            (!here.is_empty()).then_some((length, here))
        });
        match longest {
            Some((length, here)) => {
                found.extend(here);
                at += length;
            }
            None => at += 1,
        }
    }
    found
}

/// A class that some words belong to.
struct WordClass {
    name: &'static str,
    sense: Sense,
}

fn classes<'w>(spoken: &'w [&'w str]) -> impl Iterator<Item = WordClass> + 'w {
    let is = move |known: &&String| {
        let mut parts = known.split(' ');
        spoken.iter().all(|word| parts.next() == Some(word)) && parts.next().is_none()
    };
    let lists = words();
    let verbs = lists.verbs.iter().map(|class| (Sense::Verb, class));
    let all = verbs.chain(lists.nouns.iter().map(|class| (Sense::Noun, class)));
    let with = all.filter(move |(_, (_, known))| known.iter().any(|known| is(&known)));
    with.map(|(sense, (name, _))| WordClass { name, sense })
}

/// Returns the words of all classes.
fn class_words() -> impl Iterator<Item = &'static str> {
    let lists = words();
    lists.verbs.values().chain(lists.nouns.values()).flatten().map(String::as_str)
}

/// Whether a word belongs to a class, or is common.
pub(super) fn is_known(word: &str) -> bool {
    is_in(&words().common, word) || class_words().any(|known| known == word)
}

/// The fewest letters of a word whose spelling is corrected.
const LETTERS_MIN: usize = 4;

/// Returns the word of a class that a word with one slip of the fingers was to be.
pub(super) fn corrected(word: &str) -> Option<&'static str> {
    if word.len() < LETTERS_MIN || is_known(word) || !word.bytes().all(|it| it.is_ascii_lowercase())
    {
        return None;
    }
    let known = class_words().filter(|known| !known.contains(' '));
    let close = known.filter(|known| {
        let longer = known.len() > LETTERS_MIN;
        let same_start = known.as_bytes().first() == word.as_bytes().first();
        let same_letters = sorted(known) == sorted(word);
        same_start
            && known.len() >= LETTERS_MIN
            && ((longer && word.len() > LETTERS_MIN && strsim::osa_distance(known, word) == 1)
                || same_letters)
    });
    close.min_by_key(|known| strsim::osa_distance(known, word)).filter(|_| !is_other(word))
}

fn sorted(word: &str) -> Vec<u8> {
    let mut letters = word.as_bytes().to_vec();
    letters.sort_unstable();
    letters
}

/// Words that are close to one of a class and mean something else.
fn is_other(word: &str) -> bool {
    const OTHER: &[&str] = &[
        "clear", "clean", "pains", "paint", "there", "their", "these", "those", "stick", "stock",
        "stack", "trick", "ticks", "tiles", "title", "files", "lined", "liner", "noted", "noter",
        "sends", "bends", "texas", "taste", "jobby", "quite", "quiet", "house", "hours", "month",
        "south", "seal", "deal", "last", "lost", "cast", "male", "meal", "stat", "close",
    ];
    OTHER.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_a_slip_are_corrected() {
        let cases = [
            ("reshedule", Some("reschedule")),
            ("sumbit", Some("submit")),
            ("sned", Some("send")),
            ("emial", Some("email")),
            ("invocies", Some("invoices")),
            ("quite", None),
            ("send", None),
            ("roof", None),
        ];
        for (word, expected) in cases {
            assert_eq!(corrected(word), expected, "{word}");
        }
    }

    #[test]
    fn the_longest_words_count() {
        let found = cues(&["call", "off", "the", "job"]);
        let found: Vec<&str> = found.iter().map(|it| it.class).collect();
        assert_eq!(found, ["cancel", "job"]);
    }
}
