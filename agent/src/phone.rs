//! Finds what may be a phone number in a text, by its digits alone.

use std::ops::Range;

/// Digits that stand together in a text, with the signs and blanks between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DigitRun {
    /// Where they stand, in bytes.
    pub range: Range<usize>,
    /// How many digits they are.
    pub digits: usize,
}

/// Returns the runs of digits in a text, in its sequence. How many digits a phone number has is for the caller to say.
pub fn runs(text: &str) -> impl Iterator<Item = DigitRun> {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '+' | '(' | ')' | '-' | ' ' | '.');
    let mut end = 0;
    text.split_inclusive(move |c| !is_part(c)).map(move |run| {
        let start = end;
        end += run.len();
        let part = run.trim_end_matches(|c| !is_part(c));
        let number = part.trim_matches([' ', '.', '-']);
        let start = start + part.len() - part.trim_start_matches([' ', '.', '-']).len();
        let digits = number.chars().filter(char::is_ascii_digit).count();
        DigitRun { range: start..start + number.len(), digits }
    })
}

/// The fewest digits of a phone number.
const DIGITS_MIN: usize = 7;

/// Returns a text with `shown` in place of each phone number.
#[must_use]
pub fn replaced(text: &str, shown: &str) -> String {
    let mut without = text.to_owned();
    let numbers: Vec<DigitRun> = runs(text).filter(|run| run.digits >= DIGITS_MIN).collect();
    for run in numbers.into_iter().rev() {
        without.replace_range(run.range, shown);
    }
    without
}

#[cfg(test)]
mod tests {
    use super::runs;

    #[test]
    fn digits_are_found_with_the_signs_between_them() {
        let cases: &[(&str, &[&str])] = &[
            ("call (512) 555-0142 now", &["(512) 555-0142"]),
            ("5, or +15125550100. OK", &["5", "+15125550100"]),
            ("at 9:00", &["9", "00"]),
            ("no digits", &[]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            let found = runs(text).filter(|run| run.digits > 0);
            let found: Vec<&str> = found.filter_map(|run| text.get(run.range)).collect();
            assert_eq!(found, *expected, "{text}");
        }
    }
}
