//! What a text names, apart from what it means: roles, a service, people. It tells apart several things that an
//! answer could be for.

use std::collections::BTreeSet;

use abide_language::base::Timestamp;
use jiff::Zoned;

use crate::church::ChurchWords;
use crate::staff;
use crate::text::words as words_of;

/// What a text names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mentions {
    roles: Vec<String>,
    time: Option<Timestamp>,
    words: BTreeSet<String>,
}

/// Finds what a text names.
#[must_use]
pub fn mentions(text: &str, now: &Zoned, church: &ChurchWords) -> Mentions {
    let slots = staff::slots(text, now, church);
    Mentions {
        time: slots.time.and_then(|time| time.parse().ok()),
        roles: slots.roles,
        words: words_of(text).into_iter().collect(),
    }
}

impl Mentions {
    /// Whether it names this role, by its name or by another word for it.
    #[must_use]
    pub fn role(&self, role: &str) -> bool {
        let named = self.roles.iter().any(|named| named == role);
        named || role.split('_').all(|word| self.words.contains(word))
    }

    /// Whether it names the service at this time.
    #[must_use]
    pub fn time(&self, time: Timestamp) -> bool {
        self.time == Some(time)
    }

    /// Whether it names this person by the first name.
    #[must_use]
    pub fn person(&self, name: &str) -> bool {
        let first = words_of(name).into_iter().next().unwrap_or_default();
        !first.is_empty() && self.words.contains(&first)
    }
}

/// Words between two clauses, each of which can say something of its own: "Rosa can and Sam can't".
const JOINTS: &[&str] = &["and", "but", "y", "pero"];

/// Returns the clauses of a text, in its sequence. A text without joints is one clause.
#[must_use]
pub fn clauses(text: &str) -> Vec<String> {
    let mut clauses = Vec::new();
    let mut clause = String::new();
    for word in text.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        if JOINTS.contains(&bare.as_str()) {
            finish(&mut clause, &mut clauses);
            continue;
        }
        if !clause.is_empty() {
            clause.push(' ');
        }
        clause.push_str(word);
        if word.ends_with([',', ';', '.', '!', '\u{2014}']) {
            finish(&mut clause, &mut clauses);
        }
    }
    finish(&mut clause, &mut clauses);
    clauses
}

fn finish(clause: &mut String, clauses: &mut Vec<String>) {
    let clause = std::mem::take(clause);
    let said = clause.trim_end_matches([',', ';', '\u{2014}']);
    if !said.is_empty() {
        clauses.push(said.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Zoned {
        let now: jiff::Timestamp = "2025-09-30T14:20:00-05:00".parse().expect("an instant");
        now.to_zoned(ChurchWords::demo().zone)
    }

    #[test]
    fn a_text_names_roles_services_and_people() {
        let church = ChurchWords::demo();
        let found = mentions("Rosa can do the babies at 9", &now(), &church);
        assert!(found.role("nursery") && !found.role("children"));
        assert!(found.person("Rosa Diaz") && !found.person("Sam Diaz"));
        assert!(found.time("2025-10-05T09:00:00-05:00".parse().expect("an instant")));
        let custom = mentions("the prayer team one", &now(), &church);
        assert!(custom.role("prayer_team") && !custom.role("prayer_chain"));
    }

    #[test]
    fn clauses_are_told_apart() {
        let cases: &[(&str, &[&str])] = &[
            ("Rosa can, Sam can't", &["Rosa can", "Sam can't"]),
            ("Rosa can but Sam cannot", &["Rosa can", "Sam cannot"]),
            ("yes to nursery and no to ushers", &["yes to nursery", "no to ushers"]),
            ("yes", &["yes"]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(clauses(text), *expected, "{text}");
        }
    }
}
