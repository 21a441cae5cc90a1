//! Hides the slots of a text before it is classified: which role or day it names says nothing about
//! what it asks.

use super::amount::Sense;
use super::lexicon;
use super::token::{Kind, Token};

/// The words that stand for a role, for a time, for one that lies behind, and for a number of
/// people.
const ROLE: &str = "xrole";
const TIME: &str = "xtime";
const PAST: &str = "xpast";
const NUMBER: &str = "xnum";

/// Returns a text in which roles, times and numbers are hidden, and each word of a class is
/// followed by the class.
pub(super) fn masked(tokens: &[Token]) -> String {
    let words: Vec<&str> = tokens
        .iter()
        .map(|token| match &token.kind {
            Kind::Role(_) => ROLE,
            Kind::Time(said) if said.past => PAST,
            Kind::Time(_) => TIME,
            Kind::Number(amount)
                if amount.sense == Sense::More && token.word.starts_with("another") =>
            {
                "another"
            }
            Kind::Number(_) => NUMBER,
            Kind::Word if token.word.starts_with(|c: char| c.is_ascii_digit()) => NUMBER,
            Kind::Word | Kind::Mark => token.word.as_str(),
        })
        .collect();
    let mut shown: Vec<&str> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if *word == TIME && shown.last() == Some(&TIME) {
            continue;
        }
        shown.push(word);
        // "fewer" in "no fewer than 4" reduces nothing.
        let ahead = tokens[at..].iter().take(3).filter_map(Token::amount);
        if ahead.clone().any(|it| it.sense == Sense::Least) && matches!(*word, "fewer" | "less") {
            continue;
        }
        shown.extend(lexicon::classes(&words, at).map(|class| -> &str { class }));
    }
    shown.join(" ")
}
