//! Numbers in digits and in words: "1,000", "two hundred and five", "2.5 million", "three point one four".

use super::piece::{Infix, Level, Piece};
use super::words::Words;
use crate::number::{ordinal, small, tens};

/// Words for large numbers, with their zeros.
const SCALES: &[(&str, usize)] =
    &[("hundred", 2), ("thousand", 3), ("million", 6), ("billion", 9), ("trillion", 12)];
/// Fractions that are one character.
const VULGAR: &[(&str, &str)] = &[
    ("½", "1/2"),
    ("¼", "1/4"),
    ("¾", "3/4"),
    ("⅓", "1/3"),
    ("⅔", "2/3"),
    ("⅕", "1/5"),
    ("⅛", "1/8"),
    ("⅜", "3/8"),
    ("⅝", "5/8"),
    ("⅞", "7/8"),
];

/// A part of a whole, as it was said: "two thirds".
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fraction {
    pub(super) numerator: String,
    pub(super) denominator: i64,
}

impl Fraction {
    /// Returns the part of something.
    pub(super) fn of(&self, whole: &Piece) -> Piece {
        let whole = whole.at_least(Level::Product);
        let text = match self.numerator.as_str() {
            "1" => format!("{whole}/{}", self.denominator),
            numerator => format!("{whole}*{numerator}/{}", self.denominator),
        };
        Piece::operation(text, Level::Product)
    }

    /// Returns the fraction by itself.
    pub(super) fn alone(&self) -> Piece {
        let text = format!("{}/{}", self.numerator, self.denominator);
        Piece { is_operation: false, ..Piece::operation(text, Level::Product) }
    }
}

/// Reads a number, perhaps with a fraction after it: "two and a half", "3 1/2", "5 dozen".
pub(super) fn number(words: &mut Words<'_>) -> Option<Piece> {
    if let Some((_, text)) = VULGAR.iter().find(|(sign, _)| *sign == words.word(0)) {
        words.at += 1;
        return Some(Piece { is_operation: false, ..Piece::operation(*text, Level::Product) });
    }
    let whole = words.attempt(plain_number)?;
    let piece = Piece::number(whole);
    if words.take("dozen").is_some() {
        return Some(piece.with(Infix::Times, &Piece::number("12")));
    }
    let fraction = words.attempt(|words| {
        words.take("and")?;
        fraction(words).map(|fraction| fraction.alone())
    });
    let written = fraction.or_else(|| words.attempt(written_fraction));
    Some(match written {
        None => piece,
        Some(part) => Piece { is_operation: false, ..piece.with(Infix::Plus, &part) },
    })
}

/// Reads the fraction of a mixed number: "3 1/2", "3½".
pub(super) fn written_fraction(words: &mut Words<'_>) -> Option<Piece> {
    if VULGAR.iter().any(|(sign, _)| *sign == words.word(0)) {
        return number(words);
    }
    let is_fraction = words.is_number(0)
        && words.word(1) == "/"
        && words.is_glued(1)
        && words.is_number(2)
        && words.is_glued(2);
    let text = format!("{}/{}", words.word(0), words.word(2));
    words.at += 3;
    is_fraction.then(|| Piece::operation(text, Level::Product))
}

/// Reads a number without a fraction. Returns its digits.
pub(super) fn plain_number(words: &mut Words<'_>) -> Option<String> {
    if words.is_number(0) {
        let digits = words.word(0);
        let is_code = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
        words.at += 1;
        if words.word(0) == "k" && words.is_glued(0) {
            words.at += 1;
            return scaled(digits, 3);
        }
        let scale = SCALES.iter().find(|(word, _)| *word == words.word(0));
        let Some((_, zeros)) = scale else { return (!is_code).then(|| digits.to_owned()) };
        words.at += 1;
        return scaled(digits, *zeros);
    }
    let whole = if words.word(0) == "point" { 0 } else { spelled(words)? }.to_string();
    let decimals = words.attempt(|words| {
        words.take("point")?;
        let mut decimals = String::new();
        while let Some(digit) = digit(words) {
            decimals.push_str(&digit);
        }
        (!decimals.is_empty()).then_some(decimals)
    });
    Some(decimals.map_or_else(|| whole.clone(), |decimals| format!("{whole}.{decimals}")))
}

fn digit(words: &mut Words<'_>) -> Option<String> {
    let digit = if words.word(0) == "oh" { Some(0) } else { small(words.word(0)) };
    let digit = digit.filter(|digit| *digit < 10)?;
    words.at += 1;
    Some(digit.to_string())
}

/// Appends zeros to a number, or moves its decimal point.
fn scaled(digits: &str, zeros: usize) -> Option<String> {
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    if decimals.len() > zeros {
        return None;
    }
    let shown = format!("{whole}{decimals}{}", "0".repeat(zeros - decimals.len()));
    Some(shown.trim_start_matches('0').to_owned()).filter(|shown| !shown.is_empty())
}

/// Reads a number in words: "one hundred and one", "twenty-two thousand".
fn spelled(words: &mut Words<'_>) -> Option<i64> {
    let mut total = 0_i64;
    let mut group: Option<i64> = None;
    let mut had_scale = false;
    loop {
        let word = words.word(0);
        let scale = SCALES.iter().find(|(name, _)| *name == word).map(|(_, zeros)| *zeros);
        if let Some(zeros) = scale {
            let factor = 10_i64.checked_pow(u32::try_from(zeros).ok()?)?;
            let value = group.unwrap_or(1).checked_mul(factor)?;
            if zeros == 2 {
                group = Some(value);
            } else {
                total = total.checked_add(value)?;
                group = None;
            }
            had_scale = true;
            words.at += 1;
            continue;
        }
        let at = words.at;
        if had_scale {
            words.skip("and");
        }
        let is_article = matches!(word, "a" | "an") && is_scale(words.word(1)) && group.is_none();
        let next = if is_article && words.at == at {
            words.at += 1;
            Some(1)
        } else {
            below_hundred(words)
        };
        let Some(next) = next.filter(|_| group.is_none_or(|group| group % 100 == 0)) else {
            words.at = at;
            break;
        };
        group = Some(group.unwrap_or(0) + next);
    }
    let is_said = had_scale || group.is_some();
    is_said.then(|| total + group.unwrap_or(0))
}

fn is_scale(word: &str) -> bool {
    SCALES.iter().any(|(name, _)| *name == word)
}

/// Reads a number from 0 to 99.
fn below_hundred(words: &mut Words<'_>) -> Option<i64> {
    if let Some(tens) = tens(words.word(0)) {
        words.at += 1;
        let is_hyphen = words.word(0) == "-" && words.is_glued(0) && words.is_glued(1);
        let ahead = usize::from(is_hyphen);
        let ones = small(words.word(ahead)).filter(|ones| (1..10).contains(ones));
        words.at += if ones.is_some() { ahead + 1 } else { 0 };
        return Some(tens + ones.unwrap_or(0));
    }
    let small = small(words.word(0))?;
    words.at += 1;
    Some(small)
}

/// Reads a fraction in words: "a half", "two thirds", "three-quarters", "half".
pub(super) fn fraction(words: &mut Words<'_>) -> Option<Fraction> {
    words.attempt(|words| {
        words.skip("the");
        let is_one = words.take("a|an|one").is_some() || denominator(words.word(0)).is_some();
        let numerator = if is_one { "1".to_owned() } else { plain_number(words)? };
        if words.word(0) == "-" && words.is_glued(0) && words.is_glued(1) {
            words.at += 1;
        }
        let denominator = denominator(words.word(0))?;
        words.at += 1;
        Some(Fraction { numerator, denominator })
    })
}

/// Returns the denominator that a word names. A "second" is no fraction.
fn denominator(word: &str) -> Option<i64> {
    let singular = word.strip_suffix('s').unwrap_or(word);
    match singular {
        "half" | "halve" => Some(2),
        "quarter" => Some(4),
        "hundredth" => Some(100),
        "thousandth" => Some(1_000),
        _ => ordinal(singular).filter(|place| *place > 2),
    }
}
