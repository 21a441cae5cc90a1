//! The words of a text, for finding phrases in them.

use super::super::content;
use super::super::segment::segments;
use super::super::tag::Tagged;

/// The words of a text, for finding phrases in them.
pub(in crate::operator) struct Spoken {
    /// All words, with blanks around each.
    all: String,
    /// The words without those that are quoted.
    unquoted: String,
    /// The words without those that are quoted or passed on to somebody.
    pub(super) own: String,
}

impl Spoken {
    pub(in crate::operator) fn of(text: &Tagged<'_>) -> Self {
        let mut own: Vec<usize> = Vec::new();
        for segment in segments(text) {
            let tokens = segment.tokens;
            let start = content::start(text, tokens.clone()).unwrap_or(tokens.end);
            let quoted = text.tokens.get(start).is_some_and(|it| it.quoted);
            let is_own = |at: &usize| *at < start || (quoted && !text.tokens[*at].quoted);
            own.extend(tokens.filter(is_own).filter(|at| !text.tokens[*at].quoted));
        }
        let unquoted = (0..text.tokens.len()).filter(|at| !text.tokens[*at].quoted);
        Self {
            all: joined(text, 0..text.tokens.len()),
            unquoted: joined(text, unquoted),
            own: joined(text, own.into_iter()),
        }
    }

    /// Whether all words contain one of these phrases.
    pub(in crate::operator) fn has<P: AsRef<str>>(&self, phrases: &[P]) -> bool {
        contains(&self.all, phrases)
    }

    /// Whether the words that are not quoted contain one of these phrases.
    pub(super) fn says<P: AsRef<str>>(&self, phrases: &[P]) -> bool {
        contains(&self.unquoted, phrases)
    }

    /// Whether the words that are the sender's own contain one of these phrases.
    pub(in crate::operator) fn asks<P: AsRef<str>>(&self, phrases: &[P]) -> bool {
        contains(&self.own, phrases)
    }
}

/// Whether words, with blanks around each, contain one of these phrases.
fn contains<P: AsRef<str>>(words: &str, phrases: &[P]) -> bool {
    phrases.iter().any(|it| crate::text::has(words, it.as_ref()))
}

fn joined(text: &Tagged<'_>, tokens: impl Iterator<Item = usize>) -> String {
    let mut all = " ".to_owned();
    for at in tokens {
        all.push_str(&text.tokens[at].word);
        all.push(' ');
    }
    all
}
