//! A part of a text, which readers take words from.

use std::ops::Range;

use super::token::{Kind, Token};

/// Texts of more letters than this, all of them capital, are shouted.
const SHOUTED_FROM: usize = 6;

/// Several tokens in a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clause<'t> {
    text: &'t str,
    tokens: &'t [Token],
    /// Whether the whole text is in capital letters, so that a capital letter says nothing.
    is_shouted: bool,
}

/// The two sides of words that were found in a clause.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sides<'t> {
    pub(super) before: Clause<'t>,
    pub(super) after: Clause<'t>,
}

impl<'t> Clause<'t> {
    pub(super) fn new(text: &'t str, tokens: &'t [Token]) -> Self {
        let mut letters = text.chars().filter(|c| c.is_alphabetic());
        let is_shouted = letters.clone().count() > SHOUTED_FROM && letters.all(char::is_uppercase);
        Self { text, tokens, is_shouted }
    }

    /// Returns the number of tokens.
    pub(super) fn len(self) -> usize {
        self.tokens.len()
    }

    pub(super) fn is_empty(self) -> bool {
        self.tokens.is_empty()
    }

    pub(super) fn tokens(self) -> &'t [Token] {
        self.tokens
    }

    /// Returns the text of a token, or an empty one behind the last.
    pub(super) fn word(self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |token| &token.text)
    }

    pub(super) fn token(self, at: usize) -> Option<&'t Token> {
        self.tokens.get(at)
    }

    pub(super) fn is_number(self, at: usize) -> bool {
        self.token(at).is_some_and(|token| token.kind == Kind::Number)
    }

    /// Whether a token follows the one before it without a space.
    pub(super) fn is_glued(self, at: usize) -> bool {
        self.token(at).is_some_and(|token| token.is_glued)
    }

    /// Whether the token was written with a capital letter.
    pub(super) fn is_capital(self, at: usize) -> bool {
        let first = self.token(at).and_then(|token| self.text[token.bytes.clone()].chars().next());
        !self.is_shouted && first.is_some_and(char::is_uppercase)
    }

    /// Returns some of the tokens; fewer if there are not so many.
    pub(super) fn slice(self, range: Range<usize>) -> Self {
        let end = range.end.min(self.len());
        Self { tokens: &self.tokens[range.start.min(end)..end], ..self }
    }

    pub(super) fn from(self, at: usize) -> Self {
        self.slice(at..self.len())
    }

    pub(super) fn until(self, at: usize) -> Self {
        self.slice(0..at)
    }

    /// Returns the place of the clause in the text.
    pub(super) fn bytes(self) -> Range<usize> {
        match (self.tokens.first(), self.tokens.last()) {
            (Some(first), Some(last)) => first.bytes.start..last.bytes.end,
            _ => 0..0,
        }
    }

    /// Returns the clause as it was written.
    pub(super) fn raw(self) -> &'t str {
        &self.text[self.bytes()]
    }

    /// Returns the clause as it was written, without quotation marks around the whole of it.
    pub(super) fn unquoted(self) -> &'t str {
        match self.tokens {
            [only] => &self.text[only.inner.clone()],
            _ => self.raw(),
        }
    }

    /// Returns the text before the clause.
    pub(super) fn text_before(self) -> &'t str {
        &self.text[..self.bytes().start]
    }

    /// Returns the clause in plain words, without marks.
    pub(super) fn plain(self) -> String {
        let words = self.tokens.iter().filter(|token| token.kind != Kind::Mark);
        words.map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// Returns how many tokens one of the phrases takes at the start; 0 if none is there. Phrases are separated by
    /// `|`, their words by blanks. The longest one counts.
    pub(super) fn starts(self, phrases: &str) -> usize {
        let fits = |phrase: &str| {
            let mut words = 0;
            let all = phrase.split(' ').all(|word| {
                words += 1;
                self.word(words - 1) == word
            });
            if all { words } else { 0 }
        };
        phrases.split('|').map(fits).max().unwrap_or_default()
    }

    /// Returns how many tokens one of the phrases takes at the end; 0 if none is there.
    pub(super) fn ends(self, phrases: &str) -> usize {
        let fits = |phrase: &str| {
            let words = phrase.split(' ').count();
            let start = self.len().checked_sub(words);
            start.map_or(0, |start| self.from(start).starts(phrase))
        };
        phrases.split('|').map(fits).max().unwrap_or_default()
    }

    /// Returns the rest after one of the phrases at the start.
    pub(super) fn after(self, phrases: &str) -> Option<Self> {
        let words = self.starts(phrases);
        (words > 0).then(|| self.from(words))
    }

    /// Returns the rest before one of the phrases at the end.
    pub(super) fn before(self, phrases: &str) -> Option<Self> {
        let words = self.ends(phrases);
        (words > 0).then(|| self.until(self.len() - words))
    }

    /// Returns the rest after one of the phrases at the start, or the whole clause if none is there.
    pub(super) fn past(self, phrases: &str) -> Self {
        self.from(self.starts(phrases))
    }

    /// Returns the rest before one of the phrases at the end, or the whole clause if none is there.
    pub(super) fn short_of(self, phrases: &str) -> Self {
        self.until(self.len() - self.ends(phrases))
    }

    /// Whether the clause is one of the phrases.
    pub(super) fn is(self, phrases: &str) -> bool {
        !self.is_empty() && self.starts(phrases) == self.len()
    }

    /// Finds one of the phrases, the first in the clause, and returns what is on both sides of it.
    pub(super) fn split(self, phrases: &str) -> Option<Sides<'t>> {
        (0..self.len()).find_map(|at| {
            let words = self.from(at).starts(phrases);
            let sides = || Sides { before: self.until(at), after: self.from(at + words) };
            (words > 0).then(sides)
        })
    }

    /// Whether one of the phrases is somewhere in the clause.
    pub(super) fn has(self, phrases: &str) -> bool {
        self.split(phrases).is_some()
    }

    /// Returns the clause without the marks at its ends, apart from quotations and what belongs to a number.
    pub(super) fn trimmed(self) -> Self {
        const LEADING: &str = ",|.|!|?|:|;|-|\n|…|)|*|&";
        const TRAILING: &str = ",|.|!|?|:|;|-|\n|…|(|&";
        let mut clause = self;
        while clause.starts(LEADING) > 0 && !clause.is_signed_number() {
            clause = clause.from(1);
        }
        while clause.ends(TRAILING) > 0 && !clause.is_factorial() {
            clause = clause.until(clause.len() - 1);
        }
        clause
    }

    /// Whether it starts with a minus that belongs to the number after it.
    fn is_signed_number(self) -> bool {
        self.word(0) == "-" && self.is_number(1) && self.is_glued(1)
    }

    /// Whether it ends with the mark of a factorial: "5!".
    fn is_factorial(self) -> bool {
        let last = self.len().saturating_sub(1);
        self.word(last) == "!" && self.is_glued(last) && last > 0 && self.is_number(last - 1)
    }
}
