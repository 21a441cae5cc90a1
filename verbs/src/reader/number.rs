//! Small whole numbers as digits or words.

use abide_agent::number::small;

/// A number of helpers beyond this is a phone number or a typing error.
const DIGITS_MAX: usize = 4;

/// The number that a word names.
pub(super) fn number(word: &str) -> Option<i64> {
    if word.len() <= DIGITS_MAX && word.bytes().all(|byte| byte.is_ascii_digit()) {
        return word.parse().ok();
    }
    match word {
        "thirty" => Some(30),
        "forty" => Some(40),
        "fifty" => Some(50),
        "dozen" => Some(12),
        "twenty" => Some(20),
        _ => small(word),
    }
}

#[cfg(test)]
mod tests {
    use super::number;

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
}
