//! Number words.

/// The words for 0 to 19.
const SMALL: &[&str] = &[
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
/// The words for 20, 30 and so on.
const TENS: &[&str] =
    &["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
/// The words for 1st to 19th.
const ORDINALS: &[&str] = &[
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
];

/// The number from 0 to 19 that a word names.
#[must_use]
pub fn small(word: &str) -> Option<i64> {
    position(SMALL, word)
}

/// The multiple of ten from 20 to 90 that a word names.
#[must_use]
pub fn tens(word: &str) -> Option<i64> {
    position(TENS, word).map(|at| (at + 2) * 10)
}

/// A number of helpers with more digits is a phone number or a slip of the finger.
const DIGITS_MAX: usize = 4;

/// The small whole number that a word names, in digits or in letters.
#[must_use]
pub fn number(word: &str) -> Option<i64> {
    if !word.is_empty()
        && word.len() <= DIGITS_MAX
        && word.bytes().all(|byte| byte.is_ascii_digit())
    {
        return word.parse().ok();
    }
    (word == "dozen").then_some(12).or_else(|| small(word)).or_else(|| tens(word))
}

/// The place from 1st to 20th, or 30th, that a word names.
#[must_use]
pub fn ordinal(word: &str) -> Option<i64> {
    match word {
        "twentieth" => Some(20),
        "thirtieth" => Some(30),
        _ => position(ORDINALS, word).map(|at| at + 1),
    }
}

/// Whether the letters after a number make it an ordinal.
#[must_use]
pub fn is_ordinal_suffix(word: &str) -> bool {
    matches!(word, "st" | "nd" | "rd" | "th")
}

fn position(words: &[&str], word: &str) -> Option<i64> {
    words.iter().position(|name| *name == word).and_then(|at| i64::try_from(at).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_small_and_whole() {
        let cases = [
            ("5", Some(5)),
            ("five", Some(5)),
            ("twenty", Some(20)),
            ("dozen", Some(12)),
            ("12345", None),
            ("9am", None),
            ("", None),
            ("some", None),
        ];
        for (word, expected) in cases {
            assert_eq!(number(word), expected, "{word}");
        }
    }

    #[test]
    fn words_name_numbers() {
        assert_eq!(small("nine"), Some(9));
        assert_eq!(small("twenty"), None);
        assert_eq!(tens("forty"), Some(40));
        assert_eq!(ordinal("twelfth"), Some(12));
        assert_eq!(ordinal("thirtieth"), Some(30));
        assert_eq!(ordinal("last"), None);
    }
}
