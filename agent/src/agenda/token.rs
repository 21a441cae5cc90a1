//! A message as words that keep their place and their spelling.

use std::ops::Range;

use super::lexicon;
use crate::text::words;

/// Currency signs, which may begin or end an amount.
pub(super) const CURRENCY: [char; 5] = ['$', '€', '£', '₹', '¥'];
/// Marks that end a clause if they follow a word.
const ENDS: [char; 9] = ['.', ',', ';', ':', '!', '?', ')', '…', '—'];
/// Marks that a word may have inside.
const INSIDE: [char; 7] = ['-', '\'', '’', '&', '.', ',', '/'];
/// Words that say nothing about what a message is about.
const STOP: &str = "
    a an the this that these those i im ive id me my mine we us our you your youre he she it its they them their
    who what whats which whose when where wheres why how much many some any every each all both other another same
    is are was were be been am isnt arent do does did dont doesnt done can cant could should shall will would wont
    may might must have has had having get gets got give go goes going gonna come comes let lets make makes made
    want wanted wants need needs like likes fancy love prefer find found look looking search show tell say says said
    see know think thinks try take bring help please thanks thank hi hello hey ok okay yes no not never forget mind
    and or but so if then than because as of in on at to for from with without about into over near around by up
    out off between under after before again also too very really just only still even maybe perhaps well now later
    soon here there somewhere anywhere nearby back anyway instead else today
    one ones thing things something anything nothing everything everyone anyone someone place places option options
    kind sort bit lot way day days night nights week weeks first second third last next new old
    good better best great nice fine lovely right wrong more most less least few own such sure
    tonight people person persons guests us money budget plan plans planning
    name call called ready open close quick early late ask asking map entirely move moving work works working form
";
/// Words after which comes what a plan is about.
const PLAN: &[&str] = &["plan", "plans", "planning"];

/// A word of a message.
#[derive(Debug, Clone)]
pub(super) struct Token<'t> {
    /// As it is written, without the marks around it.
    pub(super) shown: &'t str,
    /// In lower case, without accents and marks.
    pub(super) word: String,
    /// The bytes of the message that it comes from.
    pub(super) bytes: Range<usize>,
    /// Whether a clause ends after it.
    pub(super) ends: bool,
    /// Whether a slot has it already.
    pub(super) is_taken: bool,
}

impl Token<'_> {
    /// Whether the word may say what a message is about.
    pub(super) fn is_content(&self) -> bool {
        let is_plain = self.shown.chars().all(|c| c.is_alphanumeric() || INSIDE.contains(&c));
        let has_letter = self.shown.chars().any(char::is_alphabetic);
        !self.is_taken && is_plain && has_letter && !self.is_cue() && !self.is_stop()
    }

    /// Whether the word says what the user wants to do: what it is done with comes after it.
    pub(super) fn is_anchor(&self) -> bool {
        self.is_cue() || PLAN.contains(&self.word.as_str())
    }

    /// Whether the word is one of these.
    pub(super) fn is_any(&self, words: &[&str]) -> bool {
        words.contains(&self.word.as_str())
    }

    /// Whether the word begins with a capital letter.
    pub(super) fn is_capital(&self) -> bool {
        self.shown.starts_with(char::is_uppercase)
    }

    fn is_cue(&self) -> bool {
        lexicon::is_price(&self.word)
            || lexicon::is_booking(&self.word)
            || lexicon::is_food(&self.word)
    }

    fn is_stop(&self) -> bool {
        STOP.split_whitespace().any(|word| word == self.word)
    }
}

/// Returns the words of a message.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens: Vec<Token<'_>> = Vec::new();
    let mut from = 0;
    for chunk in text.split_whitespace() {
        let shown = chunk.trim_matches(|c: char| !c.is_alphanumeric() && !CURRENCY.contains(&c));
        if shown.is_empty() {
            if let Some(last) = tokens.last_mut() {
                last.ends |= chunk != "&";
            }
            continue;
        }
        let start = from + text[from..].find(shown).unwrap_or(0);
        from = start + shown.len();
        let plain: Vec<String> = words(shown).into_iter().filter(|word| word != "|").collect();
        tokens.push(Token {
            shown,
            word: plain.join("-"),
            bytes: start..from,
            ends: chunk.ends_with(ENDS),
            is_taken: false,
        });
    }
    tokens
}

/// Returns words as they are written, with one blank between them; a word in capitals is written in small letters.
pub(super) fn joined(tokens: &[Token<'_>]) -> String {
    let shown = |token: &Token<'_>| {
        let shouted = token.shown.chars().filter(|c| c.is_uppercase()).count() > 3
            && !token.shown.contains(char::is_lowercase);
        if shouted { token.shown.to_lowercase() } else { token.shown.to_owned() }
    };
    tokens.iter().map(shown).collect::<Vec<_>>().join(" ")
}

/// Marks words as taken. Returns them as they are written; `None` if there are none.
pub(super) fn take(tokens: &mut [Token<'_>], range: Range<usize>) -> Option<String> {
    let taken = tokens.get_mut(range).filter(|taken| !taken.is_empty())?;
    taken.iter_mut().for_each(|token| token.is_taken = true);
    Some(joined(taken))
}
