//! What the tokens of a text are: phones, ids, money, times and the rest.

use std::ops::Range;

use jiff::Zoned;

use super::token::Token;
use super::{email, id, money, name, phone, place, when};

/// A text with what its tokens are.
pub(super) struct Tagged<'t> {
    pub(super) text: &'t str,
    pub(super) tokens: Vec<Token>,
    /// For each token, what it is.
    pub(super) tags: Vec<Tag>,
    pub(super) phones: Vec<phone::SaidPhone>,
    pub(super) emails: Vec<Said>,
    pub(super) money: Vec<Said>,
    pub(super) ids: Vec<id::SaidId>,
    pub(super) times: Vec<when::SaidTime>,
    pub(super) names: Vec<name::SaidName>,
    pub(super) places: Vec<Said>,
    pub(super) addresses: Vec<Said>,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    Word,
    Phone,
    Email,
    Money,
    Id,
    Time,
    Name,
    Place,
}

/// A value in a text, and its tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) tokens: Range<usize>,
    pub(super) value: String,
}

impl<'t> Tagged<'t> {
    /// Finds what the tokens of a text are.
    pub(super) fn of(text: &'t str, tokens: Vec<Token>, now: &Zoned) -> Self {
        let tags = vec![Tag::Word; tokens.len()];
        let mut tagged = Self {
            text,
            tokens,
            tags,
            phones: Vec::new(),
            emails: Vec::new(),
            money: Vec::new(),
            ids: Vec::new(),
            times: Vec::new(),
            names: Vec::new(),
            places: Vec::new(),
            addresses: Vec::new(),
        };
        tagged.emails = email::find(&tagged);
        tagged.mark(Tag::Email, |it| it.emails.iter().map(|said| said.tokens.clone()).collect());
        tagged.phones = phone::find(&tagged);
        tagged.mark(Tag::Phone, |it| it.phones.iter().map(|said| said.tokens.clone()).collect());
        tagged.addresses = place::addresses(&tagged);
        tagged.mark(Tag::Place, |it| it.addresses.iter().map(|said| said.tokens.clone()).collect());
        tagged.ids = id::find(&tagged);
        tagged.mark(Tag::Id, |it| it.ids.iter().map(|said| said.tokens.clone()).collect());
        tagged.money = money::find(&tagged);
        tagged.mark(Tag::Money, |it| it.money.iter().map(|said| said.tokens.clone()).collect());
        tagged.times = when::find(&tagged, now);
        tagged.mark(Tag::Time, |it| it.times.iter().map(|said| said.tokens.clone()).collect());
        tagged.names = name::find(&tagged);
        tagged.mark(Tag::Name, |it| it.names.iter().map(|said| said.tokens.clone()).collect());
        tagged.places = place::find(&tagged);
        tagged.mark(Tag::Place, |it| it.places.iter().map(|said| said.tokens.clone()).collect());
        tagged
    }

    fn mark(&mut self, tag: Tag, ranges: impl Fn(&Self) -> Vec<Range<usize>>) {
        for at in ranges(self).into_iter().flatten() {
            if let Some(place) = self.tags.get_mut(at).filter(|tag| **tag == Tag::Word) {
                *place = tag;
            }
        }
    }

    /// Whether all of these tokens are plain words so far.
    pub(super) fn are_words(&self, tokens: Range<usize>) -> bool {
        self.tags.get(tokens).is_some_and(|tags| tags.iter().all(|tag| *tag == Tag::Word))
    }

    /// Returns a word; empty if there is none.
    pub(super) fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.word.as_str())
    }

    /// Returns the word before a token.
    pub(super) fn before(&self, at: usize) -> &str {
        at.checked_sub(1).map_or("", |at| self.word(at))
    }

    /// Returns these tokens as they were written.
    pub(super) fn said(&self, tokens: Range<usize>) -> &'t str {
        let (Some(first), Some(last)) = (
            self.tokens.get(tokens.start),
            tokens.end.checked_sub(1).and_then(|at| self.tokens.get(at)),
        ) else {
            return "";
        };
        self.text.get(first.bytes.start..last.bytes.end).unwrap_or_default()
    }
}
