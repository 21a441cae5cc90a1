//! Checks a rendered message that somebody has reworded: it must say the same. On doubt the message stays as it was.
//!
//! A template's own words may change. What was inserted into the template, numbers, times, names and whether something
//! is asked or denied may not. These are rules on words, so they refuse much that would be right.

use std::collections::BTreeSet;

use super::checked::Template;
use super::keyword::{keyword, prose};
use super::rendered::Rendered;
use crate::words;

/// How many more characters than the message a rewording may have.
const LONGER_BY: usize = 40;
/// Words that deny. A rewording has as many of them as the message.
const DENIALS: &[&str] = &[
    "not", "no", "never", "cannot", "cant", "dont", "wont", "isnt", "arent", "doesnt", "didnt",
    "without", "unable", "nobody", "nothing", "none", "nunca", "nadie", "nada", "sin", "tampoco",
    "ni",
];
/// Parts of words that say what has become of something, what is owed or what is to be done. A rewording has one of
/// them only if the message has it.
const WEIGHTY: &[&str] = &[
    "cancel",
    "postpon",
    "moved",
    "move",
    "full",
    "closed",
    "called off",
    "instead",
    "only",
    "unless",
    "must",
    "confirm",
    "free",
    "pay",
    "paid",
    "cost",
    "money",
    "win",
    "prize",
    "urgent",
    "emergency",
    "deadline",
    "promise",
    "guarantee",
    "already",
    "waitlist",
    "waiting list",
    "everyone",
    "anyone",
    "late",
    "early",
    "password",
    "code",
    "click",
    "call",
    "link",
    "http",
    "www",
    "stop",
    "unsubscribe",
    "opt",
    "reply",
    "text back",
    "cancela",
    "urgente",
    "solo",
    "gratis",
    "lleno",
    "cerrado",
    "llama",
    "responde",
];

words! {
    /// Why a rewording is not sent.
    pub enum RewordingFault {
        /// It is longer than it may be, takes more segments, or is empty.
        Length = "length",
        /// A name, number, time or other value is missing or new.
        Facts = "facts",
        /// It denies more or less than the message.
        Denial = "denial",
        /// It asks something that the message does not ask, or no longer asks it.
        Question = "question",
        /// It says something of weight that the message does not say, or tells people to send a keyword.
        Weight = "weight",
    }
}

impl Template {
    /// Returns how many words of a message are the template's own.
    pub(super) fn words_in(&self, message: &str) -> usize {
        let own = self.own_words();
        spoken(message).filter(|word| own.contains(&word.to_lowercase())).count()
    }

    /// Returns the words of the template, without its tags and in lower case.
    fn own_words(&self) -> BTreeSet<String> {
        spoken(&prose(self.body())).map(str::to_lowercase).collect()
    }

    /// Returns a message of this template in other words, if these keep what the message says.
    ///
    /// # Errors
    /// The first [`RewordingFault`].
    pub fn reworded(&self, message: &str, other: &str) -> Result<Rendered, RewordingFault> {
        let other = other.split_whitespace().collect::<Vec<_>>().join(" ");
        let (before, after) =
            (Rendered::new(self.name(), message.to_owned()), other.chars().count());
        if after == 0 || after > message.chars().count() + LONGER_BY {
            return Err(RewordingFault::Length);
        }
        if facts(message, self) != facts(&other, self) || !keeps_values(message, &other, self) {
            return Err(RewordingFault::Facts);
        }
        if count(message, DENIALS) != count(&other, DENIALS) {
            return Err(RewordingFault::Denial);
        }
        if message.contains('?') != other.contains('?') {
            return Err(RewordingFault::Question);
        }
        let (said, says) = (message.to_lowercase(), other.to_lowercase());
        let adds = WEIGHTY.iter().any(|part| says.contains(part) && !said.contains(part));
        if adds || keyword(&other).is_some() {
            return Err(RewordingFault::Weight);
        }
        let rendered = Rendered::new(self.name(), other);
        if rendered.segments().segments > before.segments().segments {
            return Err(RewordingFault::Length);
        }
        Ok(rendered)
    }
}

/// Returns the words of a text without the marks around them.
fn spoken(text: &str) -> impl Iterator<Item = &str> {
    let bare =
        text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    bare.filter(|word| !word.is_empty())
}

/// Returns the words that no rewording may add or leave out, each as often as it stands there: those with digits, and
/// those with a capital that do not begin a sentence.
fn facts(text: &str, template: &Template) -> Vec<String> {
    let own = template.own_words();
    let mut found = Vec::new();
    let mut begins = true;
    for part in text.split_whitespace() {
        let word = part.trim_matches(|c: char| !c.is_alphanumeric());
        let capital = word.starts_with(char::is_uppercase) && word.chars().count() > 1;
        let is_name =
            capital && (!begins || !own.contains(&word.to_lowercase())) && !contracts(word);
        if word.contains(|c: char| c.is_ascii_digit()) || (is_name && !begins) {
            found.push(word.to_lowercase());
        }
        begins = part.ends_with(['.', '!', '?', ':']);
    }
    found.sort();
    found
}

/// Whether a word is "I'm", "I'll" and the like.
fn contracts(word: &str) -> bool {
    word.starts_with("I'") || word.starts_with("I\u{2019}")
}

/// Whether a rewording contains each word that was inserted into the template.
fn keeps_values(message: &str, other: &str, template: &Template) -> bool {
    let own = template.own_words();
    let said: BTreeSet<String> = spoken(other).map(str::to_lowercase).collect();
    spoken(message).map(str::to_lowercase).all(|word| own.contains(&word) || said.contains(&word))
}

/// Returns how many of the words of a text are in a list, without apostrophes.
fn count(text: &str, list: &[&str]) -> usize {
    let plain = text.to_lowercase().replace(['\'', '\u{2019}'], "");
    spoken(&plain).filter(|word| list.contains(word)).count()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::template::StandardValues;

    fn invite() -> Template {
        let (template, _) =
            Template::check("invite.hbs", include_str!("../../../templates/invite.hbs"));
        template.expect("a template")
    }

    #[test]
    fn other_words_go_out_only_if_they_say_the_same() {
        let template = invite();
        let vars = json!({"role": "nursery", "time": "2025-10-05T09:00:00-05:00"});
        let message = template.render(&StandardValues::example().with(&vars)).expect("a message");
        let message = message.body();
        let cases = [
            (
                "Hi Ana, Grace Church here. Would you be able to serve with the nursery team on Sunday 5 October at \
                 9:00 am? Just let us know either way. Thanks!",
                None,
            ),
            (
                "Hi Ana, Grace Church here. Would you be able to serve with the nursery team on Sunday 5 October at \
                 10:00 am? Let us know either way!",
                Some(RewordingFault::Facts),
            ),
            (
                "Hi Anna, Grace Church here. Could you serve with the nursery team on Sunday 5 October at 9:00 am?",
                Some(RewordingFault::Facts),
            ),
            (
                "Hi Ana, Grace Church here. Could you serve on Sunday 5 October at 9:00 am?",
                Some(RewordingFault::Facts),
            ),
            (
                "Hi Ana, Grace Church here. Could you help the nursery team on Sunday 5 October at 9:00 am with Bob?",
                Some(RewordingFault::Facts),
            ),
            (
                "Hi Ana, Grace Church here. You help the nursery team on Sunday 5 October at 9:00 am.",
                Some(RewordingFault::Question),
            ),
            (
                "Hi Ana, Grace Church here. Could you not help the nursery team on Sunday 5 October at 9:00 am?",
                Some(RewordingFault::Denial),
            ),
            (
                "Hi Ana, Grace Church here. Could you help the nursery team on Sunday 5 October at 9:00 am? It is urgent",
                Some(RewordingFault::Weight),
            ),
            (
                "Hi Ana, Grace Church here. Could you help the nursery team on Sunday 5 October at 9:00 am? Text YES",
                Some(RewordingFault::Facts),
            ),
            ("", Some(RewordingFault::Length)),
        ];
        for (other, fault) in cases {
            assert_eq!(template.reworded(message, other).err(), fault, "{other}");
        }
        let long = format!("{message} {}", "We would love that. ".repeat(9));
        assert_eq!(template.reworded(message, &long).err(), Some(RewordingFault::Length));
        assert_eq!(template.reworded(message, message).expect("the same").body(), message);
    }
}
