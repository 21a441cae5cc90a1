//! The words of an expression, taken one after the other.

use crate::obligations::read::clause::Clause;

/// Maximum depth of forms in forms: "half of half of half of …".
const DEPTH_MAX: usize = 24;

/// A place in a clause.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words<'t> {
    pub(super) clause: Clause<'t>,
    pub(super) at: usize,
    /// The expression that "that" and "it" mean.
    pub(super) previous: Option<&'t str>,
    depth: usize,
}

impl<'t> Words<'t> {
    pub(super) fn new(clause: Clause<'t>, previous: Option<&'t str>) -> Self {
        Self { clause, at: 0, previous, depth: 0 }
    }

    pub(super) fn is_done(&self) -> bool {
        self.at >= self.clause.len()
    }

    /// Returns the word at a distance from the place.
    pub(super) fn word(&self, ahead: usize) -> &'t str {
        self.clause.word(self.at + ahead)
    }

    pub(super) fn is_number(&self, ahead: usize) -> bool {
        self.clause.is_number(self.at + ahead)
    }

    pub(super) fn is_glued(&self, ahead: usize) -> bool {
        self.clause.is_glued(self.at + ahead)
    }

    /// Returns the number of words of one of the phrases at the place.
    pub(super) fn sees(&self, phrases: &str) -> usize {
        self.clause.from(self.at).starts(phrases)
    }

    /// Passes one of the phrases; fails if none is there.
    pub(super) fn take(&mut self, phrases: &str) -> Option<()> {
        let words = self.sees(phrases);
        self.at += words;
        (words > 0).then_some(())
    }

    /// Passes one of the phrases if it is there.
    pub(super) fn skip(&mut self, phrases: &str) {
        self.at += self.sees(phrases);
    }

    /// Reads something, and returns to the place if that fails. Fails where forms are nested too deeply.
    pub(super) fn attempt<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let start = self.at;
        if self.depth == DEPTH_MAX {
            return None;
        }
        self.depth += 1;
        let found = read(self);
        self.depth -= 1;
        if found.is_none() {
            self.at = start;
        }
        found
    }
}
