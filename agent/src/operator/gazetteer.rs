//! Well-known suburbs and first names, for texts without capital letters. A text may name others: these only tell
//! a name from an ordinary word.

use super::wordlist::words;

/// First names that are ordinary words too.
const ORDINARY: &[&str] = &[
    "ash", "dean", "grant", "jack", "joy", "les", "mark", "max", "mike", "norm", "pat", "ray",
    "rob", "rod", "rose", "sue", "val", "will",
];

/// Whether these words in lower case are the name of a suburb.
pub(super) fn is_suburb(name: &str) -> bool {
    has(&words().suburbs, name)
}

/// Whether a word in lower case is a first name.
pub(super) fn is_first_name(word: &str) -> bool {
    has(&words().first_names, word)
}

/// Whether a first name is an ordinary word too.
pub(super) fn is_ordinary(word: &str) -> bool {
    ORDINARY.contains(&word)
}

fn has(sorted: &[String], name: &str) -> bool {
    sorted.binary_search_by(|known| known.as_str().cmp(name)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known() {
        assert!(is_suburb("glen waverley") && is_first_name("sarah") && is_ordinary("mark"));
        assert!(!is_suburb("roof") && !is_first_name("quote"));
    }
}
