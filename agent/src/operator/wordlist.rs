//! The words by which texts are read: the file `words.yaml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// The file.
const FILE: &str = include_str!("words.yaml");

static WORDS: LazyLock<WordLists> =
    LazyLock::new(|| serde_yaml::from_str(FILE).unwrap_or_default());

/// Returns the words. They are read once, at the first text.
pub(super) fn words() -> &'static WordLists {
    &WORDS
}

/// Whether a list has a word.
pub(super) fn is_in(list: &[String], word: &str) -> bool {
    list.iter().any(|known| known == word)
}

/// The words by which texts are read.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WordLists {
    /// What must not be done.
    pub(super) refusal: RefusalPhrases,
    /// What staff do, by class.
    pub(super) verbs: BTreeMap<String, Vec<String>>,
    /// What they do it to, by class.
    pub(super) nouns: BTreeMap<String, Vec<String>>,
    /// Common words that are in no class, and no names at the start of a sentence.
    pub(super) common: Vec<String>,
    /// Units of a quantity.
    pub(super) units: Vec<String>,
    /// Words before a verb that say nothing about it.
    pub(super) fillers: Vec<String>,
    /// Words that begin a command or a question.
    pub(super) openers: Vec<String>,
    /// Further words that begin a command.
    pub(super) more_openers: Vec<String>,
    /// Verbs in the passive voice that ask for something: "inv_44 needs sending".
    pub(super) passives: Vec<String>,
    /// Words that are no part of the description of a line of a quote.
    pub(super) undescribing: Vec<String>,
    /// Verbs that end words which the command before passes on.
    pub(super) breaking: Vec<String>,
    /// Words for work, which tell what something is for from whom it is for.
    pub(super) work: Vec<String>,
    /// Well-known suburbs and cities, sorted.
    pub(super) suburbs: Vec<String>,
    /// First names, sorted.
    pub(super) first_names: Vec<String>,
}

/// Phrases by which what must not be done is found.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RefusalPhrases {
    /// Verbs that reach somebody.
    pub(super) sends: Vec<String>,
    /// Verbs that reach many people, or hand on what is known of them.
    pub(super) reaches: Vec<String>,
    /// Everybody, or very many.
    pub(super) everybody: Vec<String>,
    /// People who want nothing from us.
    pub(super) opted_out: Vec<String>,
    /// Words that get around an approval or a rule.
    pub(super) bypasses: Vec<String>,
    /// Approvals and rules.
    pub(super) controls: Vec<String>,
    /// Orders to the reader itself.
    pub(super) injections: Vec<String>,
    /// What keeps something from others.
    pub(super) secretly: Vec<String>,
    /// What is not so.
    pub(super) untrue: Vec<String>,
    /// What a text admits about what it wants recorded.
    pub(super) admitted: Vec<String>,
    /// What is paid or promised.
    pub(super) promised: Vec<String>,
    /// Words that say that nothing is paid or promised.
    pub(super) not_promised: Vec<String>,
    /// Verbs that take away.
    pub(super) undoes: Vec<String>,
    /// Databases, code and the machine itself.
    pub(super) machine: Vec<String>,
    /// Changes of the machine.
    pub(super) changes: Vec<String>,
    /// What is about a person.
    pub(super) personal: Vec<String>,
    /// People who have no business with it.
    pub(super) outsiders: Vec<String>,
    /// People who must not see a customer's papers.
    pub(super) strangers: Vec<String>,
    /// Harm to people.
    pub(super) harm: Vec<String>,
    /// Where somebody is, or their money.
    pub(super) prying: Vec<String>,
    /// What is not the work of the business.
    pub(super) other_work: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read_and_its_names_are_sorted() {
        let lists: WordLists = serde_yaml::from_str(FILE).expect("the words");
        assert!(lists.suburbs.is_sorted() && lists.first_names.is_sorted());
        assert!(lists.verbs.len() > 20 && lists.nouns.len() > 20);
    }
}
