//! Counts letters of a text.
//!
//! A letter is a grapheme cluster, what a person sees as one character, whose first character is alphabetic.
//! Upper and lower case are the same letter; a letter with an accent is another letter than without.

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

use super::wire::Payload;
use crate::text::CHARS_MAX;
use crate::words;

/// The vowels of English, without accents.
const VOWELS: [&str; 5] = ["a", "e", "i", "o", "u"];

words! {
    /// What is counted in a text.
    pub enum LetterKind {
        /// Letters: one that is named, or all of them.
        Letter = "letter",
        /// The letters a, e, i, o and u.
        Vowel = "vowel",
        /// The letters that are no vowels.
        Consonant = "consonant",
        /// Words.
        Word = "word",
    }
}

/// The payload of a `REPORT` of a number of letters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountQuestion {
    /// The text, as it was written.
    pub text: String,
    /// The letter, in lower case; `None` for all letters of the kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub letter: Option<String>,
    /// What is counted; `None` for letters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<LetterKind>,
}

impl Payload for CountQuestion {
    const KIND: &'static str = "count";
}

/// Why nothing was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CountFault {
    /// What was to be counted is no single letter.
    #[error("not a letter")]
    NotALetter,
    /// The text is longer than a text message.
    #[error("text too long")]
    TooLong,
}

/// Counts the letters that a question asks for.
///
/// # Errors
/// Says why nothing was counted. The text of the error is the claim of a `JUSTIFY`.
pub fn count(question: &CountQuestion) -> Result<usize, CountFault> {
    if question.text.chars().nth(CHARS_MAX).is_some() {
        return Err(CountFault::TooLong);
    }
    if question.of == Some(LetterKind::Word) {
        return Ok(question.text.unicode_words().count());
    }
    let wanted = question.letter.as_deref().map(letter).transpose()?;
    let text: String = question.text.nfc().collect();
    let letters = text.graphemes(true).filter(|cluster| is_letter(cluster)).map(folded);
    let is_counted = |letter: &String| match (&wanted, question.of) {
        (Some(wanted), _) => letter == wanted,
        (None, Some(LetterKind::Vowel)) => is_vowel(letter),
        (None, Some(LetterKind::Consonant)) => !is_vowel(letter),
        (None, _) => true,
    };
    Ok(letters.filter(is_counted).count())
}

/// Returns a text that is one letter in the form in which letters are compared.
fn letter(text: &str) -> Result<String, CountFault> {
    let text: String = text.trim().nfc().collect();
    let mut clusters = text.graphemes(true);
    match (clusters.next(), clusters.next()) {
        (Some(cluster), None) if is_letter(cluster) => Ok(folded(cluster)),
        _ => Err(CountFault::NotALetter),
    }
}

fn is_letter(cluster: &str) -> bool {
    cluster.chars().next().is_some_and(char::is_alphabetic)
}

/// Whether a letter is a vowel; its accent makes no difference to that.
fn is_vowel(letter: &str) -> bool {
    let plain: String = letter.nfd().take(1).collect();
    VOWELS.contains(&plain.as_str())
}

/// Folds the case of a letter. Upper case first would turn "ẞ" and "ß" into different letters, and lower case
/// alone would tell apart the two sigmas.
fn folded(letter: &str) -> String {
    letter.to_lowercase().to_uppercase().to_lowercase().nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(text: &str, letter: &str) -> Result<usize, CountFault> {
        let letter = Some(letter.to_owned());
        count(&CountQuestion { text: text.to_owned(), letter, of: None })
    }

    #[test]
    fn a_letter_counts_in_both_cases_and_only_with_its_own_accent() {
        let cases = [
            ("strawberry", "r", 3),
            ("Mississippi", "s", 4),
            ("Hello, World!", "L", 3),
            ("résumé", "é", 2),
            ("résumé", "e", 0),
            ("café creme", "e", 2),
            ("re\u{301}sume\u{301}", "é", 2),
            ("résumé", "e\u{301}", 2),
            ("Müller und Söhne, München", "ü", 2),
            ("mañana", "n", 1),
            ("Straße", "ß", 1),
            ("STRASSE", "ß", 0),
            ("ὈΔΥΣΣΕΎΣ", "ς", 3),
            ("www.wow.com", "w", 5),
            ("", "a", 0),
        ];
        for (text, letter, expected) in cases {
            assert_eq!(counted(text, letter), Ok(expected), "{letter} in {text}");
        }
    }

    #[test]
    fn whole_kinds_of_letters_are_counted_too() {
        let cases = [
            (LetterKind::Letter, "ice cream 2, 👍🏽!", 8),
            (LetterKind::Vowel, "Queue à Paris", 7),
            (LetterKind::Consonant, "Straße 12", 4),
            (LetterKind::Word, "the cat sat, didn't it?", 5),
        ];
        for (of, text, expected) in cases {
            let question = CountQuestion { text: text.to_owned(), letter: None, of: Some(of) };
            assert_eq!(count(&question), Ok(expected), "{of} of {text}");
        }
    }

    #[test]
    fn only_single_letters_are_counted() {
        for letter in ["", "7", "ab", "!", "👍"] {
            assert_eq!(counted("ab7!👍", letter), Err(CountFault::NotALetter), "{letter}");
        }
        assert_eq!(counted(&"a".repeat(CHARS_MAX + 1), "a"), Err(CountFault::TooLong));
    }
}
