//! Finds the roles that a text names, also where they are misspelt.

use strsim::osa_distance;

use super::token::{Joined, Kind};
use crate::church::ChurchWords;

/// Words of this length and more may have one wrong letter; of twice this length, two.
const FUZZY_FROM: usize = 5;
/// Words that are near a role and mean something else.
const OTHER_WORDS: &[&str] = &[
    "sounds", "second", "found", "round", "around", "ground", "should", "could", "south", "bands",
    "hand", "brand", "kind", "user", "users", "sliders", "secure", "securely", "signer", "parting",
    "packing", "barking", "greeted", "greets", "sided", "adult", "adults", "coffer", "covfefe",
    "childs", "sliced", "keyboard", "screen", "younger", "lyric", "toddle", "guitars", "single",
    "green", "great", "greed", "greek", "little", "mixed", "mixes", "praised", "guard",
];

/// Returns the role that is named at a word, in its longest wording.
pub(super) fn role_at(words: &[&str], at: usize, church: &ChurchWords) -> Option<Joined> {
    let mut best: Option<Joined> = None;
    for role in &church.roles {
        for wording in &role.words {
            let length = wording.split(' ').count();
            let longer = best.as_ref().is_none_or(|best| length > best.length);
            if longer && stands_at(words, at, wording) {
                best = Some(Joined { kind: Kind::Role(role.name.clone()), length });
            }
        }
    }
    best
}

/// Whether a wording stands at a word, perhaps misspelt.
pub(super) fn stands_at(words: &[&str], at: usize, wording: &str) -> bool {
    let mut said = words[at..].iter();
    wording.split(' ').all(|part| said.next().is_some_and(|said| is_alike(said, part)))
}

/// Whether a word is the wanted one, or the same with a slip of the finger.
pub(super) fn is_alike(said: &str, wanted: &str) -> bool {
    if said == wanted {
        return true;
    }
    if wanted.len() < FUZZY_FROM || said.len() < FUZZY_FROM - 1 || OTHER_WORDS.contains(&said) {
        return false;
    }
    let allowed = if wanted.len() >= 2 * FUZZY_FROM - 2 { 2 } else { 1 };
    said.chars().next() == wanted.chars().next() && osa_distance(said, wanted) <= allowed
}
