//! A text of staff as tokens: its times, services, roles and numbers of people, each as one token,
//! and the words and marks between them.

use jiff::Zoned;

use super::amount::{self, Amount};
use super::lexicon;
use super::role;
use super::said::{self, Said};
use super::{day, sense, spelling};
use crate::church::ChurchWords;
use crate::text::words;

/// The word that stands for a time while the text is cut.
const TIME: &str = "xtime";

/// What a token is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// A word without a meaning of its own here.
    Word,
    /// The end of a clause, a question mark or an exclamation mark.
    Mark,
    /// A role, by its stored name.
    Role(String),
    /// A number of people.
    Number(Amount),
    /// A time, or a service by its name.
    Time(Said),
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    /// Its words in lower case.
    pub(super) word: String,
    /// What it is.
    pub(super) kind: Kind,
}

impl Token {
    fn word(word: &str) -> Self {
        let kind = if matches!(word, "|" | "?" | "!" | "\"") { Kind::Mark } else { Kind::Word };
        Self { word: word.to_owned(), kind }
    }

    /// Returns the number of people, if it is one.
    pub(super) fn amount(&self) -> Option<&Amount> {
        if let Kind::Number(amount) = &self.kind { Some(amount) } else { None }
    }

    /// Returns the role, if it is one.
    pub(super) fn role(&self) -> Option<&str> {
        if let Kind::Role(role) = &self.kind { Some(role) } else { None }
    }

    /// Returns the time, if it is one.
    pub(super) fn time(&self) -> Option<&Said> {
        if let Kind::Time(said) = &self.kind { Some(said) } else { None }
    }

    /// Whether it is a word of a list, and no role, number or time.
    pub(super) fn is_any(&self, list: &[&str]) -> bool {
        matches!(self.kind, Kind::Word | Kind::Mark) && list.contains(&self.word.as_str())
    }
}

/// Returns the words of tokens as one text.
pub(super) fn joined(tokens: &[Token]) -> String {
    tokens.iter().map(|token| token.word.as_str()).collect::<Vec<_>>().join(" ")
}

/// Cuts a text into tokens.
pub(super) fn tokens(text: &str, now: &Zoned, church: &ChurchWords) -> Vec<Token> {
    let text = &spelling::respelled(text);
    let found = said::found(text, now, church);
    let mut shown = text.clone();
    for time in found.iter().rev() {
        shown.replace_range(time.bytes.clone(), &format!(" {TIME} "));
    }
    let all: Vec<String> = words(&signs(&shown)).into_iter().flat_map(apart).collect();
    let mut found = found.into_iter().map(|time| time.said);
    let mut tokens: Vec<Token> = all
        .iter()
        .map(|word| match (word == TIME).then(|| found.next()).flatten() {
            Some(said) => Token { word: word.clone(), kind: Kind::Time(said) },
            None => Token::word(lexicon::corrected(word, church)),
        })
        .collect();
    day::weeks_later(&mut tokens, now);
    join(&mut tokens, |words, at| said::service_at(words, at, church));
    join(&mut tokens, |words, at| role::role_at(words, at, church));
    day::days_of_month(&mut tokens, now);
    said::plain_hours(&mut tokens, church);
    said::hours_after_roles(&mut tokens, church);
    join(&mut tokens, amount::number_at);
    sense::qualify(&mut tokens);
    tokens
}

/// Replaces the signs that stand for words.
fn signs(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut last = ' ';
    while let Some(c) = chars.next() {
        match c {
            '+' if chars.peek().is_some_and(char::is_ascii_digit) => shown.push_str(" add "),
            '-' if chars.peek() == Some(&'>') => {
                chars.next();
                shown.push_str(" becomes ");
            }
            '→' => shown.push_str(" becomes "),
            '+' | '&' => shown.push_str(" and "),
            '-' | '–'
                if last.is_ascii_digit() && chars.peek().is_some_and(char::is_ascii_digit) =>
            {
                shown.push_str(" or ");
            }
            _ => shown.push(c),
        }
        last = c;
    }
    shown
}

/// Parts a number from the letters about it: "5ppl", "x4", "2x".
fn apart(word: String) -> Vec<String> {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = &word[..word.len() - rest.len()];
    let is_clock = matches!(rest, "" | "a" | "p" | "am" | "pm" | "st" | "nd" | "rd" | "th" | "h");
    if !number.is_empty() && !is_clock && rest.chars().all(char::is_alphabetic) {
        let rest = if rest == "x" { "" } else { rest };
        return [number, rest]
            .into_iter()
            .filter(|it| !it.is_empty())
            .map(ToOwned::to_owned)
            .collect();
    }
    match word.strip_prefix('x') {
        Some(number) if number.len() <= 2 && number.parse::<u8>().is_ok() => {
            vec![number.to_owned()]
        }
        _ => vec![word],
    }
}

/// What a rule finds at a word: what it is, and how many words it has.
pub(super) struct Joined {
    pub(super) kind: Kind,
    pub(super) length: usize,
}

/// Joins the words at which a rule finds something into one token.
fn join(tokens: &mut Vec<Token>, rule: impl Fn(&[&str], usize) -> Option<Joined>) {
    let mut at = 0;
    while at < tokens.len() {
        // A rule sees no more than words: what is joined already is an empty word to it.
        let words: Vec<&str> = tokens
            .iter()
            .map(|token| match token.kind {
                Kind::Word | Kind::Mark => token.word.as_str(),
                Kind::Time(_) => TIME,
                Kind::Role(_) => "xrole",
                Kind::Number(_) => "",
            })
            .collect();
        let found = matches!(tokens[at].kind, Kind::Word).then(|| rule(&words, at)).flatten();
        if let Some(Joined { kind, length }) = found {
            let word = joined(&tokens[at..at + length]);
            tokens.splice(at..at + length, [Token { word, kind }]);
        }
        at += 1;
    }
}
