//! A place in the tokens, from which the rules read.

use jiff::Zoned;
use jiff::civil::Date;

use crate::number;
use crate::times::token::{Kind, Token};

/// A count of more digits is a phone number or a typing error.
const COUNT_DIGITS_MAX: usize = 4;
/// How deep a phrase may refer to another: "the day after the Sunday before Easter" needs two.
const DEPTH_MAX: u8 = 3;
/// Words after which a bare number may still be a clock time: "need 4 for the 9 please".
const FOLLOWERS: &[&str] = &[
    "and", "are", "as", "at", "but", "by", "can", "could", "for", "from", "if", "in", "instead",
    "is", "next", "not", "now", "on", "or", "please", "pls", "plz", "should", "so", "thanks",
    "that", "this", "to", "today", "tomorrow", "tonight", "too", "until", "was", "we", "when",
    "who", "will", "with", "would",
];

/// Which part of a text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The whole text is one phrase about a time.
    Whole,
    /// The phrase stands in a longer text, whose other numbers are counts.
    Within,
}

/// A number as the place in an order: "3rd", "third".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ordinal {
    pub(crate) value: i8,
    /// Whether it is a word.
    pub(crate) spelled: bool,
}

/// A place in the tokens. A rule that fails may leave it anywhere; [`Cursor::attempt`] returns to
/// where the rule began.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    tokens: &'a [Token],
    at: usize,
    now: &'a Zoned,
    extent: Extent,
    depth: u8,
}

impl<'a> Cursor<'a> {
    /// The start of the tokens.
    pub(crate) fn new(tokens: &'a [Token], now: &'a Zoned, extent: Extent) -> Self {
        Self { tokens, at: 0, now, extent, depth: 0 }
    }

    /// The reference time.
    pub(crate) fn now(&self) -> &'a Zoned {
        self.now
    }

    /// The date of the reference time.
    pub(crate) fn today(&self) -> Date {
        self.now.date()
    }

    /// Whether the phrase stands in a longer text.
    pub(crate) fn is_within(&self) -> bool {
        self.extent == Extent::Within
    }

    /// The index of the next token.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Continues at the token with this index.
    pub(crate) fn go_to(&mut self, at: usize) {
        self.at = at;
    }

    /// Whether no token is left.
    pub(crate) fn is_done(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// Applies a rule; returns to the present place if it fails.
    pub(crate) fn attempt<T>(&mut self, rule: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let at = self.at;
        let found = rule(self);
        if found.is_none() {
            self.at = at;
        }
        found
    }

    /// Applies a rule that may refer to another phrase, up to a depth.
    pub(crate) fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth >= DEPTH_MAX {
            return None;
        }
        self.depth += 1;
        let found = rule(self);
        self.depth -= 1;
        found
    }

    /// The token `ahead` places after the next one.
    pub(crate) fn token(&self, ahead: usize) -> Option<&'a Token> {
        self.tokens.get(self.at + ahead)
    }

    /// The text of the token `ahead` places after the next one, or "".
    pub(crate) fn text(&self, ahead: usize) -> &'a str {
        self.token(ahead).map_or("", |token| token.text.as_str())
    }

    /// The text of the token `back` places before the next one, or "".
    pub(crate) fn before(&self, back: usize) -> &'a str {
        let at = self.at.checked_sub(back);
        at.and_then(|at| self.tokens.get(at)).map_or("", |token| token.text.as_str())
    }

    /// The text of the next token, without a possessive ending: "tonight's".
    pub(crate) fn stem(&self) -> &'a str {
        let text = self.text(0);
        let is_possessive = self.token(0).is_some_and(|token| token.possessive);
        text.strip_suffix('s').filter(|_| is_possessive).unwrap_or(text)
    }

    /// Passes a word.
    pub(crate) fn word(&mut self) -> Option<&'a str> {
        let token = self.token(0).filter(|token| token.kind == Kind::Word)?;
        self.at += 1;
        Some(&token.text)
    }

    /// Passes a token with this text.
    pub(crate) fn take(&mut self, text: &str) -> Option<()> {
        (self.text(0) == text).then(|| self.at += 1)
    }

    /// Passes a token with this text, if it stands here.
    pub(crate) fn skip(&mut self, text: &str) -> bool {
        self.take(text).is_some()
    }

    /// Passes a token with one of these texts.
    pub(crate) fn take_any(&mut self, texts: &[&str]) -> Option<&'a str> {
        let text = self.text(0);
        texts.contains(&text).then(|| {
            self.at += 1;
            text
        })
    }

    /// Passes tokens with these texts, which are separated by spaces.
    pub(crate) fn take_words(&mut self, words: &str) -> Option<()> {
        self.attempt(|cursor| words.split(' ').try_for_each(|word| cursor.take(word)))
    }

    /// Passes a token with this text directly after the token before.
    pub(crate) fn take_glued(&mut self, text: &str) -> Option<()> {
        self.token(0).filter(|token| token.glued)?;
        self.take(text)
    }

    /// Passes digits: at least `len_min` and at most `len_max`.
    pub(crate) fn digits(&mut self, len_min: usize, len_max: usize) -> Option<i64> {
        let token = self.token(0).filter(|token| token.kind == Kind::Digits)?;
        let fits = (len_min..=len_max).contains(&token.text.len());
        let value = token.text.parse().ok().filter(|_| fits)?;
        self.at += 1;
        Some(value)
    }

    /// Passes digits directly after the token before.
    pub(crate) fn glued_digits(&mut self, len: usize) -> Option<i64> {
        self.token(0).filter(|token| token.glued)?;
        self.digits(len, len)
    }

    /// Passes a count: "12", "twelve", "forty-five".
    pub(crate) fn count(&mut self) -> Option<i64> {
        self.attempt(|cursor| cursor.digits(1, COUNT_DIGITS_MAX).or_else(|| cursor.spelled()))
    }

    /// Passes a number in words.
    pub(crate) fn spelled(&mut self) -> Option<i64> {
        self.attempt(|cursor| {
            let word = cursor.word()?;
            let Some(tens) = number::tens(word) else { return number::small(word) };
            let unit = cursor.attempt(|cursor| {
                cursor.skip("-");
                number::small(cursor.word()?).filter(|unit| (1..=9).contains(unit))
            });
            Some(tens + unit.unwrap_or(0))
        })
    }

    /// Passes an ordinal: "3rd", "third", "twenty-third".
    pub(crate) fn ordinal(&mut self) -> Option<Ordinal> {
        self.attempt(|cursor| {
            if let Some(value) = cursor.digits(1, 2) {
                cursor.token(0).filter(|token| token.glued)?;
                cursor.word().filter(|word| number::is_ordinal_suffix(word))?;
                return Some(Ordinal { value: i8::try_from(value).ok()?, spelled: false });
            }
            let word = cursor.word()?;
            let value = match number::tens(word) {
                None => number::ordinal(word)?,
                Some(tens) => {
                    cursor.skip("-");
                    tens + number::ordinal(cursor.word()?).filter(|unit| (1..=9).contains(unit))?
                }
            };
            Some(Ordinal { value: i8::try_from(value).ok()?, spelled: true })
        })
    }

    /// Passes a year of four digits.
    pub(crate) fn year(&mut self) -> Option<i16> {
        self.attempt(|cursor| {
            let year = cursor.digits(4, 4).filter(|year| (1900..2200).contains(year))?;
            let clock = matches!(cursor.text(0), ":" | "am" | "pm" | "hours" | "hrs");
            i16::try_from(year).ok().filter(|_| !clock)
        })
    }

    /// Whether a bare number that ends here can be a clock time: nothing counted follows.
    pub(crate) fn is_number_over(&self) -> bool {
        let Some(token) = self.token(0) else { return true };
        match token.kind {
            Kind::Word => FOLLOWERS.contains(&token.text.as_str()),
            Kind::Digits => false,
            Kind::Mark => match token.text.as_str() {
                "%" | "$" | "/" | "+" | "*" | "=" | "°" | "#" => false,
                "-" | "." | ":" | "," => {
                    self.token(1).is_none_or(|next| !next.glued || next.kind == Kind::Mark)
                }
                _ => true,
            },
        }
    }
}
