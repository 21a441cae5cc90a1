//! Finds the roles that a text names, also where they are misspelt.

use std::ops::Range;

use strsim::osa_distance;

use crate::church::ChurchWords;

/// A role that a text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RoleMention {
    /// The stored name of the role.
    pub(super) role: String,
    /// The words of the text that name it.
    pub(super) at: Range<usize>,
}

/// Words of this length and more may have one wrong letter; of twice this length, two.
const FUZZY_FROM: usize = 5;
/// Words that are near a role and mean something else.
const OTHER_WORDS: &[&str] = &[
    "sounds", "second", "found", "round", "around", "ground", "should", "could", "south", "bands",
    "hand", "brand", "kind", "user",
];

/// Returns the mentions of roles, in the sequence of the text. The longest wording at a place counts.
pub(super) fn mentions(words: &[&str], church: &ChurchWords) -> Vec<RoleMention> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        match longest(words, at, church) {
            Some(mention) => {
                at = mention.at.end;
                found.push(mention);
            }
            None => at += 1,
        }
    }
    found
}

fn longest(words: &[&str], at: usize, church: &ChurchWords) -> Option<RoleMention> {
    let mut best: Option<RoleMention> = None;
    for role in &church.roles {
        for wording in &role.words {
            let parts: Vec<&str> = wording.split(' ').collect();
            let end = at + parts.len();
            let stands = words.get(at..end).is_some_and(|said| {
                said.iter().zip(&parts).all(|(said, part)| is_alike(said, part))
            });
            let longer = best.as_ref().is_none_or(|best| parts.len() > best.at.len());
            if stands && longer {
                best = Some(RoleMention { role: role.name.clone(), at: at..end });
            }
        }
    }
    best
}

/// Whether a word is the wanted one, or the same with a slip of the finger.
fn is_alike(said: &str, wanted: &str) -> bool {
    if said == wanted {
        return true;
    }
    if wanted.len() < FUZZY_FROM || said.len() < FUZZY_FROM - 1 || OTHER_WORDS.contains(&said) {
        return false;
    }
    let allowed = if wanted.len() >= 2 * FUZZY_FROM - 2 { 2 } else { 1 };
    said.chars().next() == wanted.chars().next() && osa_distance(said, wanted) <= allowed
}
