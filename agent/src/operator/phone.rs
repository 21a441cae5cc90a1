//! Phone numbers in a text, in digits or spoken: "oh four hundred, one two three, four five six".

use std::ops::Range;

use super::tag::Tagged;
use crate::number;

/// The fewest and the most digits of what may be a phone number.
const DIGITS: std::ops::RangeInclusive<usize> = 8..=13;
/// The country code of Australia.
const AUSTRALIA: &str = "61";
/// The first digits of an Australian number after its zero: a mobile, or a region.
const AREAS: [char; 5] = ['2', '3', '4', '7', '8'];

/// A phone number in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SaidPhone {
    pub(super) tokens: Range<usize>,
    /// As it was said.
    pub(super) said: String,
    /// In E.164 form; `None` if it is no number of the region.
    pub(super) number: Option<String>,
}

/// Finds the phone numbers.
pub(super) fn find(text: &Tagged<'_>) -> Vec<SaidPhone> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.tokens.len() {
        match run(text, at) {
            Some(phone) => {
                at = phone.tokens.end;
                found.push(phone);
            }
            None => at += 1,
        }
    }
    found
}

/// Returns the phone number that begins at a token.
fn run(text: &Tagged<'_>, start: usize) -> Option<SaidPhone> {
    let begins = text.tokens.get(start)?;
    let mut digits = String::new();
    let (mut end, mut best) = (start, None);
    while let Some(part) = part(text, end) {
        digits.push_str(&part.digits);
        if digits.len() > *DIGITS.end() {
            break;
        }
        end = part.end;
        if DIGITS.contains(&digits.len()) {
            best = Some((end, digits.clone()));
            if e164(&digits, begins.word.starts_with('+')).is_some() {
                break;
            }
        }
    }
    let (end, digits) = best?;
    let plus = begins.word.starts_with('+');
    if !plus && !digits.starts_with(['0', '1', '4', '6']) {
        return None; // a date, or an amount
    }
    let said = text.said(start..end).to_owned();
    Some(SaidPhone { tokens: start..end, said, number: e164(&digits, plus) })
}

/// Some digits of a number.
struct Part {
    digits: String,
    /// The token after them.
    end: usize,
}

/// Returns the digits that a token begins.
fn part(text: &Tagged<'_>, at: usize) -> Option<Part> {
    let token = text.tokens.get(at)?;
    let word = token.word.as_str();
    let written = word.trim_start_matches(['+', '(']);
    let is_sign = |c: char| c.is_ascii_digit() || matches!(c, '-' | '.' | '(' | ')');
    if written.chars().all(is_sign) && written.starts_with(|c: char| c.is_ascii_digit()) {
        let digits = written.chars().filter(char::is_ascii_digit).collect();
        return Some(Part { digits, end: at + 1 });
    }
    let times = match word {
        "double" => 2,
        "triple" | "treble" => 3,
        _ => 1,
    };
    if times > 1 {
        let digit = digit(text.word(at + 1))?;
        return Some(Part { digits: digit.repeat(times), end: at + 2 });
    }
    if let Some(digit) = digit(word) {
        let hundred = text.word(at + 1) == "hundred";
        let digits = if hundred { format!("{digit}00") } else { digit };
        return Some(Part { digits, end: at + 1 + usize::from(hundred) });
    }
    let tens = number::tens(word)?;
    let ones = digit(text.word(at + 1)).and_then(|it| it.parse::<i64>().ok()).filter(|it| *it > 0);
    Some(Part {
        digits: (tens + ones.unwrap_or(0)).to_string(),
        end: at + 1 + usize::from(ones.is_some()),
    })
}

/// Returns the digits of a number below twenty that a word names.
fn digit(word: &str) -> Option<String> {
    match word {
        "o" | "oh" | "zero" | "nought" | "naught" => Some("0".to_owned()),
        _ => number::small(word).map(|it| it.to_string()),
    }
}

/// Returns an Australian number, or an international one, in E.164 form.
fn e164(digits: &str, plus: bool) -> Option<String> {
    let is_local = |national: &str| national.len() == 9 && national.starts_with(AREAS);
    if let Some(national) = digits.strip_prefix(AUSTRALIA) {
        let national = national.strip_prefix('0').unwrap_or(national);
        if is_local(national) {
            return Some(format!("+{AUSTRALIA}{national}"));
        }
    }
    if plus {
        let own = digits.starts_with(AUSTRALIA);
        return (!own && digits.len() >= 9).then(|| format!("+{digits}"));
    }
    if let Some(national) = digits.strip_prefix('0') {
        return is_local(national).then(|| format!("+{AUSTRALIA}{national}"));
    }
    let is_mobile = digits.len() == 9 && digits.starts_with('4');
    let is_service =
        digits.len() == 10 && (digits.starts_with("1300") || digits.starts_with("1800"));
    (is_mobile || is_service).then(|| format!("+{AUSTRALIA}{digits}"))
}

#[cfg(test)]
mod tests {
    use super::super::testing::tagged;

    #[test]
    fn numbers_are_found_in_digits_and_in_words() {
        let cases = [
            ("call 0400 123 456 now", "0400 123 456", Some("+61400123456")),
            ("0400123456", "0400123456", Some("+61400123456")),
            ("(03) 9555 0100.", "03) 9555 0100", Some("+61395550100")),
            ("+61 400 123 456", "+61 400 123 456", Some("+61400123456")),
            (
                "oh four hundred, one two three, four five six",
                "oh four hundred, one two three, four five six",
                Some("+61400123456"),
            ),
            (
                "zero four double one triple two 333",
                "zero four double one triple two 333",
                Some("+61411222333"),
            ),
            ("04 double one triple two 333 ", "04 double one triple two 333", Some("+61411222333")),
            ("0400 123 45", "0400 123 45", None),
        ];
        for (text, said, number) in cases {
            let found = tagged(text).phones;
            let first = found.first().map(|it| (it.said.as_str(), it.number.as_deref()));
            if number.is_some() {
                assert_eq!(first, Some((said, number)), "{text}");
            } else {
                assert_eq!(first.and_then(|(_, number)| number), None, "{text}");
            }
        }
        for text in ["12 jobs on 3/4", "$1,250,000", "in 2026", "call in 5"] {
            assert!(tagged(text).phones.is_empty(), "{text}");
        }
    }
}
