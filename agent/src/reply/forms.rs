//! Forms of the words of the lexicon: with another ending, such as "husbands", or with a slip of the finger, such as
//! "avaliable".

use std::collections::HashMap;
use std::sync::LazyLock;

use super::lexicon::WORDS;

/// Endings, and what stands in their place in the form that the lexicon has.
const ENDINGS: &[(&str, &str)] = &[
    ("s", ""),
    ("es", ""),
    ("ies", "y"),
    ("ing", ""),
    ("ing", "e"),
    ("in", ""),
    ("in", "ing"),
    ("ed", ""),
    ("ed", "e"),
    ("d", ""),
    ("ly", ""),
];
/// The fewest letters that are left without an ending.
const STEM_LETTERS: usize = 3;
/// The fewest letters of a word in which a slip is looked for. Shorter words are too like each other.
const SLIP_LETTERS: usize = 6;

/// The words of the lexicon, and each long one without one of its letters.
static WHOLE: LazyLock<HashMap<&'static str, ()>> =
    LazyLock::new(|| known().map(|word| (word, ())).collect());
static SHORTENED: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    let long = known().filter(|word| word.len() >= SLIP_LETTERS);
    long.flat_map(|word| shortened(word).map(move |part| (part, word))).collect()
});

fn known() -> impl Iterator<Item = &'static str> {
    WORDS.iter().flat_map(|(_, members)| members.split(' '))
}

/// Returns the word of the lexicon of which an unknown word is a form.
pub(super) fn known_form(word: &str) -> Option<&'static str> {
    with_another_ending(word).or_else(|| with_a_slip(word))
}

fn with_another_ending(word: &str) -> Option<&'static str> {
    ENDINGS.iter().find_map(|(ending, instead)| {
        let stem = word.strip_suffix(ending).filter(|stem| stem.len() >= STEM_LETTERS)?;
        let form = format!("{stem}{instead}");
        WHOLE.get_key_value(form.as_str()).map(|(known, ())| *known)
    })
}

/// Finds a word with one letter too many, too few or another, or two letters that have changed places.
fn with_a_slip(word: &str) -> Option<&'static str> {
    if word.len() < SLIP_LETTERS || !word.is_ascii() {
        return None;
    }
    let missing = || SHORTENED.get(word).copied();
    let other = || {
        shortened(word).find_map(|part| {
            let surplus = WHOLE.get_key_value(part.as_str()).map(|(known, ())| *known);
            surplus.or_else(|| SHORTENED.get(&part).copied())
        })
    };
    let found = missing().or_else(other)?;
    (strsim::osa_distance(word, found) == 1).then_some(found)
}

/// Returns a word without one of its letters, for each letter but the first.
fn shortened(word: &str) -> impl Iterator<Item = String> {
    let rest = word.char_indices().skip(1);
    rest.map(|(at, letter)| [&word[..at], &word[at + letter.len_utf8()..]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_known_words_are_found() {
        let cases = [
            ("husbands", Some("husband")),
            ("volunteered", Some("volunteer")),
            ("avaliable", Some("available")),
            ("vacaton", Some("vacation")),
            ("unfortunatley", Some("unfortunately")),
            ("definitly", Some("definitely")),
            ("this", None),
            ("plate", None),
            ("xylophone", None),
        ];
        for (word, known) in cases {
            assert_eq!(known_form(word), known, "{word}");
        }
    }
}
