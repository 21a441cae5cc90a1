//! The roles that a church speaks of, and the words it uses for them.

use super::token::Token;

/// A role's stored name and the other ways to say it.
const ROLES: &[(&str, &[&str])] = &[
    ("nursery", &["nursery", "babies", "baby room", "infants", "toddlers"]),
    (
        "children",
        &[
            "children",
            "childrens",
            "kids church",
            "kids",
            "childrens church",
            "childrens ministry",
            "sunday school",
        ],
    ),
    ("greeters", &["greeters", "greeter", "greeting", "welcome team"]),
    ("ushers", &["ushers", "usher", "ushering"]),
    ("parking", &["parking", "parking team", "parking lot"]),
    ("worship", &["worship", "band", "drums", "vocals", "worship team"]),
    ("sound", &["sound", "audio", "sound booth", "sound desk"]),
    ("slides", &["slides", "slide", "lyrics", "projection"]),
    ("cafe", &["cafe", "café", "coffee", "coffee bar"]),
    ("communion", &["communion"]),
    ("youth", &["youth", "youth group"]),
    ("setup", &["setup", "set up", "set up team"]),
    ("teardown", &["teardown", "tear down", "clean up", "cleanup"]),
    ("security", &["security", "safety team"]),
];

/// The stored names of the roles, in the order of the demo church.
pub fn names() -> impl Iterator<Item = &'static str> {
    ROLES.iter().map(|(name, _)| *name)
}

/// The roles that a text names, each once, with the tokens of its mention; the longest wording at
/// a place counts.
pub(super) fn mentions(tokens: &[Token]) -> Vec<(&'static str, std::ops::Range<usize>)> {
    let mut found: Vec<(&'static str, std::ops::Range<usize>)> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let longest = ROLES
            .iter()
            .flat_map(|(name, wordings)| wordings.iter().map(move |wording| (*name, *wording)))
            .filter_map(|(name, wording)| stands_at(tokens, at, wording).map(|len| (name, len)))
            .max_by_key(|(_, len)| *len);
        match longest {
            Some((name, len)) => {
                if found.iter().all(|(known, _)| *known != name) {
                    found.push((name, at..at + len));
                }
                at += len;
            }
            None => at += 1,
        }
    }
    found
}

fn stands_at(tokens: &[Token], at: usize, wording: &str) -> Option<usize> {
    let mut len = 0;
    for word in wording.split(' ') {
        if tokens.get(at + len)?.word()? != word {
            return None;
        }
        len += 1;
    }
    Some(len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::token::tokens;

    #[test]
    fn roles_are_found_in_their_everyday_words() {
        let cases = [
            ("Fill 5 nursery spots", vec!["nursery"]),
            ("two for the babies and one in kids church", vec!["nursery", "children"]),
            ("children's ministry", vec!["children"]),
            ("coffee bar", vec!["cafe"]),
            ("somebody for Sunday", vec![]),
        ];
        for (text, expected) in cases {
            let found: Vec<_> = mentions(&tokens(text)).into_iter().map(|(name, _)| name).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
